// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two loops that loops of this kind are judged by: a sparse matrix times a vector, whose rows are of
// different lengths, and all pairs of bodies. Built by agglomcc, or with -fopenmp for OpenMP. Prints, for
// each, the milliseconds of every execution but the first, and a checksum: loops spmv|nbody EXECUTIONS
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#define PARALLEL(sections) _Pragma("omp parallel for schedule(runtime)")
#else
#define STRING(text) #text
#define PRAGMA(text) _Pragma(STRING(text))
#define PARALLEL(sections) PRAGMA(agglom for sections schedule(runtime))
#endif

enum { ROWS = 200000, BODIES = 2000 };

static void spmv(int n, const int *start, const int *column, const double *value, const double *x,
                 double *y) {
  PARALLEL(in(start [i:2], column [start[i]:start[i + 1] - start[i]],
              value [start[i]:start[i + 1] - start[i]], x [0:n]) out(y[i]) cost(start[i + 1] - start[i]))
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

static void nbody(int n, const double *px, const double *py, const double *pz, double *ax, double *ay,
                  double *az) {
  PARALLEL(in(px [0:n], py [0:n], pz [0:n])out(ax[i], ay[i], az[i]) cost(n))
  for (int i = 0; i < n; ++i) {
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; ++j) {
      double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i];
      double r2 = dx * dx + dy * dy + dz * dz + 1e-9, s = 1 / (r2 * sqrt(r2));
      x += dx * s;
      y += dy * s;
      z += dz * s;
    }
    ax[i] = x;
    ay[i] = y;
    az[i] = z;
  }
}

static unsigned seed = 1;
static unsigned next(void) { return (seed = seed * 1664525 + 1013904223) >> 4; }

static void *room(size_t n, size_t size) {
  void *memory = calloc(n, size);
  if (!memory)
    exit(1);
  return memory;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int main(int argc, char **argv) {
  int executions = argc > 2 ? atoi(argv[2]) : 0;
  if (executions < 1)
    return 2;
  int *start = room(ROWS + 1, sizeof *start), entries = 0;
  for (int i = 0; i < ROWS; ++i) {
    start[i] = entries;
    entries += 4 + (int)(next() % 16);
  }
  start[ROWS] = entries;
  int *column = room((size_t)entries, sizeof *column);
  double *value = room((size_t)entries, sizeof *value), *x = room(ROWS, sizeof *x),
         *y = room(ROWS, sizeof *y);
  for (int k = 0; k < entries; ++k) {
    column[k] = (int)(next() % ROWS);
    value[k] = 1.0 / (1 + k % 7);
  }
  for (int i = 0; i < ROWS; ++i)
    x[i] = i % 13;
  double *body[6];
  for (int d = 0; d < 6; ++d) {
    body[d] = room(BODIES, sizeof *body[d]);
    for (int i = 0; i < BODIES; ++i)
      body[d][i] = next() * 1e-8;
  }
  int sparse = !strcmp(argv[1], "spmv");
  for (int e = 0; e <= executions; ++e) {
    double begin = now();
    if (sparse)
      spmv(ROWS, start, column, value, x, y);
    else
      nbody(BODIES, body[0], body[1], body[2], body[3], body[4], body[5]);
    if (e)
      printf("%.6f\n", now() - begin);
  }
  double sum = 0;
  for (int i = 0; i < (sparse ? ROWS : BODIES); ++i)
    sum += sparse ? y[i] : body[3][i];
  printf("sum %.17g\n", sum);
  return 0;
}
