/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lu: solves A x = b for a random dense matrix, by a blocked LU factorisation with partial pivoting, and
 * checks the solution as HPL does, the benchmark of the TOP500 list.
 *
 * Each step factorises a block column (the panel), applies it to the block columns to its right (exchanges of
 * rows, a triangular system for the tile beside it), and updates each tile of what remains. All of these are
 * work units. They are all submitted at once, and what they read and write orders them.
 *
 * Any C11 compiler builds the serial program:  cc -O3 lu.c factorise.c ../common/[a-z]*.c -o lu -lm
 * The agglomerated program, same source:       agglomcc -O3 lu.c factorise.c ../common/[a-z]*.c -o lu -lm
 * With OpenMP:                                 cc -O3 -fopenmp lu.c factorise.c ../common/[a-z]*.c -o lu -lm
 */
#include "../common/options.h"
#include "../common/progress.h"
#include "../common/random.h"
#include "../common/verify.h"
#include "factorise.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct problem {
  long long n, block, seed;
  const char *kernel;
  int step_wise, time, fingerprint;
  double max_residual;
};

/* ---- The system of equations ----------------------------------------------------------------- */

/* The next row of A, and its right-hand side: the same from the same state, as A is made twice. */
static double random_row(uint64_t *state, double *row, int n) {
  for (int c = 0; c < n; ++c)
    row[c] = random_pm1(state);
  return random_pm1(state);
}

static void fill(const struct matrix *a, double *b, double *row, uint64_t state) {
  for (int r = 0; r < a->n; ++r) {
    b[r] = random_row(&state, row, a->n);
    int i = r / a->block;
    for (int j = 0; j < a->tiles; ++j)
      memcpy(tile(a, i, j) + (size_t)(r % a->block) * (size_t)extent(a, j), row + j * a->block,
             (size_t)extent(a, j) * sizeof *row);
  }
}

/* ||A x - b|| / (eps (||A|| ||x|| + ||b||) n) in the norm of the largest, with HPL's eps, 2^-53. */
static double scaled_residual(int n, const double *x, double *row, uint64_t state) {
  double r_norm = 0, a_norm = 0, x_norm = 0, b_norm = 0;
  for (int r = 0; r < n; ++r) {
    double b = random_row(&state, row, n), residual = -b, sum = 0;
    for (int c = 0; c < n; ++c) {
      residual += row[c] * x[c];
      sum += fabs(row[c]);
    }
    if (isnan(residual))
      return residual;
    r_norm = fmax(r_norm, fabs(residual));
    a_norm = fmax(a_norm, sum);
    x_norm = fmax(x_norm, fabs(x[r]));
    b_norm = fmax(b_norm, fabs(b));
  }
  return r_norm / (DBL_EPSILON / 2 * (a_norm * x_norm + b_norm) * n);
}

/* The largest number of L, which is 1 at most where each pivot was the largest of its column. */
static double largest_multiplier(const struct matrix *a) {
  double most = 0;
  for (int k = 0; k < a->tiles; ++k) {
    int w = extent(a, k);
    for (int r = 1; r < a->n - k * a->block; ++r)
      for (int c = 0; c < w && c < r; ++c)
        most = fmax(most, fabs(tile(a, k, k)[(size_t)r * (size_t)w + (size_t)c]));
  }
  return most;
}

/* ---- What is printed ------------------------------------------------------------------------- */

static int exchanges(const struct matrix *a, const int *pivot) {
  int moved = 0;
  for (int r = 0; r < a->n; ++r)
    moved += pivot[r] != r % a->block;
  return moved;
}

/* Of all bits (FNV-1a). */
static uint64_t hash(const void *data, size_t bytes) {
  uint64_t h = 0xcbf29ce484222325;
  for (size_t i = 0; i < bytes; ++i)
    h = (h ^ ((const unsigned char *)data)[i]) * 0x100000001b3;
  return h;
}

/* How often the units of a step, t tiles on from the last one, are there in all steps. */
static void print_problem(const struct problem *p, const struct matrix *a) {
  long long t = a->tiles, pairs = t * (t - 1) / 2;
  printf("%-16s %d x %d in %lld x %lld tiles of %d\n", "matrix", a->n, a->n, t, t, a->block);
  printf("%-16s %s, %s\n", "kernel", p->kernel,
         p->step_wise ? "a wait after each step" : "one wait at the end");
  printf("%-16s %lld (%lld panels, %lld applied, %lld updates)\n", "units",
         t + pairs + pairs * (2 * t - 1) / 3, t, pairs, pairs * (2 * t - 1) / 3);
}

