/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units by agglom and, from the same source, by OpenMP: tasks on CPUs or, with -DOFFLOAD, on a GPU. HOW:
 *   resident     the arrays stay on the device over all rounds
 *   moved        they go there and back in each round (the default)
 * and for -DOFFLOAD, all resident: `tasks`, a target region a unit that nothing waits for, and `merged`, one target
 * region for all units, as somebody writes it who agglomerates by hand. */
#include "units.h"

#pragma agglom task in(x[0:n]) out(y[0:n])
#ifdef OFFLOAD
#pragma omp declare target
#endif
static void step(int n, int work, const double *x, double *y) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    double v = x[i];
    for (int k = 0; k < work; ++k)
      v = v * 0.999 + 0.0005;
    y[i] = v;
  }
}
#ifdef OFFLOAD
#pragma omp end declare target
#endif

static void round_of(const struct units *u, const double *x, double *y) {
  const int *start = u->start;
  int n = u->n, work = u->work;
#ifdef OFFLOAD
  int all = start[n];
  if (!strcmp(u->how, "merged")) {
#pragma omp target teams distribute map(to : start[0 : n + 1], x[0 : all]) map(from : y[0 : all])
    for (int i = 0; i < n; ++i) {
      int begin = start[i], end = start[i + 1];
#pragma omp parallel for
      for (int j = begin; j < end; ++j) {
        double v = x[j];
        for (int k = 0; k < work; ++k)
          v = v * 0.999 + 0.0005;
        y[j] = v;
      }
    }
    return;
  }
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
    int count = start[i + 1] - start[i];
    const double *from = x + start[i];
    double *to = y + start[i];
#pragma omp target nowait map(to : from[0 : count]) map(from : to[0 : count]) firstprivate(count, work)
#pragma omp parallel for
    for (int j = 0; j < count; ++j) {
      double v = from[j];
      for (int k = 0; k < work; ++k)
        v = v * 0.999 + 0.0005;
      to[j] = v;
    }
  }
#else
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task
    step(start[i + 1] - start[i], work, x + start[i], y + start[i]);
  }
#pragma agglom wait
#endif
}

static void rounds(struct units *u, double *times) {
  for (int r = 0; r < WARM + u->rounds; ++r) {
    double begin = units_now();
    round_of(u, r % 2 ? u->y : u->x, r % 2 ? u->x : u->y);
    units_count(times, r, begin);
  }
}

int main(int argc, char **argv) {
  static double times[MOST_ROUNDS];
  struct units u;
  if (!units_read(argc, argv, &u))
    return 2;
  double *x = u.x, *y = u.y;
  int *start = u.start, n = u.n, all = start[n];
  (void)x, (void)y, (void)start, (void)n, (void)all;
  if (!strcmp(u.how, "resident")) {
#pragma agglom data resident(x[0:all], y[0:all])
    { rounds(&u, times); }
  } else {
#ifdef OFFLOAD
#pragma omp target data map(tofrom : x[0 : all], y[0 : all]) map(to : start[0 : n + 1])
#endif
    rounds(&u, times);
  }
  units_print(&u, times, (WARM + u.rounds) % 2 ? u.y : u.x);
  return 0;
}
