// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of tasks in several dimensions, with strides, of one element, and beside what can be inferred.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
enum { N = 16 };

#pragma agglom task inout(x[0:n][0:m - 1]) // expected-warning {{'x[0:n][0:m - 1]' leaves out memory that the task touches; write x[0:n][0:m]}}
void a_column(int n, int m, int x[n][m]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      x[i][j] += 1; // expected-note {{outside}}
}
#pragma agglom task inout(x[0:n - 1][0:N]) // expected-warning {{'x[0:n - 1][0:N]' leaves out memory that the task touches; write x[0:n]}}
void fixed(int n, int x[][N]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < N; ++j)
      x[i][j] += 1; // expected-note {{outside}}
}
#pragma agglom task inout(x[0:n]) // expected-warning {{'x[0:n]' leaves out memory that the task touches; }}
void in_front(int n, int *x) {
  x[-1] = 5; // expected-note {{outside}}
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
#pragma agglom task inout(x[1:n]) // expected-warning {{'x[1:n]' leaves out memory that the task touches; }}
void the_first(int n, int *x) {
  x[0] = 5; // expected-note {{outside}}
  for (int i = 1; i <= n; ++i)
    x[i] += 1;
}
#pragma agglom task in(k[0:1]) inout(x[0:n - 1]) // expected-warning {{'x[0:n - 1]' leaves out memory that the task touches; name all that it touches}}
void beside(int n, const int *k, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1; // expected-note {{outside}}
  x[k[0]] = 0;
}
#pragma agglom task inout(x[0:n - 1], y[0:n - 1], z[0:n - 1]) // expected-warning 3{{leaves out memory that the task touches; write}}
void other_loops(int n, int *x, int *y, int *z) {
  int i = 0, j = 0, k = 0;
  while (i < n)
    x[i++] = 1; // expected-note {{outside}}
  while (j < n) {
    y[j] = 1; // expected-note {{outside}}
    j++;
  }
  do
    z[k] = 1; // expected-note {{outside}}
  while (++k < n);
}
#pragma agglom task inout(x[0:n], y[0:n]) in(stop[0:n])
void ends_by_memory(int n, int *x, int *y, const int *stop) {
  int i = 0, j = 0;
  while (stop[i])
    x[++i] = 1;
  while (j < n && !stop[j])
    y[j++] = 1;
}
#pragma agglom task inout(x[0:n / 2:2]) in(y[0:n][0:m]) out(z[0:n][0:m])
void right(int n, int m, int *x, int y[n][m], int z[n][m]) {
  for (int i = 0; i < n / 2; ++i)
    x[2 * i] += 1;
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m - 1; ++j)
      z[i][j] = y[i][j - 1] + y[i][j + 1];
}
#pragma agglom task inout(x[r:b][c:b])
void tile(int n, int r, int c, int b, int x[n][n]) {
  for (int i = 0; i < b; ++i)
    for (int j = 0; j < b; ++j)
      x[r + i][c + j] += 1;
}
// Columns of rows whose length is a parameter.
// expected-warning@+1 {{'A[0:h][c:1]' leaves out memory that the task touches}}
#pragma agglom task inout(A[0:h][c:1])
void two_columns(int w, int A[][w], int h, int c) {
  for (int i = 0; i < h; ++i) {
    A[i][c] += 1;
    A[i][c + 1] += 1; // expected-note {{this access is outside of it}}
  }
}
#pragma agglom task inout(A[0:h][c:2])
void both_columns(int w, int A[][w], int h, int c) {
  for (int i = 0; i < h; ++i) {
    A[i][c] += 1;
    A[i][c + 1] += 1;
  }
}
