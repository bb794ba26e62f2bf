/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs of the gpu-units benchmark share. N units, each with 16 to 240 doubles of its own in one long
 * array; a round is one unit each, which reads its part of one array and writes its part of another, WORK
 * multiplications and additions an element; then the arrays change places. The first rounds warm up. Prints
 * "MEDIAN FASTEST SLOWEST SUM": microseconds a round, and the sum over the last result. Header only: included once by
 * each program, C or CUDA. */
#ifndef AGGLOM_BENCH_GPU_UNITS_H
#define AGGLOM_BENCH_GPU_UNITS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM = 5, MOST_ROUNDS = 1000 };

struct units {
  int n, work, rounds;
  int *start; /* n + 1 offsets: unit u has the elements from start[u] to start[u + 1] */
  double *x, *y;
  const char *how; /* the rest of the command line, or "" */
};

static double units_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Returns false, having said why, where the command line or the memory does not do. */
static int units_read(int argc, char **argv, struct units *u) {
  u->n = argc > 1 ? atoi(argv[1]) : 0;
  u->work = argc > 2 ? atoi(argv[2]) : 0;
  u->rounds = argc > 3 ? atoi(argv[3]) : 0;
  u->how = argc > 4 ? argv[4] : "";
  if (u->n < 1 || u->work < 1 || u->rounds < 1 || u->rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: %s UNITS WORK ROUNDS [HOW]\n", argv[0]);
    return 0;
  }
  u->start = (int *)malloc(((size_t)u->n + 1) * sizeof *u->start);
  if (!u->start)
    return 0;
  unsigned seed = 12345;
  u->start[0] = 0;
  for (int i = 0; i < u->n; ++i) {
    seed = seed * 1664525U + 1013904223U;
    u->start[i + 1] = u->start[i] + 16 + (int)(seed >> 16) % 225;
  }
  size_t all = (size_t)u->start[u->n];
  u->x = (double *)malloc(all * sizeof *u->x);
  u->y = (double *)malloc(all * sizeof *u->y);
  if (!u->x || !u->y)
    return 0;
  for (size_t i = 0; i < all; ++i) {
    u->x[i] = (double)(i % 1000) * 1e-3;
    u->y[i] = 0;
  }
  return 1;
}

static int units_by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* To call after each round with its number, from 0, and the time at which it began. */
static void units_count(double *times, int round, double begin) {
  if (round >= WARM)
    times[round - WARM] = units_now() - begin;
}

/* `result` holds what the last round wrote. */
static void units_print(const struct units *u, double *times, const double *result) {
  double sum = 0;
  for (int i = 0; i < u->start[u->n]; ++i)
    sum += result[i];
  qsort(times, (size_t)u->rounds, sizeof *times, units_by_value);
  printf("%.3f %.3f %.3f %.12g\n", times[u->rounds / 2], times[0], times[u->rounds - 1], sum);
}

#endif /* AGGLOM_BENCH_GPU_UNITS_H */
