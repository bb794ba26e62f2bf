// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that name much more than the task touches, and tasks with little work for long sections.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-sections -Wno-agglom-work %s 2>&1 | count 0
// RUN: not %agglomcc -fsyntax-only -Wno-agglom-sections -Werror=agglom-work %s 2> /dev/null
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null && grep '^#pragma agglom task' %t.c | FileCheck %s --check-prefix=FIXED
// RUN: not %agglomcc -fsyntax-only -Werror %t.c 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: error: task 'count' does
// LEFT: 1 error generated
#include <string.h>

// FIXED: {{^}}#pragma agglom task inout(x[k:1]){{$}}
// expected-warning@+1 {{task 'one' does the same little work however long 'x[0 : n]' is, so moving that takes longer than the work; write x[k:1]}}
#pragma agglom task inout(x[0 : n])
void one(int n, double *x, int k) { x[k] = n; }
// FIXED-NEXT: {{^}}#pragma agglom task in(x[0:20]) out(s[0 : 1])
// expected-warning@+1 {{'x[0 : 100]' names much more memory than the task touches; write x[0:20], and the rest is neither moved nor ordered}}
#pragma agglom task in(x[0 : 100]) out(s[0 : 1])
void constants(const double *x, double *s) {
  double t = 0;
  for (int i = 0; i < 20; i++)
    t += x[i];
  *s = t;
}
// FIXED-NEXT: {{^}}#pragma agglom task inout(x[0:n])
// expected-warning@+1 {{'x[n : 3 * n]' leaves out memory that the task touches; write x[0:n]}}
#pragma agglom task inout(x[n : 3 * n])
void thrice(unsigned n, double *x) {
  for (unsigned i = 0; i < n; i++)
    x[i] *= 2; // expected-note {{this access is outside of it}}
}

// FIXED-NEXT: {{^}}#pragma agglom task inout(h[0 : n]) in(key[0 : 1])
// expected-warning@+1 {{task 'count' does the same little work however long 'h[0 : n]' is, so moving that takes longer than the work; name only what the task touches, or give it more to do}}
#pragma agglom task inout(h[0 : n]) in(key[0 : 1])
void count(int n, int *h, const int *key) { h[*key % n]++; }

// FIXED-NEXT: {{^}}#pragma agglom task out(x[0:1])
// expected-warning@+1 {{'x[0 : n]' names much more memory than the task touches; write x[0:1]}}
#pragma agglom task out(x[0 : n])
void much_work(int n, double *x) {
  double s = 0;
  for (int i = 1; i < n; i++)
    s += 1. / i;
  x[0] = s;
}

// Fine: borders, other tasks' alignment, what is not known, tables, and work that is elsewhere.
#pragma agglom task in(tile[0 : 18 * 18]) out(sharp[0 : 16 * 16])
void border(const float *tile, float *sharp) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      sharp[16 * i + j] = tile[18 * (i + 1) + j + 1];
}
#pragma agglom task out(x[0 : 8])
void few(int *x) { x[1] = 0; }
#pragma agglom task inout(x[0 : n * m])
void rows(int n, int m, double *x) {
  for (int i = 0; i < n; i++)
    x[i] *= m;
}
#pragma agglom task inout(x[0 : n + 1])
void longer(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] *= 2;
}
#pragma agglom task in(table[0 : n]) out(y[0 : 1])
void look_up(int n, const double *table, int key, double *y) { y[0] = table[key * 17 % n]; }
static void all(int n, int *x, int k) {
  while (n-- > 0)
    x[(n * k) % 8] = 0;
}
#pragma agglom task inout(x[0 : n])
void in_a_function(int n, int *x, int k) { all(n, x, k); }
#pragma agglom task inout(x[0 : n])
void in_the_library(int n, int *x, int k) {
  memset(x, 0, n);
  x[k % n] = 1;
}
