// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler vectorises in a loop it vectorises in the function for its chunks, too: the same number of loops, as wide.
// (agglomcc's text has each loop twice for CPUs, in its place and as a chunk.)
// RUN: %clang -O3 -ffast-math -Wno-unknown-pragmas -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | grep -o 'vectorized loop.*' | sort > %t.serial
// RUN: %agglomcc -O3 -ffast-math -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | grep -o 'vectorized loop.*' | sort > %t.agglom
// RUN: cat %t.serial %t.serial | sort > %t.twice && grep -c . %t.serial && diff %t.twice %t.agglom
// RUN: test $(grep -c . %t.serial) -ge 5

void axpy(int n, float a, const float *x, float *y) {
#pragma agglom for in(x[i]) inout(y[i])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

void triad(long n, double a, double *x, const double *y, const double *z) {
#pragma agglom for in(y[i], z[i]) out(x[i])
  for (long i = 0; i < n; ++i)
    x[i] = y[i] + a * z[i];
}

double dot(int n, const double *a, const double *b) {
  double sum = 0;
#pragma agglom for in(a[i], b[i]) reduction(+: sum)
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

int most(int n, const int *a) {
  int m = a[0];
#pragma agglom for in(a[i]) reduction(max: m)
  for (int i = 0; i < n; ++i)
    m = a[i] > m ? a[i] : m;
  return m;
}

void dense(int n, const float *m, const float *x, float *y) {
#pragma agglom for in(m[(long)i * n:n]) in(x[0:n]) out(y[i])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += m[(long)i * n + k] * x[k];
    y[i] = sum;
  }
}

void jacobi(int n, const double *from, double *to) {
#pragma agglom for in(from[(i - 1) * n:3 * n]) out(to[i * n + 1:n - 2])
  for (int i = 1; i < n - 1; ++i)
    for (int k = 1; k < n - 1; ++k)
      to[(long)i * n + k] = 0.25 * (from[(long)(i - 1) * n + k] + from[(long)(i + 1) * n + k] + from[(long)i * n + k - 1] +
                                    from[(long)i * n + k + 1]);
}
