// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependences between iterations through arrays of arrays, flat ones, and loops in the loop.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
enum { N = 64 };

#pragma agglom task inout(A[0:n][0:n], a[0:n * n]) accumulate(+: y[0:n]) inout(z[0:n])
void carried(int n, double A[n][n], double *a, double *y, double *z) {
  // expected-warning@+1 {{different ones use the same element of 'A'}}
#pragma agglom loop
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      A[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4; // expected-note {{written}} expected-note {{read}}
  // expected-warning@+1 {{different ones use the same element of 'A'}}
#pragma agglom loop
  for (int i = 1; i < n; ++i)
    A[i][3] += A[i - 1][3]; // expected-note {{written}} expected-note {{read}}
  // expected-warning@+1 {{different ones use the same element of 'A'}}
#pragma agglom loop
  for (int i = 1; i < n; ++i)
    A[3][i] += A[3][i - 1]; // expected-note {{written}} expected-note {{read}}
  // expected-warning@+1 {{different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i * n + j] = a[(i - 1) * n + j]; // expected-note {{written}} expected-note {{read}}
  // expected-warning@+1 {{different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 2; i < N; i += 2)
    for (int j = 0; j < N; ++j)
      a[i * N + j] = a[(i - 2) * N + j]; // expected-note {{written}} expected-note {{read}}
  // expected-warning@+1 {{different ones use the same element of 'z'}}
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      z[j] += A[i][j]; // expected-note {{written}}
      y[j] += A[i][j]; // accumulated
    }
}

#pragma agglom task in(B[0:n][0:n], p[0:n]) inout(A[0:n][0:n], a[0:n * n])
void right(int n, int k, const double B[n][n], double A[n][n], double *a, const int *p) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < n; ++j)
      A[i][j] += A[i][j - 1] + B[j][i];
#pragma agglom loop
  for (int j = 0; j < n; ++j)
    A[k][j] = A[k - 1][j] * A[k][j];
#pragma agglom loop
  for (int i = 1; i < n; i += 2)
    for (int j = 0; j < n; ++j)
      A[i][j] = A[i - 1][j];
  // Red and black: other steps in each row.
#pragma agglom loop
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1 + (i + k) % 2; j < n - 1; j += 2)
      A[i][j] = (A[i - 1][j] + A[i + 1][j]) / 2;
  // The halves of the rows: one is written, the other one is read.
  int j;
#pragma agglom loop private(j)
  for (int i = 1; i < n; ++i) {
    for (j = 0; j < n / 2; ++j)
      A[i][j] = 1;
    for (j = n / 2; j < n; ++j)
      a[i * n + j] = A[i - 1][j];
  }
#pragma agglom loop
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (p[i] != p[i - 1])
        A[i][j] = A[i - 1][j];
#pragma agglom loop
  for (int i = 1; i < n; ++i) {
    double row[N];
    for (int j = 0; j < N; ++j)
      row[j] = i;
    a[i] = row[3];
  }
}

void loops(double A[N][N]) {
  // expected-warning@+1 {{different ones use the same element of 'A'}}
#pragma agglom for inout(A[i - 1:3][0:N])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      A[i][j] = (A[i - 1][j] + A[i + 1][j]) / 2; // expected-note {{written}} expected-note {{read}}
}
