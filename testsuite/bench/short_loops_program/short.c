/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short loops, for testsuite/bench/short-loops: KIND N prints the nanoseconds of an execution, the median of some groups of
 * executions, and a checksum. The same text is serial, OpenMP's and agglom's. */
#include "../measure.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEVEN = 7, BINS = 64 };

struct data {
  int n, side;
  float *x, *y, *z;
  double *a, *b;
  int *row, *column, *keys;
  long bins[BINS];
};

static void axpy(int n, float a, const float *x, float *y) {
  LOOP("agglom for schedule(runtime) in(x[i]) inout(y[i])", "omp parallel for schedule(runtime)")
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

static void triad(int n, float a, float *x, const float *y, const float *z) {
  LOOP("agglom for schedule(runtime) in(y[i]) in(z[i]) out(x[i])", "omp parallel for schedule(runtime)")
  for (int i = 0; i < n; ++i)
    x[i] = y[i] + a * z[i];
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  LOOP("agglom for schedule(runtime) in(a[i]) in(b[i]) reduction(+: sum)", "omp parallel for schedule(runtime) reduction(+: sum)")
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/* Rows of 1 to 7 elements near the diagonal. */
static void csr(int n, const int *row, const int *column, const double *value, const float *x, float *y) {
  LOOP("agglom for schedule(runtime) in(row[i:2]) in(column[row[i]:row[i + 1] - row[i]]) in(value[row[i]:row[i + 1] - row[i]]) in(x[0:n]) out(y[i])",
       "omp parallel for schedule(runtime)")
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; ++k)
      sum += value[k] * x[column[k]];
    y[i] = (float)sum;
  }
}

static void dense(int side, const double *m, const float *x, float *y) {
  LOOP("agglom for schedule(runtime) in(m[i * side:side]) in(x[0:side]) out(y[i])", "omp parallel for schedule(runtime)")
  for (int i = 0; i < side; ++i) {
    double sum = 0;
    for (int k = 0; k < side; ++k)
      sum += m[(long)i * side + k] * x[k];
    y[i] = (float)sum;
  }
}

static void jacobi(int side, const double *from, double *to) {
  LOOP("agglom for schedule(runtime) in(from[(i - 1) * side:3 * side]) out(to[i * side + 1:side - 2])", "omp parallel for schedule(runtime)")
  for (int i = 1; i < side - 1; ++i)
    for (int k = 1; k < side - 1; ++k)
      to[(long)i * side + k] = 0.25 * (from[(long)(i - 1) * side + k] + from[(long)(i + 1) * side + k] + from[(long)i * side + k - 1] +
                                       from[(long)i * side + k + 1]);
}

static void histogram(int n, const int *keys, long *bins) {
  LOOP("agglom for schedule(runtime) in(keys[i]) accumulate(+: bins[0:64])", "omp parallel for schedule(runtime) reduction(+: bins[0:64])")
  for (int i = 0; i < n; ++i)
    bins[keys[i]] += 1;
}

static void *fresh(size_t bytes) {
  void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!p)
    exit(1);
  return memset(p, 0, bytes);
}

static struct data make(int n) {
  struct data d = {.n = n};
  while ((long)(d.side + 1) * (d.side + 1) <= n)
    ++d.side;
  d.x = fresh(sizeof(float) * (size_t)n);
  d.y = fresh(sizeof(float) * (size_t)n);
  d.z = fresh(sizeof(float) * (size_t)n);
  d.a = fresh(sizeof(double) * (size_t)n * SEVEN);
  d.b = fresh(sizeof(double) * (size_t)n);
  d.row = fresh(sizeof(int) * (size_t)(n + 1));
  d.column = fresh(sizeof(int) * (size_t)n * SEVEN);
  d.keys = fresh(sizeof(int) * (size_t)n);
  unsigned random = 1;
  for (int i = 0; i < n; ++i) {
    random = random * 1103515245u + 12345;
    d.x[i] = (float)(i % 11);
    d.y[i] = (float)(i % 7);
    d.z[i] = (float)(i % 5);
    d.b[i] = i % 3;
    d.keys[i] = (int)(random >> 16) % BINS;
    d.row[i + 1] = d.row[i] + 1 + (int)(random >> 16) % SEVEN;
    for (int k = d.row[i]; k < d.row[i + 1]; ++k)
      d.column[k] = (int)((unsigned)(i + k) % (unsigned)n);
  }
  for (long k = 0; k < (long)n * SEVEN; ++k)
    d.a[k] = (double)(k % 13);
  return d;
}

static double run(const char *kind, struct data *d) {
  if (!strcmp(kind, "axpy"))
    axpy(d->n, 1e-6f, d->x, d->y);
  else if (!strcmp(kind, "triad"))
    triad(d->n, 0.5f, d->x, d->y, d->z);
  else if (!strcmp(kind, "dot"))
    return dot(d->n, d->a, d->b);
  else if (!strcmp(kind, "csr"))
    csr(d->n, d->row, d->column, d->a, d->x, d->y);
  else if (!strcmp(kind, "dense"))
    dense(d->side, d->a, d->x, d->y);
  else if (!strcmp(kind, "jacobi"))
    jacobi(d->side, d->a, d->b);
  else if (!strcmp(kind, "histogram"))
    histogram(d->n, d->keys, d->bins);
  else
    exit(2);
  return 0;
}

int main(int argc, char **argv) {
  enum { GROUPS = 9 };
  if (argc < 3)
    return 2;
  struct data d = make(atoi(argv[2]));
  double ns[GROUPS], sum = 0, once;
  for (int k = 0; k < 30; ++k) /* what is known of a loop, and the caches, settle */
    sum += run(argv[1], &d);
  once = now();
  sum += run(argv[1], &d);
  once = now() - once;
  long executions = (long)(4e6 / (once + 100)) + 1;
  for (int g = 0; g < GROUPS; ++g) {
    double begin = now();
    for (long k = 0; k < executions; ++k)
      sum += run(argv[1], &d);
    ns[g] = (now() - begin) / (double)executions;
  }
  qsort(ns, GROUPS, sizeof *ns, by_value);
  for (int i = 0; i < d.n; i += 1 + d.n / 100)
    sum += d.x[i] + d.y[i] + d.b[i];
  printf("%.1f %.6g\n", ns[GROUPS / 2], sum);
  return 0;
}
