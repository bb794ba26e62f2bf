// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of a 'for' that leave out what an iteration certainly touches, and loops of which that is not certain.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null; grep '^#pragma' %t.c | FileCheck %s --check-prefix=FIXED
// RUN: %agglomcc -fsyntax-only -Wno-agglom-sections %s 2>&1 | count 0
void stencil(int n, const double *a, double *b) {
// FIXED: {{^}}#pragma agglom for in(a[i - 1:3]) out(b[i])
// expected-warning@+1 {{'a[i]' leaves out memory that an iteration touches; write a[i - 1:3]}}
#pragma agglom for in(a[i]) out(b[i])
  for (int i = 1; i < n - 1; ++i)
    b[i] = a[i - 1] + a[i + 1]; // expected-note {{this access is outside of it}}
}
void stride(int n, const double *a, double *b) {
// FIXED-NEXT: {{^}}#pragma agglom for in(a[i:2]) out(b[i])
// expected-warning@+1 {{'a[i]' leaves out memory that an iteration touches; write a[i:2]}}
#pragma agglom for in(a[i]) out(b[i])
  for (int i = 0; i < n; i += 2)
    b[i] = a[i] + a[i + 1]; // expected-note {{this access is outside of it}}
}
void scatter(int n, const int *idx, double *a) {
// FIXED-NEXT: {{^}}#pragma agglom for in(idx[i]) inout(a[idx[i]])
// expected-warning@+1 {{'a[i]' leaves out memory that an iteration touches, since which element 'a[idx[i]]' is depends on what memory holds; write a[idx[i]], or name all that it may be, as in a[0:n]}}
#pragma agglom for in(idx[i]) inout(a[i])
  for (int i = 0; i < n; ++i)
    a[idx[i]] += 1; // expected-note {{this access is outside of it}}
}
void rows(int n, int m, const double *a, double *b) {
// expected-warning@+1 {{'a[i]' leaves out memory that an iteration touches}}
#pragma agglom for in(a[i]) out(b[i])
  for (int i = 0; i < n; ++i) {
    double t = 0;
    for (int j = 0; j < m; ++j)
      t += a[i * m + j]; // expected-note {{this access is outside of it}}
    b[i] = t;
  }
}
void edges(int n, const double *a, double *b) {
// expected-warning@+1 {{'a[i]' leaves out memory that an iteration touches; write a[(i > 0 ? i - 1 : i):}}
#pragma agglom for in(a[i]) out(b[i])
  for (int i = 0; i < n; ++i) {
    double t = a[i];
    if (i > 0)
      t += a[i - 1]; // expected-note {{this access is outside of it}}
    b[i] = t;
  }
}
void another(int n, int k, const double *a, double *b) {
// FIXED: {{^}}#pragma agglom for in(a[k], a[i]) out(b[i])
// expected-warning@+1 {{'b[k]' leaves out memory that an iteration touches; write b[i]}}
#pragma agglom for in(a[k], a[i]) out(b[k])
  for (int i = 0; i < n; ++i)
    b[i] = a[i] - a[k]; // expected-note {{this access is outside of it}}
// expected-warning@+1 {{'b[k:4]' leaves out memory that an iteration touches; write b[4 * i]}}
#pragma agglom for in(a[k], a[i]) out(b[k:4])
  for (int i = 0; i < n; ++i)
    b[4 * i] = a[i] - a[k]; // expected-note {{this access is outside of it}}
}
void not_another(int n, int k, const double *a, double *b, double *c) {
#pragma agglom for in(a[k], a[i]) inout(b[k:4])
  for (int i = 0; i < n; ++i)
    b[k + i % 4] += a[i] - a[k];
#pragma agglom for in(a[k:2]) inout(b[k:4])
  for (int i = 0; i < 2; ++i)
    b[3 * i] += a[i]; // both may be there
#pragma agglom for in(a[i]) inout(b[k])
  for (int i = 0; i < 1; ++i)
    b[i] += a[i];
#pragma agglom for in(a[i]) inout(b[k])
  for (int i = 0; i < n; ++i)
    if (i == k)
      b[i] += a[i];
#pragma agglom for in(a[i]) out(b[k])
  for (int i = 0; i < n; ++i) {
    int there = i == k;
    while (there) {
      b[i] = a[i];
      there = 0;
    }
  }
#pragma agglom for in(a[k:n]) out(c[i])
  for (int i = 0; i < n; ++i)
    c[i] = a[i];
}
void right(int n, int m, const int *idx, const double *a, double *b) {
#pragma agglom for in(a[i - 1:3]) out(b[i])
  for (int i = 1; i < n - 1; ++i)
    b[i] = a[i - 1] + a[i + 1];
#pragma agglom for in(a[i], a[i + 1]) out(b[i])
  for (int i = 0; i < n - 1; ++i)
    b[i] = a[i] + a[i + 1];
#pragma agglom for in(a[i * m:m]) out(b[i])
  for (int i = 0; i < n; ++i) {
    double t = 0;
    for (int j = 0; j < m; ++j)
      t += a[i * m + j];
    b[i] = t;
  }
#pragma agglom for in(idx[i], a[0:n]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = a[idx[i]];
#pragma agglom for in(idx[i], a[idx[i]]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = a[idx[i]];
  // Perhaps it is never so.
#pragma agglom for in(a[i]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = a[i] > 0 ? a[i] : m > 3 ? a[i - 1] : 0;
#pragma agglom for in(a[i > 0 ? i - 1 : i : 2]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = a[i] + (i > 0 ? a[i - 1] : 0);
  // It has no iterations, and a bound that no long holds.
#pragma agglom for out(b[i])
  for (int i = n; i < n; ++i)
    b[i] = 1;
#pragma agglom for out(b[i + 18446744073709551615u])
  for (int i = 1; i < n; ++i)
    b[i - 1] = 1;
}

