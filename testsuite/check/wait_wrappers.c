// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units that a function of the same file has submitted, and left to its callers to wait for.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <stdio.h>
#include <stdlib.h>

static double all[100];

#pragma agglom task inout(x[0:n])
static void step(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
#pragma agglom task inout(all[0:100])
static void of_file(void) {
  for (int i = 0; i < 100; ++i)
    all[i] += 1;
}

static void twice(int n, double *x) {
  step(n, x); // expected-note 3{{the task is called here, with inout(x[0:n])}}
  step(n, x);
}
static int parts(int n, double *x, int k) {
  step(k, x + n); // expected-note {{the task is called here}} expected-note {{in the loop's iteration before}}
  return 0;
}
static void deeper(int n, double *x) { twice(n, x); }
static void file(void) { of_file(); } // expected-note {{the task is called here}}
static void then_more(int n, double *x) {
#pragma agglom wait
  step(n, x); // expected-note {{the task is called here}}
}
static void waits(int n, double *x) {
  step(n, x);
#pragma agglom wait
}
static void perhaps(int n, double *x) {
  if (n > 10)
    step(n, x);
}
static void early(int n, double *x) {
  if (n < 10)
    return;
  step(n, x);
}
static void elsewhere(int n, double *x) {
  x = malloc(n * sizeof *x);
  step(n, x);
}
static void loops(int n, double *x) {
#pragma agglom for inout(x[i]) nowait // expected-note {{the loop is here}}
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
static double total(int n, const double *x) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}

double wrong(int n, double *x, double *y, double *z, double *u) {
  twice(n, x);
  double s = total(n, x); // expected-warning {{'x' is read here, and units of task 'step' may still have to write it; put '#pragma agglom wait' before this}}
  deeper(n, y);
  free(y); // expected-warning {{'y' is freed here}}
  parts(4, z, n);
  s += z[4]; // expected-warning {{'z' is read here}}
  file();
  s += all[3]; // expected-warning {{'all' is read here}}
  then_more(n, u);
  s += u[0]; // expected-warning {{'u' is read here}}
  loops(n, u);
  s += u[0]; // expected-warning {{'u' is read here}}
  for (int i = 1; i < n; ++i) {
    z[8 * i - 8] = 0; // expected-warning {{'z' is written here}}
    parts(8 * i, z, 8);
  }
#pragma agglom wait
  return s;
}
void local(void) {
  double a[4] = {0};
  twice(4, a);
} // expected-warning {{the memory of 'a' ends here, and units of task 'step' may still have to write it}}

double right(int n, double *x) {
  waits(n, x);
  double s = x[0];
  perhaps(n, x);
  s += x[0];
  early(n, x);
  s += x[0];
  elsewhere(n, x);
  s += x[0];
#pragma agglom wait
  parts(4, x, 4);
  s += x[3] + x[8];
  twice(n, x);
#pragma agglom wait
  return s + total(n, x);
}
