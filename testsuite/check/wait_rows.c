// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that loops in loops use, by rows, through pointers that are given a value once, and behind pointers in memory.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <stdio.h>
#include <stdlib.h>
#pragma agglom task inout(x[0:n])
void f(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

double products(int n, double *x) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      f(1, &x[i * n + j]); // expected-note {{the task is called here}}
  return x[0];             // expected-warning {{'x' is read here, and units of task 'f' may still have to write it}}
}
void squares(int n, double *x) {
  f(n * n, x); // expected-note {{the task is called here}}
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      printf("%g", x[i * n + j]); // expected-warning {{'x' is read here}}
}
void rows(int n, int m, double *x) {
  for (int i = 0; i < n; ++i)
    f(m, x + i * m); // expected-note {{the task is called here}}
  x[n * m - 1] = 1;  // expected-warning {{'x' is written here}}
}
void variable_rows(int n, int m, double (*x)[m]) {
  for (int i = 0; i < n; ++i)
    f(m, x[i]); // expected-note {{the task is called here}}
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      printf("%g", x[i][j]); // expected-warning {{'x' is read here}}
}
double pointers_to_rows(int n, double **x) {
  for (int i = 0; i < n; ++i)
    f(n, x[i]);   // expected-note {{the task is called here}}
  return x[0][0]; // expected-warning {{'x' is read here}}
}
void each_row(int n, double **x) {
  for (int i = 0; i < n; ++i)
    f(n, x[i]); // expected-note {{the task is called here}}
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      printf("%g", x[i][j]); // expected-warning {{'x' is read here}}
}
void row_before(int n, double **x) {
  for (int i = 1; i < n; ++i) {
    x[i - 1][0] = 1; // expected-warning {{'x' is written here}}
    f(n, x[i]);      // expected-note {{in the loop's iteration before}}
  }
#pragma agglom wait
}
double other_name(int n, double *x) {
  double *y = x;
  f(n, y);     // expected-note {{the task is called here}}
  return x[0]; // expected-warning {{'x' is read here}}
}
void row_names(int n, int m, double *x) {
  for (int i = 0; i < n; ++i) {
    double *row = x + i * m;
    f(m, row);  // expected-note {{the task is called here}}
    row[0] = 0; // expected-warning {{'x' is written here}}
  }
#pragma agglom wait
}
int of_an_array(void) {
  double t[16], *second = t + 8;
  f(8, second); // expected-note {{the task is called here}}
  return 1;     // expected-warning {{the memory of 't' ends here, and units of task 'f' may still have to write it}}
}

// None of these surely meets a unit.
double other_rows(int n, int m, double *x, double (*y)[m], double **z) {
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      f(1, &x[i * n + j]);
    f(m, y[i]);
    f(n, z[i]);
    f(1, &z[0][i]);
  }
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      continue;
    f(m, z[i + 1]);
  }
  return x[0] + y[0][m - 1] + z[0][0];
}
void behind(int n, double *x) {
  f(n, x);
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x[i * n + j] = 0;
  double *end = x + n;
  end[0] = 1;
}
void before_the_call(int n, int m, double *x, double **z) {
  for (int i = 0; i < n; ++i) {
    double *row = x + i * m, *next = row + m;
    row[0] = 1;
    next[m - 1] = 0;
    f(m, row);
    z[i][0] = 1;
    f(n, z[i]);
  }
}
double moved(int n, double *x, double *y, double **z) {
  double *a = x, *b = y;
  a = malloc(8);
  f(n, a);
  y = x;
  f(n, b);
  double *c = x;
  __asm__("" : "+r"(c));
  f(n, c);
  return x[0] + y[0];
}
double put_aside(int n, double **z, double **others) {
  f(n, z[1]);
  others[1] = others[0];
  double s = z[1][0];
  for (int i = 0; i < n; ++i) {
    f(n, z[i]);
    z[i] = malloc(8);
    z[i][0] = 1;
  }
  return s;
}
double diagonal(int n, double **z) {
  for (int i = 0; i < n; ++i)
    f(1, &z[i][i]);
  return z[0][1];
}