// An array of the program's says itself how long it is.
static double table[40];
void known_length(int n, const int *idx, double *b) {
// expected-note@+4 {{this access is outside of it}}
// expected-warning@+1 {{write table[idx[i]], or name all that it may be, as in table[0:40]}}
#pragma agglom for in(idx[0:n], table[i]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = table[idx[i]];
}

// Rows of a sparse matrix: the inner loop's element is not the outer one's.
void sparse_rows(int n, int m, const int *start, const int *col, const double *a, const double *p, double *q) {
  int k;
// expected-note@+7 {{this access is outside of it}}
// expected-warning@+1 {{'p[j]' leaves out memory that an iteration touches, since which element 'p[col[k]]' is depends on what memory holds; name all that it may be, as in p[0:n]}}
#pragma agglom for in(start[j:2], col[start[j] : start[j + 1] - start[j]], a[start[j] : start[j + 1] - start[j]], p[j]) \
    out(q[j])
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int k = start[j]; k < start[j + 1]; ++k)
      sum += a[k] * p[col[k]];
    q[j] = sum;
  }
// expected-note@+6 {{this access is outside of it}}
// expected-warning@+1 {{'p[j]' leaves out memory}}
#pragma agglom for in(start[j:2], col[start[j] : start[j + 1] - start[j]], p[j]) out(q[j]) private(k)
  for (int j = 0; j < n; ++j) {
    q[j] = 0;
    for (k = start[j]; k < start[j + 1]; ++k)
      q[j] += p[col[k]];
  }
  // It may select among the elements of its own row.
#pragma agglom for in(start[j:2], col[start[j] : start[j + 1] - start[j]], p[m * j:m]) out(q[j])
  for (int j = 0; j < n; ++j) {
    q[j] = 0;
    for (int k = start[j]; k < start[j + 1]; ++k)
      q[j] += p[col[k]];
  }
#pragma agglom for in(start[j:2], col[start[j] : start[j + 1] - start[j]], p[0:m]) out(q[j])
  for (int j = 0; j < n; ++j) {
    q[j] = 0;
    for (int k = start[j]; k < start[j + 1]; ++k)
      q[j] += p[col[k]];
  }
  // The same one in all iterations.
#pragma agglom for in(col[0:9], p[j]) out(q[j])
  for (int j = 0; j < n; ++j) {
    q[j] = 0;
    for (int k = 0; k < 9; ++k)
      q[j] += p[j] * col[k];
  }
}
