// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the head of a loop's body does to memory that units of the iteration before still use.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <stdlib.h>
struct job {
  int k, n;
  double *x;
};
#pragma agglom task in(j[0]) inout(j->x[0:j->n])
void work(struct job *j) {
  for (int i = 0; i < j->n; ++i)
    j->x[i] += j->k;
}
#pragma agglom task inout(x[0:n])
void f(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

void parameters_in_a_structure(struct job *j, int steps) {
  for (int t = 0; t < steps; ++t) {
    j->k = t; // expected-warning {{'j' is written here, and units of task 'work' may still have to read it; put '#pragma agglom wait' before this}}
    work(j);  // expected-note {{the task is called here, with in(j[0]), in the loop's iteration before}}
  }
#pragma agglom wait
}
void of_the_function(int n, double *x) {
  struct job j = {0, n, x};
  int t = 0;
  while (t < 10) {
    j.k = t++; // expected-warning {{'j' is written here}}
    work(&j);  // expected-note {{in the loop's iteration before}}
  }
#pragma agglom wait
}
void neighbours(int n, int m, double *x, double *sum) {
  for (int i = 1; i < m; i++) {
    *sum += x[(i - 1) * 4]; // expected-warning {{'x' is read here, and units of task 'f' may still have to write it}}
    f(4, &x[i * 4]);        // expected-note {{in the loop's iteration before}}
  }
#pragma agglom wait
}
void by_a_condition(double *x) {
  do
    f(10, x);         // expected-note {{the task is called here}}
  while (x[3] < 100); // expected-warning {{'x' is read here}}
#pragma agglom wait
}
void nested(int n, double *x) {
  for (int t = 0; t < n; ++t) {
    x[0] = t; // expected-warning {{'x' is written here}}
    for (int i = 0; i < n; i += 2)
      f(2, &x[i]); // expected-note {{in the loop's iteration before}}
  }
#pragma agglom wait
}
void downwards(int m, double *x) {
  for (int i = m - 1; i >= 0; --i) {
    x[4 * i + 4] = 1; // expected-warning {{'x' is written here}}
    f(4, &x[4 * i]);  // expected-note {{in the loop's iteration before}}
  }
#pragma agglom wait
}

// None of these surely meets a unit.
void right(int n, int m, double *x, struct job *j, double **rows) {
  for (int t = 0; t < n; ++t) {
    if (t == 0)
      x[0] = 1;
    f(n, x);
  }
#pragma agglom wait
  for (int t = 0; t < n; ++t) {
    j->k = t;
    work(j);
#pragma agglom wait
  }
  for (int t = 0; t < 1; ++t) {
    x[0] = t;
    f(n, x);
  }
#pragma agglom wait
  for (int i = 0; i < m; ++i) {
    x[i * 4] = i;
    f(4, &x[i * 4]);
  }
#pragma agglom wait
  for (int i = 0; i < m; ++i) {
    double *row = rows[i];
    row[0] = i;
    f(4, row);
  }
#pragma agglom wait
  double *p = x;
  for (int i = 0; i < m; ++i, p += 4) {
    p[0] = i;
    f(4, p);
  }
#pragma agglom wait
  for (;;) {
    x[0] = 1;
    f(4, x);
    if (n)
      break;
  }
#pragma agglom wait
  for (int i = 0; i < m; ++i) {
    double *own = malloc(32);
    own[0] = i;
    f(4, own);
#pragma agglom wait
    free(own);
  }
  for (int t = 0; t < n; ++t) {
    x[0] = t;
    f(4, x);
    if (t % 2) {
#pragma agglom wait
    }
  }
#pragma agglom wait
  for (int i = m - 1; i >= 0; --i) {
    x[4 * i] = 1;
    f(4, &x[4 * i]);
  }
#pragma agglom wait
}
double condition(int n, double *x) {
  f(4, x);
#pragma agglom wait
  while (x[0] > n) // expected-warning {{'x' is read here, and units of task 'f' may still have to write it; put '#pragma agglom wait' at the end of the loop's body}}
    f(4, x);       // expected-note {{in the loop's iteration before}}
  return 0;
}
