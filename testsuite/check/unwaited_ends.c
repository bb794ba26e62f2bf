// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that nobody waits for, memory that ends while units use it, and blocks under data.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null && %agglomcc -fsyntax-only %t.c 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: grep -A1 "^#pragma agglom wait" %t.c | FileCheck %s --check-prefix=FIXED
// FIXED: {{^}}    if (k == 3)
// FIXED: {{^}}    if (k == 3)
// FIXED: {{^}}    if (n)
// LEFT: warning: 'x' is resident here
// LEFT: 1 warning generated
#include <stdio.h>
#include <stdlib.h>
#pragma agglom task inout(x[0 : n])
void scale(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}
void leaves_block(int n) {
  for (int k = 0; k < n; ++k) {
    double t[4] = {0};
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
  // expected-warning@+1 {{the memory of 't' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
  }
}
double leaves_function(int n) {
  double t[4] = {0};
  // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
  scale(4, t);
  // expected-warning@+1 {{the memory of 't' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
  return n;
}
void leaves_end(int n) {
  double t[4] = {0};
  // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
  scale(4, t);
  n++;
// expected-warning@+1 {{the memory of 't' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
}
// expected-warning@+2 {{the memory of 'n' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
// expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
void leaves_param(double n) { scale(1, &n); }
void perhaps(int n) {
  double t[4] = {0};
  if (n > 3)
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
// expected-warning@+1 {{the memory of 't' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
}
void leaves_by_break(int n) {
  for (int k = 0; k < n; ++k) {
    double t[4] = {0};
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
    if (k == 3)
      // expected-warning@+1 {{the memory of 't' ends here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
      break;
#pragma agglom wait
  }
}
void leaves_by_continue(int n) {
  for (int k = 0; k < n; ++k) {
    double t[4] = {0};
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
    if (k == 3)
      // expected-warning@+1 {{the memory of 't' ends here}}
      continue;
#pragma agglom wait
  }
}
void leaves_by_goto(int n) {
  {
    double t[4] = {0};
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
    if (n)
      // expected-warning@+1 {{the memory of 't' ends here}}
      goto out;
#pragma agglom wait
  }
out:
#pragma agglom wait
  return;
}
void leaves_switch(int n) {
  switch (n) {
  case 1: {
    double t[4] = {0};
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(4, t);
    // expected-warning@+1 {{the memory of 't' ends here}}
    break;
  }
  }
#pragma agglom wait
}
void stays(int n) {
  double t[4] = {0};
  for (int k = 0; k < n; ++k) {
    switch (k) {
    case 1:
      scale(4, t);
      break;
    }
    if (k == 7)
      continue;
    if (k == 9)
      break;
    if (k == 11)
      goto on;
  }
on:
#pragma agglom wait
  return;
}
double nowait(int n, double *x) {
// expected-note@+1 {{the loop is here, with out(x[i])}}
#pragma agglom for out(x[i]) nowait
  for (int i = 0; i < n; ++i)
    x[i] = i;
  // expected-warning@+1 {{'x' is read here, and units of the loop may still have to write it; put '#pragma agglom wait' before this}}
  return x[0];
}
double nowait_off(int n, double *x) {
// expected-note@+1 {{the loop is here, with out(x[i + 1])}}
#pragma agglom for out(x[i + 1]) nowait
  for (int i = 0; i < n; ++i)
    x[i + 1] = i;
  // expected-warning@+1 {{'x' is read here, and units of the loop may still have to write it; put '#pragma agglom wait' before this}}
  return x[1];
}
void nowait_array(int k) {
  double t[100];
// expected-note@+1 {{the loop is here, with out(t[i])}}
#pragma agglom for out(t[i]) nowait
  for (int i = 0; i < 100; ++i)
    t[i] = i;
  // expected-warning@+1 {{'t' is read here, and units of the loop may still have to write it; put '#pragma agglom wait' before this}}
  printf("%g\n", t[k]);
}
void nowait_leaves(int k) {
  double t[100];
// expected-note@+1 {{the loop is here, with out(t[i])}}
#pragma agglom for out(t[i]) nowait
  for (int i = 0; i < 50; ++i)
    t[i] = i;
// expected-warning@+1 {{the memory of 't' ends here, and units of the loop may still have to write it; put '#pragma agglom wait' before this}}
}
double in_data(int n, double *x, double *y) {
  double s = 0;
#pragma agglom data resident(x[0:n])
  {
    scale(n, x);
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(n, y);
    // expected-warning@+1 {{'y' is read here, and units of task 'scale' may still have to write it; put '#pragma agglom wait' before this}}
    s += y[0];
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(n, x);
    // expected-warning@+1 {{'x' is resident here and is read, and units of task 'scale' may still have to write it; put '#pragma agglom update host(...)' before this}}
    s += x[0];
  }
  return s;
}
// Waited for, not local, not surely the same memory, or only read.
double g1(int n, double *x) {
#pragma agglom for out(x[i]) nowait
  for (int i = 0; i < n; ++i)
    x[i] = i;
#pragma agglom wait
  return x[0];
}
double g2(int n, double *x) {
#pragma agglom for out(x[i + 1]) nowait
  for (int i = 0; i < n; ++i)
    x[i + 1] = i;
  return x[0];
}
double g3(int n, double *x) {
#pragma agglom for out(x[i])
  for (int i = 0; i < n; ++i)
    x[i] = i;
  return x[0];
}
void g4(int n) {
  static double t[4];
  double *u = malloc(32);
  scale(4, t);
  scale(4, u);
}
void elsewhere(void);
void g5(int n) {
  double t[4] = {0};
  scale(4, t);
  elsewhere();
}
double g6(int n, double *x) {
  double t[4] = {0};
#pragma agglom data resident(t)
  {
    scale(4, t);
    if (n)
      return 1;
#pragma agglom update host(t)
    x[0] = t[0];
  }
  return t[0];
}
double g7(int n, double *x) {
#pragma agglom for out(x[i]) nowait
  for (int i = 1; i < n; ++i)
    x[i] = i;
  return x[0];
}
double g8(int n, double *x, double *y) {
#pragma agglom for in(x[i]) out(y[i]) nowait
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  return x[0];
}
