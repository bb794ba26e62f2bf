/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loops: what each iteration costs. */
#include "options.h"
#include "sim.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Numbers that are random and yet a function of their arguments -----------------------------------------
 */

static uint64_t mixed(uint64_t seed, uint64_t number) {
  uint64_t x = seed * 0x9e3779b97f4a7c15 + number + 1;
  for (int i = 0; i < 2; ++i) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;
    x += seed;
  }
  return x;
}

double sim_uniform(uint64_t seed, uint64_t number) { return (double)(mixed(seed, number) >> 11) * 0x1p-53; }

double sim_gauss(uint64_t seed, uint64_t number) {
  double u = sim_uniform(seed, 2 * number), v = sim_uniform(seed, 2 * number + 1);
  return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

/* --- Shapes ------------------------------------------------------------------------------------------------
 */

static bool numbers(const char *text, double *a, double *b) {
  return b ? sim_two(text, ',', a, b) : sim_real(text, a);
}

static bool parse(const char *text, struct sim_work *w) {
  const char *colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  w->a = w->b = 0;
#define IS(word) (length == sizeof word - 1 && !memcmp(text, word, length))
  if (IS("uniform") || IS("triangular")) {
    w->shape = IS("uniform") ? SIM_UNIFORM : SIM_TRIANGULAR;
    return !colon;
  }
  if (IS("list") && colon) {
    w->shape = SIM_LIST;
    w->list = colon + 1;
    return true;
  }
  if (IS("zipf")) {
    w->shape = SIM_ZIPF;
    w->a = 1;
    return !colon || numbers(colon + 1, &w->a, NULL);
  }
  if (IS("bimodal")) {
    w->shape = SIM_BIMODAL;
    w->a = 0.1;
    w->b = 20;
    return !colon || (numbers(colon + 1, &w->a, &w->b) && w->a <= 1);
  }
  if (IS("drifting")) {
    w->shape = SIM_DRIFTING;
    w->a = 10;
    w->b = 0.02;
    return !colon || numbers(colon + 1, &w->a, &w->b);
  }
#undef IS
  return false;
}

bool sim_work_parse(const char *text, struct sim_work *w) {
  return sim_form(parse(text, w), "uniform, triangular, bimodal[:PART,FACTOR], zipf[:EXPONENT], "
                                  "drifting[:HEIGHT,SPEED] or list:FILE");
}

/* Sizes 1, 2^-s, 3^-s, ... in random order. */
static void zipf(struct sim_work *w) {
  for (uint64_t i = 0; i < w->n; ++i)
    w->cost[i] = pow((double)(i + 1), -w->a);
  for (uint64_t i = w->n - 1; i > 0; --i) {
    uint64_t other = (uint64_t)(sim_uniform(w->seed, i) * (double)(i + 1));
    double cost = w->cost[i];
    w->cost[i] = w->cost[other];
    w->cost[other] = cost;
  }
}

/* Where the iterations are that cost `a` times more moves through the loop, by b of its length each step. */
static double drifting(const struct sim_work *w, uint64_t i, uint64_t step) {
  double at = fmod(0.25 + w->b * (double)step, 1), x = (double)i / (double)w->n - at;
  x -= round(x); /* around the end */
  return 1 + w->a * exp(-x * x / (2 * 0.08 * 0.08));
}

/* Which of the file's numbers is wrong, and why. */
static int wrong_list(struct sim_work *w, FILE *file, uint64_t number) {
  int err = ferror(file) ? errno : 0;
  if (err)
    (void)snprintf(w->why, sizeof w->why, "--work=list:%s cannot be read: %s", w->list, strerror(err));
  else if (feof(file))
    (void)snprintf(w->why, sizeof w->why,
                   "--work=list:%s has fewer numbers than are needed: %llu, and not %llu", w->list,
                   (unsigned long long)number, (unsigned long long)w->n);
  else
    (void)snprintf(w->why, sizeof w->why, "--work=list:%s: number %llu is not a cost, 0 or from %g to %g",
                   w->list, (unsigned long long)number + 1, 1 / SIM_LARGEST, SIM_LARGEST);
  return err ? -err : -EINVAL;
}

static int read_list(struct sim_work *w, const char **why) {
  FILE *file = fopen(w->list, "r");
  *why = w->why;
  if (!file) {
    int err = errno;
    (void)snprintf(w->why, sizeof w->why, "--work=list:%s cannot be read: %s", w->list, strerror(err));
    return -err;
  }
  int err = 0;
  for (uint64_t i = 0; i < w->n && !err; ++i)
    if (fscanf(file, "%lf", &w->cost[i]) != 1 || !sim_bounded(w->cost[i]))
      err = wrong_list(w, file, i);
  (void)fclose(file);
  return err;
}

static int fill(struct sim_work *w, uint64_t step, const char **why) {
  switch (w->shape) {
  case SIM_LIST:
    return read_list(w, why);
  case SIM_ZIPF:
    zipf(w);
    return 0;
  case SIM_UNIFORM:
  case SIM_TRIANGULAR:
  case SIM_BIMODAL:
  case SIM_DRIFTING:
    break;
  }
  for (uint64_t i = 0; i < w->n; ++i)
    w->cost[i] = w->shape == SIM_TRIANGULAR ? (double)i + 0.5
                 : w->shape == SIM_BIMODAL  ? (sim_uniform(w->seed, i) < w->a ? w->b : 1)
                 : w->shape == SIM_DRIFTING ? drifting(w, i, step)
                                            : 1;
  return 0;
}

int sim_work_make(struct sim_work *w, uint64_t step, const char **why) {
  if (w->cost && w->shape != SIM_DRIFTING)
    return 0;
  *why = "there is no memory for that many iterations";
  if (!w->cost && !(w->cost = calloc(w->n, sizeof *w->cost)))
    return -ENOMEM;
  if (!w->sum && !(w->sum = calloc(w->n + 1, sizeof *w->sum)))
    return -ENOMEM;
  int err = fill(w, step, why);
  if (err)
    return err;
  double all = 0, sum = 0;
  for (uint64_t i = 0; i < w->n; ++i)
    all += w->cost[i];
  double scale = w->mean_ns > 0 && all > 0 ? w->mean_ns * (double)w->n / all : 1;
  for (uint64_t i = 0; i < w->n; ++i) {
    w->cost[i] *= scale;
    w->sum[i + 1] = sum += w->cost[i];
  }
  return 0;
}

void sim_work_free(struct sim_work *w) {
  free(w->cost);
  free(w->sum);
  w->cost = w->sum = NULL;
}
