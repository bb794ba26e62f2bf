// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of values that are known by their range alone (a remainder, a narrow integer, a truth value) is no condition on the
// accesses of the same body; and a choice by the loop's variable is one, in an expression as in a statement.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

#pragma agglom task out(p[0:n - 1]) // expected-warning {{'p[0:n - 1]' leaves out memory that the task touches; write p[0:n]}}
void masked(int n, int *p) {
  for (int i = 0; i < n; ++i)
    p[i] = i & 3; // expected-note {{this access is outside of it}}
}
#pragma agglom task out(p[0:n - 1]) // expected-warning {{write p[0:n]}}
void halves(int n, int *p) {
  for (int i = 0; i < n; ++i)
    p[i] = i / 2 + i % 3; // expected-note {{this access is outside of it}}
}
#pragma agglom task out(p[0:n - 1]) // expected-warning {{write p[0:n]}}
void narrow(int n, unsigned char *p) {
  for (int i = 0; i < n; ++i)
    p[i] = i; // expected-note {{this access is outside of it}}
}
#pragma agglom task out(p[0:n - 1]) // expected-warning {{write p[0:n]}}
void by_a_local(int n, int *p) {
  for (int i = 0; i < n; ++i) {
    int t = i % 3 > 1 && n;
    p[i] = t; // expected-note {{this access is outside of it}}
  }
}
// Whether these are reached is not known.
#pragma agglom task out(p[0:n - 1])
void perhaps(int n, int *p) {
  for (int i = 0; i < n; ++i)
    if ((i & 3) < 2)
      p[i] = 1;
}
#pragma agglom task out(p[0:2])
void inner(int n, int *p) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < (i & 3); ++j)
      p[j] = 1;
}

void loops(int n, int *p, const int *a, const int *flag) {
#pragma agglom for out(p[i]) // expected-warning {{'p[i]' leaves out memory that an iteration touches; write p[n - i - 1]}}
  for (int i = 0; i < n; ++i)
    p[n - 1 - i] = i & 3; // expected-note {{this access is outside of it}}
#pragma agglom for out(p[i]) in(a[i]) // expected-warning {{'a[i]' leaves out memory that an iteration touches; name all that it touches}}
  for (int i = 0; i < n; ++i)
    p[i] = a[i > 0 ? i - 1 : 0]; // expected-note {{this access is outside of it}}
#pragma agglom for out(p[i]) in(a[i]) // expected-warning {{'a[i]' leaves out memory that an iteration touches}}
  for (int i = 0; i < n; ++i) {
    int left = (i == 0) ? i : i - 1;
    p[i] = a[left] + (i & 1); // expected-note {{this access is outside of it}}
  }
#pragma agglom for out(p[i]) in(a[i]) // expected-warning {{'a[i]' leaves out memory that an iteration touches}}
  for (int i = 0; i < n; ++i) {
    int right = i;
    if (i + 1 < n)
      right = i + 1;
    p[i] = a[right]; // expected-note {{this access is outside of it}}
  }
// Only some iterations, and which is not known.
#pragma agglom for out(p[i]) in(a[i], flag[i])
  for (int i = 0; i < n; ++i)
    p[i] = a[flag[i] ? i - 1 : i];
#pragma agglom for out(p[i]) in(a[i], flag[i])
  for (int i = 0; i < n; ++i)
    p[i] = a[i > 0 && flag[i] ? i - 1 : i];
}

struct bits {
  short b[3];
  unsigned f : 5, g : 11;
};
#pragma agglom task inout(x[0:n])
void bit_fields(int n, struct bits *x) {
  for (int i = 0; i < n; ++i)
    x[i].f = x[i].g & 7;
}
void bit_field_loop(int n, struct bits *x) {
#pragma agglom for inout(x[i])
  for (int i = 0; i < n; ++i)
    x[i].f = 3;
}

// No such number of elements is meant.
#pragma agglom task // expected-note {{the task is declared here}}
void by_a_cast(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] += x[(unsigned char)i]; // expected-error {{no data clause names it; add in(x[lo:len]), out(...) or inout(...)}} expected-note {{which of several accesses reaches furthest is not known}}
}