static int run(const struct problem *p, const struct matrix *a, int *pivot, double *x, double *row) {
  struct verdict verdict = {.program = "lu"};
  print_problem(p, a);
  fill(a, x, row, (uint64_t)p->seed);

  double n = a->n, flops = operations(n, n);
  struct progress progress = progress_of("GFLOP", (long long)(flops * 1e-9));
  double begin = seconds_now();
  factorise(a, pivot, (struct how){!strcmp(p->kernel, "tuned"), p->step_wise}, &progress);
  double between = seconds_now();
  solve(a, pivot, x);
  double end = seconds_now();

  printf("%-16s %d of %d rows\n", "exchanged", exchanges(a, pivot), a->n);
  if (p->fingerprint) {
    printf("%-16s %016llx\n", "x", (unsigned long long)hash(x, (size_t)a->n * sizeof *x));
    for (int r = 0; r < a->n; ++r) /* of the whole matrix, so that they are the same for any block */
      pivot[r] += r - r % a->block;
    printf("%-16s %016llx\n", "pivots", (unsigned long long)hash(pivot, (size_t)a->n * sizeof *pivot));
  }
  verify_at_most(&verdict, "multipliers", largest_multiplier(a), 1,
                 "rows were not exchanged as pivoting asks for.");
  verify_at_most(
      &verdict, "residual", scaled_residual(a->n, x, row, (uint64_t)p->seed), p->max_residual,
      "x does not solve the system; if the matrix is nearly singular, another --seed gives another one.");
  if (p->time) {
    printf("%-16s %.3f\n", "seconds", end - begin);
    printf("%-16s %.3f\n", "factorisation", between - begin);
    printf("%-16s %.2f\n", "GFLOP/s", (flops + 2 * n * n) / (end - begin) * 1e-9);
  }
  return verify_end(&verdict);
}

int main(int argc, char **argv) {
  struct problem p = {.n = 1000, .block = 64, .seed = 1, .kernel = "tuned", .max_residual = 16};
  const struct option table[] = {
      {"--n", OPTION_INTEGER, &p.n, 1, 131072, NULL, "equations"},
      {"--block", OPTION_INTEGER, &p.block, 1, 1024, NULL, "rows and columns of a tile"},
      {"--seed", OPTION_INTEGER, &p.seed, 0, 1e15, NULL, "of the random matrix"},
      {"--kernel", OPTION_WORD, &p.kernel, 0, 0, "tuned|plain", "of the trailing update"},
      {"--static", OPTION_FLAG, &p.step_wise, 0, 0, NULL, "wait after each step: no look-ahead"},
      {"--max-residual", OPTION_REAL, &p.max_residual, 0, 1e9, NULL, "what passes the verification"},
      {"--fingerprint", OPTION_FLAG, &p.fingerprint, 0, 0, NULL, "print what tells bits of x and pivots"},
      {"--time", OPTION_FLAG, &p.time, 0, 0, NULL, "print seconds and GFLOP/s"},
      {"--small", OPTION_PRESET, NULL, 0, 0, "--n 512 --block 32", "a moment"},
      {"--medium", OPTION_PRESET, NULL, 0, 0, "--n 4096 --block 128", "seconds"},
      {"--published", OPTION_PRESET, NULL, 0, 0, "--n 8192 --block 256", "a size of the papers"},
      {NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
  };
  int status = options_read("lu", "Solves a random dense system of equations by blocked LU factorisation.",
                            table, argc, argv);
  if (status != OPTIONS_GO_ON)
    return status;

  int n = (int)p.n, block = (int)(p.block < p.n ? p.block : p.n);
  struct matrix a = {.n = n, .block = block, .tiles = (n + block - 1) / block};
  a.at = malloc((size_t)n * (size_t)n * sizeof *a.at);
  double *x = malloc((size_t)n * sizeof *x), *row = malloc((size_t)n * sizeof *row);
  int *pivot = malloc((size_t)n * sizeof *pivot);
  if (a.at && x && row && pivot) {
    status = run(&p, &a, pivot, x, row);
  } else {
    fprintf(stderr, "lu: there is no memory for %d x %d numbers; choose a smaller --n.\n", n, n);
    status = 2;
  }
  free(a.at);
  free(x);
  free(row);
  free(pivot);
  return status;
}
