// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// '#pragma omp' and '#pragma agglom for' on one loop, in both orders: agglom has it, and OpenMP's is left out.
// RUN: %agglomcc -fopenmp -fsyntax-only -Xclang -verify -DBAD %s
// RUN: %agglomcc -fopenmp --emit-c %s -o %t.out && FileCheck %s < %t.out
// RUN: %agglomcc --emit-c %s -o %t.out && FileCheck %s --check-prefix=PLAIN < %t.out
// RUN: %agglomcc -fopenmp -c %s -o %t.o
// RUN: not %agglomcc -fopenmp -DBAD -c %s -o %t.o
// CHECK-NOT: #pragma omp
// CHECK: above__for
// CHECK-NOT: #pragma omp
// PLAIN: below__for

double sum(int n, const double *s, double *y) {
  double all = 0;
#pragma omp parallel for reduction(+ : all)
#pragma agglom for in(s[i]) out(y[i]) reduction(+ : all)
  for (int i = 0; i < n; ++i) {
    y[i] = s[i];
    all += s[i];
  }
  return all;
}

void above(int n, const double *s, double *y) {
#pragma omp parallel for simd schedule(static)
#pragma agglom for in(s[i]) out(y[i])
  for (int i = 0; i < n; ++i)
    y[i] = s[i];
}

void below(int n, const double *s, double *y) {
#pragma agglom for in(s[i]) out(y[i])
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    y[i] = s[i];
}

void below_simd(int n, const double *s, double *y) {
#pragma agglom for in(s[i]) out(y[i])
#pragma omp simd
  for (int i = 0; i < n; ++i)
    y[i] = s[i];
}

#ifdef BAD
void bad(int n, const double *s, double *y) {
#pragma omp parallel
  {
#pragma omp for // expected-error {{this OpenMP directive deals a loop out to threads that are there already}}
#pragma agglom for in(s[i]) out(y[i]) // expected-note {{the parallel loop is here}}
    for (int i = 0; i < n; ++i)
      y[i] = s[i];
  }
#pragma omp parallel
  {
#pragma agglom for in(s[i]) out(y[i]) // expected-note {{the parallel loop is here}}
#pragma omp for // expected-error {{this OpenMP directive deals a loop out to threads that are there already}}
    for (int i = 0; i < n; ++i)
      y[i] = s[i];
  }
#pragma omp parallel for collapse(2) // expected-note {{the OpenMP directive is here}}
  for (int j = 0; j < n; ++j)
#pragma agglom for in(s[i]) out(y[i]) // expected-error {{is one of those that an OpenMP directive collapses into one}}
    for (int i = 0; i < n; ++i)
      y[i] = s[i];
}
#endif
