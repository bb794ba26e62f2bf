// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warnings about clauses that are legal and surely not meant.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom %s 2>&1 | count 0
// RUN: %agglomcc -fsyntax-only -w %s 2>&1 | count 0
// RUN: not %agglomcc -fsyntax-only -Wno-agglom -Werror=agglom-out %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: grep '^#pragma agglom task' %t.c | FileCheck %s --check-prefix=FIXED
// ERROR: error: 'out' names 'x'
// ERROR: 1 error generated

// FIXED: {{^}}#pragma agglom task inout(x[0 : n]){{$}}
// expected-warning@+1 {{'out' names 'x', which the task reads before it writes it; make it inout(...)}}
#pragma agglom task out(x[0 : n])
void reads_out(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] += i; // expected-note {{the first access reads it}}
}
// FIXED-NEXT: {{^}}#pragma agglom task in(x[0 : n]) out(y[0 : n]){{$}}
// expected-warning@+1 {{'inout' names 'x', which the task never writes; with in(...) its units}}
#pragma agglom task inout(x[0 : n]) out(y[0 : n])
void never_writes(int n, double *x, double *y) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}
// FIXED-NEXT: {{^}}#pragma agglom task in(a[0 : n], b[0:n]){{ ?}}out(c[0 : n]){{$}}
// expected-warning@+1 {{'b[n]' names a single element, and the task touches others; write b[0:n]}}
#pragma agglom task in(a[0 : n], b[n])out(c[0 : n])
void habit(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i]; // expected-note {{this access is outside of it}}
}
#pragma agglom task in(x[0 : n])out(m[0 : 1])
void reductions(int n, const double *x, double *m) {
  double t = x[0], s = 0;
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop reduction(max : t) reduction(* : s)
  for (int i = 0; i < n; ++i) {
    // expected-warning@+1 {{'t' is overwritten here; reduction(max: ...) expects updates by its operator}}
    t = x[i];
    // expected-warning@+1 {{'s' is updated by another operator than that of reduction(*: ...): +}}
    s += x[i];
  }
  *m = t + s;
}
// LEFT-COUNT-2: warning: {{.*}} [-Wagglom-reduction]
// LEFT-NOT: warning:

// Fine: what is conditional, partly written, or written first.
#pragma agglom task out(x[0 : n]) inout(k[0 : 1]) in(b[n])
void fine(int n, double *x, int *k, const double *b) {
  int all = 1;
  double top = b[n];
  if (*k)
    top = x[0];
#pragma agglom loop reduction(&& : all) reduction(max : top)
  for (int i = 0; i < n; ++i) {
    x[i] = 0;
    x[i] += i;
    all &= x[i] > 0;
    if (i > 2 && x[i] > top)
      top = x[i];
  }
  *k += all + (int)top;
}
// Where that element is touched, too, it stays in.
// expected-warning@+1 {{'b[n]' names a single element, and the task touches others; write b[0:n + 1]}}
#pragma agglom task in(b[n]) out(y[0:1])
void also_behind(int n, const int *b, int *y) {
  int s = b[n];
  for (int i = 0; i < n; i++)
    s += b[i]; // expected-note {{this access is outside of it}}
  y[0] = s;
}

#include <math.h>
#include <string.h>
// Fine: what the library only writes.
#pragma agglom task in(s[0:16]) out(d[0:16], e[0:16], whole[0:1], power[0:1])
void copies(const char *s, char *d, char *e, double x, double *whole, int *power) {
  strncpy(d, s, 16);
  strcpy(e, s);
  *d = (char)(modf(x, whole) > 0) + (char)(frexp(x, power) > 0);
}
