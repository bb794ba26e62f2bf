// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a block under data the host writes, no update names that, and a unit uses it.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <string.h>
#pragma agglom task inout(x[0 : n])
void scale(int n, double *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}
#pragma agglom task out(x[0 : n])
void set(int n, double *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = i;
}
#pragma agglom task inout(x[0 : n]) device(cpu)
void on_host(int n, double *x) { x[n - 1] = 0; }

void one(int n, double *x) {
#pragma agglom data resident(x[0 : n])
  {
    scale(n, x);
#pragma agglom wait
    // expected-warning@+1 {{'x' is resident here and is written, and units of task 'scale' use it next; put '#pragma agglom update device(...)' behind this}}
    x[0] = 1;
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(n, x);
    scale(n, x);
  }
}
void next_turn(int n, double *x) {
#pragma agglom data resident(x[0 : n])
  {
    for (int i = 0; i < n; ++i) {
      // expected-note@+1 {{the task is called}}
      scale(n, x);
#pragma agglom wait
      x[i] = 4; // expected-warning {{'x' is resident here and is written, and units of task 'scale' use it next}}
    }
  }
}
void next_turn_told(int n, double *x) {
#pragma agglom data resident(x[0 : n])
  {
    for (int i = 0; i < n; ++i) {
      scale(n, x);
#pragma agglom wait
      x[i] = 4;
#pragma agglom update device(x[i:1])
    }
    for (int i = 0; i < n; ++i) {
      set(n, x);
#pragma agglom wait
      x[i] = 4;
    }
  }
}
void all(int n, double *x) {
#pragma agglom data resident(x[0 : n])
  {
    for (int s = 0; s < 3; ++s) {
#pragma agglom wait
      for (int i = 0; i < n; ++i)
        x[i] = s; // expected-warning {{'x' is resident here and is written, and units of task 'scale' use it next}}
      // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
      scale(n, x);
    }
  }
}
static void clear(double *x) { x[0] = 0; }
void by_function(void) {
  double x[100], y[10];
#pragma agglom data resident(x, y)
  {
    // expected-warning@+1 {{'x' is resident here and is written}}
    memset(x, 0, sizeof x);
    // expected-warning@+1 {{'y' is resident here and is written}}
    clear(y);
    // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
    scale(100, x);
    for (int i = 0; i < 10; ++i)
      // expected-note@+1 {{the task is called here, with inout(x[0 : n])}}
      scale(10, y);
  }
}

// What is right, or not sure.
void said(int n, double *x) {
#pragma agglom data resident(x[0 : n])
  {
    x[0] = 1;
#pragma agglom update device(x[0])
    scale(n, x);
#pragma agglom wait
    for (int i = 0; i < n; ++i)
      x[i] = 2;
    if (n) {
#pragma agglom update device(x[0 : n])
    }
    scale(n, x);
#pragma agglom wait
    x[1] = 3;
  }
  x[0] = 4;
  scale(n, x);
#pragma agglom wait
}
void elsewhere(void);
void not_sure(int n, double *x, int k) {
#pragma agglom data resident(x[0 : n])
  {
    x[k] = 1;
    scale(n, x);
#pragma agglom wait
    if (k)
      x[0] = 2;
    scale(n, x);
#pragma agglom wait
    x[0] = 3;
    elsewhere();
    scale(n, x);
#pragma agglom wait
    x[0] = 4;
    on_host(n, x);
#pragma agglom wait
    x[0] = 5;

    set(n, x);
#pragma agglom wait
  }
}
void another_part(double *x) {
#pragma agglom data resident(x[0 : 10])
  {
    x[10] = 1;
    scale(10, x + 10);
    scale(10, x);
#pragma agglom wait
    x[0] = 1;
    scale(4, x + 5);
    x = 0;
  }
}
