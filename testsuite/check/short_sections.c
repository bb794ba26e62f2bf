// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that leave out what the body certainly touches, and bodies of which that is not certain.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null && grep -A2 leaves %t.c | grep '^#pragma' | FileCheck %s --check-prefix=FIXED
// RUN: %agglomcc -fsyntax-only -Wno-agglom-sections -Wno-agglom-work %s 2>&1 | count 0
// expected-warning@+1 {{'a[0:n-1]' leaves out memory that the task touches; write a[0:n]}}
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void f1(int n, const double *a, double *b) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    b[i] = a[i]; // expected-note {{this access is outside of it}}
}
// expected-warning@+1 {{'a[0:n-1]' leaves out memory that the task touches; write a[0:n]}}
#pragma agglom task accumulate(+: a[0:n-1], b[0:n])
void f1_sums(int n, double *a, double *b) {
  for (int i = 0; i < n; ++i) {
    a[i] += 1; // expected-note {{this access is outside of it}}
    b[i] += 1;
  }
}
// expected-warning@+1 {{'a[0:n]' leaves out memory that the task touches; write a[0:n + 1]}}
#pragma agglom task in(a[0:n]) out(b[0:n])
void f2(int n, const double *a, double *b) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    b[i] = a[i + 1] - a[i]; // expected-note {{this access is outside of it}}
}
// expected-warning@+1 {{'b[1:n]' leaves out memory that the task touches; write b[0:n]}}
#pragma agglom task in(a[0:n]) inout(b[1:n])
void f3(int n, const double *a, double *b) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    b[i] += a[i]; // expected-note {{this access is outside of it}}
}
// expected-warning@+2 {{'a[0:n]' leaves out memory that the task touches; write a[n:1]}}
// expected-warning@+1 {{'b[0:4]' leaves out memory that the task touches; write b[0:8]}}
#pragma agglom task in(a[0:n]) out(b[0:4])
void f4(int n, const double *a, double *b) {
  for (int i = 0; i < 8; ++i)
    b[i] = a[n]; // expected-note 2 {{this access is outside of it}}
}
// expected-warning@+1 {{'a[0:n*m-1]' leaves out memory that the task touches; write a[0:n * m]}}
#pragma agglom task in(a[0:n*m-1]) out(b[0:n])
void f5(int n, int m, const double *a, double *b) {
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += a[i * m + j]; // expected-note {{this access is outside of it}}
    b[i] = s;
  }
}
// Not reached in each call, or by all of them, or not by the last step.
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void g1(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 2)
    b[i] = i + 1 < n ? a[i] : 0;
}
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void g2(int n, const double *a, double *b) {
  for (int i = 0; i < n; i += 2)
    b[i] = a[i];
}
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void g3(int n, const double *a, double *b) {
  for (int i = 0; i < n; ++i) { if (i == n - 1) break; b[i] = a[i]; }
}
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void g4(int n, const double *a, double *b) {
  for (int i = 0; i < n; ++i) { if (i + 1 < n) b[i] = a[i]; }
}
#pragma agglom task in(a[0:n-1]) out(b[0:n])
void g5(int n, int m, const double *a, double *b) {
  for (int i = 0; i < n && i < m; ++i)
    b[i] = a[i];
}
#pragma agglom task in(a[0:m]) out(b[0:n])
void g6(int n, int m, const double *a, double *b) {
  for (int i = 0; i < n; ++i)
    b[i] = a[i];
}
#pragma agglom task in(a[0:n]) out(b[0:n-1])
void g7(int n, const double *a, double *b) {
  for (int i = 0; i < n - 1; ++i)
    b[i] = a[i + 1];
}
#pragma agglom task in(a[0:n]) out(b[0:n])
void g8(int n, const double *a, double *b) {
  for (int i = n; i > 0; --i)
    b[i - 1] = a[i - 1];
}
#pragma agglom task in(a[0:n]) out(b[0:n])
void g9(int n, const double *a, double *b) {
  for (int i = 0; i <= n - 1; ++i)
    b[i] = a[n - 1 - i];
}
static void h(const double *a, double *b, int i) { if (i > 3) return; b[i] = a[i]; }
#pragma agglom task in(a[0:4]) out(b[0:4])
void g10(int n, const double *a, double *b) {
  for (int i = 0; i < 8; ++i)
    h(a, b, i);
}
// FIXED: in(a[0:n]) out(b[0:n])
// FIXED: accumulate(+: a[0:n], b[0:n])
// FIXED: in(a[0:n + 1]) out(b[0:n])
// FIXED: in(a[0:n]) inout(b[0:n])
// FIXED: in(a[n:1]) out(b[0:8])
// FIXED: in(a[0:n * m]) out(b[0:n])
