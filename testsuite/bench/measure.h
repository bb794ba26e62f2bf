/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What programs share that measure loops of agglom beside those of OpenMP and without pragmas. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <time.h>

/* LOOP("agglom for ...", "omp parallel for ..."): the pragma of the compiler at hand. */
#if defined AGGLOM
#define LOOP(AGGLOM, OPENMP) _Pragma(AGGLOM)
#elif defined _OPENMP
#define LOOP(AGGLOM, OPENMP) _Pragma(OPENMP)
#else
#define LOOP(AGGLOM, OPENMP)
#endif

/* Nanoseconds. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* For qsort(). */
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

#endif /* BENCH_MEASURE_H */
