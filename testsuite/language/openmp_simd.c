// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenMP's directives inside tasks, in the functions that they call and in loops: device code leaves them out, and host code has them.
// RUN: %agglomcc -fopenmp-simd %s -o %t.exe && %run-emulated %t.exe | FileCheck %s
// RUN: %agglomcc -fopenmp -fsyntax-only -Werror %s
// RUN: %agglomcc -fopenmp --emit-cuda %s -o %t.cu && FileCheck %s --check-prefix=DEVICE < %t.cu
// RUN: %agglomcc -fopenmp --emit-c %s -o %t.i && FileCheck %s --check-prefix=HOST < %t.i
// RUN: %agglomcc %s -o %t.exe && %run-emulated %t.exe | FileCheck %s
// RUN: %agglomcc -fagglom-host-compiler=gcc -fopenmp-simd %s -o %t.exe && %run-emulated %t.exe | FileCheck %s
// RUN: not %agglomcc -fopenmp -fsyntax-only -DBAD %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not %agglomcc -fsyntax-only -DBAD %s 2>&1 | FileCheck %s --check-prefix=BAD
// DEVICE: weights
// HOST: #pragma omp simd reduction(+: t)
#include <stdio.h>

enum { N = 64, M = 16 };
static double weights[M];
static double x[N * M], y[N], z[N];

static double dot(const double *a, const double *b, int n) {
  double t = 0;
#pragma omp simd reduction(+: t) aligned(a, b : 8)
  for (int j = 0; j < n; ++j)
    t += a[j] * b[j];
  return t;
}

#pragma agglom task in(a[0:M], weights) out(sum[0:1])
static void weighted(const double *a, double *sum) {
  double t = 0;
#pragma omp simd reduction(+: t)
  for (int j = 0; j < M; ++j)
    t += a[j] * weights[j];
#pragma omp simd simdlen(4)
  for (int j = 0; j < M; ++j) {
#pragma omp ordered simd
    t += weights[j];
  }
  sum[0] = t + dot(a, weights, M);
}

#ifdef BAD
// BAD: [[@LINE+5]]:5: error: 'weights' is a variable outside the task and not const
#pragma agglom task in(a[0:M]) out(sum[0:1])
void bad(const double *a, double *sum) {
#pragma omp simd
  for (int j = 0; j < M; ++j)
    weights[j] = a[j];
  sum[0] = 0;
}
#endif

int main(void) {
  for (int j = 0; j < M; ++j)
    weights[j] = j;
#pragma omp simd
  for (int k = 0; k < N * M; ++k)
    x[k] = k % 7;
  for (int i = 0; i < N; ++i)
    weighted(&x[i * M], &y[i]);
#pragma agglom for in(x[i * M : M], weights) out(z[i])
  for (int i = 0; i < N; ++i) {
    double t = 0;
#pragma omp simd reduction(+: t) collapse(2)
    for (int j = 0; j < M; ++j)
      for (int k = 0; k < 2; ++k)
        t += x[i * M + j] * weights[j];
    z[i] = t;
  }
#pragma agglom wait
  double sum = 0;
  int wrong = 0;
  for (int i = 0; i < N; ++i) {
    double t = 0, w = 0;
    for (int j = 0; j < M; ++j)
      t += 2 * x[i * M + j] * weights[j], w += weights[j];
    wrong += y[i] != t + w || z[i] != t;
    sum += t;
  }
  // CHECK: 0 wrong, 46048
  printf("%d wrong, %g\n", wrong, sum);
  return 0;
}
