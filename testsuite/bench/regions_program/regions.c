/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a parallel loop costs beyond its work, for testsuite/bench/regions: KIND NS THREADS prints the nanoseconds that a loop
 * whose iterations take NS each takes longer than the iterations of one of its THREADS. The method, a known delay that is taken
 * off, is that of the EPCC OpenMP microbenchmarks (Bull, 1999). The same text is OpenMP's and agglom's. */
#include "../measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 128, ROWS = 16, GROUPS = 15, MOST_THREADS = 256 };

static float delay(long length) {
  float a = 0;
  for (long i = 0; i < length; ++i)
    a += (float)i;
  return a;
}

static void plain(int n, long length, float *y) {
  LOOP("agglom for out(y[i])", "omp parallel for")
  for (int i = 0; i < n; ++i)
    y[i] = delay(length);
}

static float reduction(int n, long length) {
  float sum = 0;
  LOOP("agglom for reduction(+: sum)", "omp parallel for reduction(+: sum)")
  for (int i = 0; i < n; ++i)
    sum += delay(length);
  return sum;
}

/* A loop of each length up to n times ROWS. */
static void nested(int n, long length, float *y) {
  for (int row = 1; row <= ROWS; ++row) {
    LOOP("agglom for out(y[i])", "omp parallel for")
    for (int i = 0; i < n * row; ++i)
      y[i] = delay(length);
  }
}

static void dealt(int n, long length, float *y) {
  LOOP("agglom for out(y[i]) schedule(runtime)", "omp parallel for schedule(runtime)")
  for (int i = 0; i < n; ++i)
    y[i] = delay(length);
}

/* Returns the iterations of one thread. */
static double run(const char *kind, int threads, long length, float *y) {
  if (!strcmp(kind, "for")) {
    plain(threads, length, y);
    return 1;
  }
  if (!strcmp(kind, "reduction")) {
    y[0] = reduction(threads, length);
    return 1;
  }
  if (!strcmp(kind, "nested")) {
    nested(threads, length, y);
    return ROWS * (ROWS + 1) / 2.0;
  }
  dealt(threads * EACH, length, y);
  return EACH;
}

/* The nanoseconds of a delay: the least of some groups. */
static double measure(long length, volatile float *to) {
  double least = 1e18;
  for (int g = 0; g < GROUPS; ++g) {
    double begin = now();
    for (int k = 0; k < 200; ++k)
      *to = delay(length);
    double ns = (now() - begin) / 200;
    least = ns < least ? ns : least;
  }
  return least;
}

int main(int argc, char **argv) {
  static float y[MOST_THREADS * EACH];
  volatile float sink;
  int threads = argc > 3 ? atoi(argv[3]) : 0;
  if (threads < 1 || threads > MOST_THREADS)
    return 2;
  double wanted = atof(argv[2]);
  long length = (long)(wanted / measure(10000, &sink) * 10000) + 1;
  double each = measure(length, &sink), ns[GROUPS];
  for (int k = 0; k < 50; ++k)
    run(argv[1], threads, length, y);
  double begin = now(), work = each * run(argv[1], threads, length, y);
  long executions = (long)(4e6 / (now() - begin + 100)) + 1;
  for (int g = 0; g < GROUPS; ++g) {
    begin = now();
    for (long k = 0; k < executions; ++k)
      run(argv[1], threads, length, y);
    ns[g] = (now() - begin) / (double)executions - work;
  }
  qsort(ns, GROUPS, sizeof *ns, by_value);
  printf("%.1f %g\n", ns[GROUPS / 2] / (!strcmp(argv[1], "nested") ? ROWS : 1), (double)(y[0] + sink));
  return 0;
}
