/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "start.h"
#include "../common/random.h"

/* Three numbers of a random direction, times length. */
static void random_direction(uint64_t *state, double length, double r[3]) {
  double z = random_pm1(state), around = 2 * 3.14159265358979323846 * random_unit(state);
  double across = sqrt(1 - z * z);
  r[0] = length * across * cos(around);
  r[1] = length * across * sin(around);
  r[2] = length * z;
}

/* Velocity in units of that of escape, with probability proportional to x^2 (1 - x^2)^(7/2): by rejection. */
static double random_speed(uint64_t *state) {
  for (;;) {
    double x = random_unit(state);
    if (0.1 * random_unit(state) < x * x * pow(1 - x * x, 3.5))
      return x;
  }
}

void start_plummer(struct world *w, uint64_t seed) {
  const double scale = 3 * 3.14159265358979323846 / 16; /* Plummer's radius in N-body units */
  struct source mean = {0, 0, 0, 0};
  struct velocity drift = {0, 0, 0};
  for (int i = 0; i < w->n; ++i) {
    double r[3], v[3];
    double inside =
        0.999 * random_unit(&seed); /* the mass inside of the body; the farthest thousandth is left out */
    double radius = 1 / sqrt(pow(inside > 0 ? inside : 1e-9, -2.0 / 3) - 1);
    random_direction(&seed, scale * radius, r);
    double escape = sqrt(2) * pow(1 + radius * radius, -0.25) / sqrt(scale);
    random_direction(&seed, escape * random_speed(&seed), v);
    w->source[i] = (struct source){r[0], r[1], r[2], 1.0 / w->n};
    w->velocity[i] = (struct velocity){v[0], v[1], v[2]};
    mean.x += r[0] / w->n, mean.y += r[1] / w->n, mean.z += r[2] / w->n;
    drift.x += v[0] / w->n, drift.y += v[1] / w->n, drift.z += v[2] / w->n;
  }
  for (int i = 0; i < w->n; ++i) {
    w->source[i].x -= mean.x, w->source[i].y -= mean.y, w->source[i].z -= mean.z;
    w->velocity[i].x -= drift.x, w->velocity[i].y -= drift.y, w->velocity[i].z -= drift.z;
  }
}

void start_uniform(struct world *w, double side, uint64_t seed) {
  for (int i = 0; i < w->n; ++i) {
    double r[3];
    for (int d = 0; d < 3; ++d)
      r[d] = side / 2 * random_pm1(&seed);
    w->source[i] = (struct source){r[0], r[1], r[2], 1.0 / w->n};
    w->velocity[i] = (struct velocity){0, 0, 0};
  }
}
