/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* scale MODE N: about N units of one form, with next to nothing to do; prints how many these were, the time of each
 * in ns, and the bytes of memory that each took at most. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long peak(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_maxrss * 1024;
}

static void *zeros(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p)
    exit(1);
  return memset(p, 0, bytes);
}

static unsigned next(unsigned *state) { return *state = *state * 1664525 + 1013904223; }

/* --- Forms of units ---------------------------------------------------------------------------------------- */

#pragma agglom task inout(x[i:1])
static void one(float *x, long i) { x[i] += 1; }

#pragma agglom task inout(a[at:b * b])
static void packed(double *a, long at, int b) { a[at] += 1; }

#pragma agglom task inout(a[r:b][c:b])
static void tile(int n, double a[n][n], int r, int c, int b) { a[r][c] += 1; }

#pragma agglom task in(from[top:rows][left:columns]) inout(to[r:b][c:b])
static void stencil(int n, double from[n][n], double to[n][n], int top, int rows, int left, int columns, int r, int c, int b) {
  to[r][c] += from[top][left];
}

#pragma agglom task inout(f[j:16:n])
static void column(double *f, long n, long j) { f[j] += 1; }

#pragma agglom task in(x[index[0:100]]) in(index[0:100]) inout(y[0:1])
static void gather(const float *x, const int *index, float *y) { y[0] += x[index[0]]; }

#pragma agglom task inout(x[index[0:100]]) in(index[0:100])
static void scatter(float *x, const int *index) { x[index[0]] += 1; }

#pragma agglom task device(cpu)
static void leaf(void) {}

#pragma agglom task device(cpu)
static void parent(void) {
  leaf();
#pragma agglom wait
}

#pragma agglom task device(cpu)
static void fan(int depth) {
  for (int i = 0; depth && i < 8; ++i)
    fan(depth - 1);
}

#pragma agglom task device(cpu)
static void deep(long depth) {
  if (depth)
    deep(depth - 1);
#pragma agglom wait
}

static void regions(float *x, long n) {
  if (!n)
    return;
#pragma agglom data resident(x[32 * n:16])
  {
    if (n % 16 == 0)
      one(x, 32 * n);
    regions(x, n - 1);
  }
}

/* --- Runs ---------------------------------------------------------------------------------------------------- */

/* Tiles of side b of an array of about n of them, in three steps. */
static long tiles(long n, int b, int form) {
  int per = 1;
  while ((long)per * per * 3 < n)
    ++per;
  int side = per * b;
  double *a = zeros(sizeof *a * (size_t)side * (size_t)side), *to = form == 2 ? zeros(sizeof *to * (size_t)side * (size_t)side) : a;
  for (int step = 0; step < 3; ++step) {
    for (int r = 0; r < side; r += b)
      for (int c = 0; c < side; c += b)
        if (form == 0) {
          packed(a, ((long)r / b * per + c / b) * b * b, b);
        } else if (form == 1) {
          tile(side, (void *)a, r, c, b);
        } else {
          int top = r ? r - 1 : 0, left = c ? c - 1 : 0;
          stencil(side, (void *)a, (void *)to, top, (r + b < side ? r + b + 1 : side) - top, left,
                  (c + b < side ? c + b + 1 : side) - left, r, c, b);
        }
    double *swap = a;
    a = to;
    to = swap;
  }
#pragma agglom wait
  return 3L * per * per;
}

static long run(const char *mode, long n) {
  unsigned random = 1;
  if (!strcmp(mode, "flat") || !strcmp(mode, "random")) {
    float *x = zeros(sizeof *x * (size_t)n);
    for (long i = 0; i < n; ++i)
      one(x, *mode == 'f' ? i : (long)(next(&random) % (unsigned)n));
#pragma agglom wait
  } else if (!strncmp(mode, "packed", 6)) {
    return tiles(n, atoi(mode + 6), 0);
  } else if (!strncmp(mode, "tile", 4)) {
    return tiles(n, atoi(mode + 4), 1);
  } else if (!strncmp(mode, "stencil", 7)) {
    return tiles(n, atoi(mode + 7), 2);
  } else if (!strcmp(mode, "columns")) {
    double *f = zeros(sizeof *f * (size_t)n * 16);
    for (long j = 0; j < n; ++j)
      column(f, n, j);
#pragma agglom wait
  } else if (!strcmp(mode, "gather") || !strcmp(mode, "scatter")) {
    float *x = zeros(sizeof *x * 1000000), *y = zeros(sizeof *y * (size_t)n);
    int *index = zeros(sizeof *index * (size_t)n * 100);
    for (long i = 0; i < 100 * n; ++i)
      index[i] = (int)(next(&random) % 1000000);
    for (long i = 0; i < n; ++i)
      if (*mode == 'g')
        gather(x, index + 100 * i, y + i);
      else
        scatter(x, index + 100 * i);
#pragma agglom wait
  } else if (!strcmp(mode, "parents")) {
    for (long i = 0; i < n / 2; ++i)
      parent();
#pragma agglom wait
  } else if (!strcmp(mode, "fan")) {
    int depth = 0;
    long units = 1;
    for (long level = 8; units < n; level *= 8, ++depth)
      units += level;
    fan(depth);
#pragma agglom wait
    return units;
  } else if (!strcmp(mode, "deep")) {
    deep(n);
#pragma agglom wait
  } else if (!strcmp(mode, "regions")) {
    regions(zeros(sizeof(float) * 32 * ((size_t)n + 1)), n);
#pragma agglom wait
  } else {
    fprintf(stderr, "scale: there is no form '%s'\n", mode);
    exit(1);
  }
  return n;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  one((float[]){0}, 0); /* the runtime has begun */
#pragma agglom wait
  long before = peak();
  double begin = now();
  long units = run(argv[1], atol(argv[2]));
  double ns = (now() - begin) / (double)units;
  printf("%ld %.2f %.1f\n", units, ns, (double)(peak() - before) / (double)units);
  return 0;
}
