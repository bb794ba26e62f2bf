// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of a 'for' that leave out what is touched at the first steps of the loops in it, or by an index that goes down.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null; grep '^#pragma' %t.c | FileCheck %s --check-prefix=FIXED
void every_second(int n, int m, const double *x, double *b) {
// expected-warning@+1 {{'x[i]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(x[i]) out(b[i])
  for (int i = 0; i < n; ++i) {
    double t = 0;
    for (int j = 0; j < m; j += 2)
      t += x[i * m + j]; // expected-note {{this access is outside of it}}
    b[i] = t;
  }
}

void flat_column(int n, int m, const double *x, double *b) {
// expected-warning@+1 {{'x[j]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(x[j]) out(b[j])
  for (int j = 0; j < m; ++j) {
    double t = 0;
    for (int i = 0; i < n; ++i)
      t += x[i * m + j]; // expected-note {{this access is outside of it}}
    b[j] = t;
  }
}

void column_of_longer_rows(int n, int m, int length, const double *x, double *b) {
// expected-warning@+1 {{'x[j]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(x[j]) out(b[j])
  for (int j = 0; j < m; ++j) {
    double t = 0;
    for (int i = 0; i < n; ++i)
      t += x[i * length + j]; // expected-note {{this access is outside of it}}
    b[j] = t;
  }
}

void from_the_end(int n, const double *x, double *b) {
// FIXED: {{^}}#pragma agglom for in(x[n - i - 1]) out(b[i])
// expected-warning@+1 {{'x[i]' leaves out memory that an iteration touches; write x[n - i - 1] }}
#pragma agglom for in(x[i]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = x[n - 1 - i]; // expected-note {{this access is outside of it}}
}

void up_to_it(int n, const double *x, double *b) {
// FIXED: {{^}}#pragma agglom for in(x[0:i + 1]) out(b[i])
// expected-warning@+1 {{'x[i]' leaves out memory that an iteration touches; write x[0:i + 1] }}
#pragma agglom for in(x[i]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = 0; j <= i; ++j)
      b[i] += x[j]; // expected-note {{this access is outside of it}}
  }
}

void right(int n, int m, int most, const double *x, double *b) {
#pragma agglom for in(x[i * m : m]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = i % 2; j < m; j += 2)
      b[i] += x[i * m + j];
    for (int j = 0; j < m - 1; j += 2)
      b[i] += x[i * m + j] + x[i * m + j + 1];
  }
#pragma agglom for in(x[j : m : n]) out(b[j])
  for (int j = 0; j < m; ++j) {
    b[j] = 0;
    for (int i = 0; i < n; i += 3)
      b[j] += x[i * m + j];
  }
#pragma agglom for in(x[n - 1 - i]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = x[n - 1 - i];
#pragma agglom for in(x[i * 8 : 8]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 2; ++k)
        b[i] += x[i * 8 + j * 2 + k];
  }
  // Perhaps it is never so.
#pragma agglom for in(x[i]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int j = 0; j < i; ++j)
      if (j > most)
        b[i] += x[j];
  }
  // Which iterations do, another number says.
#pragma agglom for in(x[0:m]) out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = i < m ? x[i] : x[m - 1];
#pragma agglom for in(x[0:m]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    if (i == m)
      b[i] = x[m - 1] + x[0];
    if (i > m)
      b[i] += x[0];
  }
#pragma agglom for in(x[i:m]) out(b[i])
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    if (i != m - 1)
      b[i] = x[i];
  }
}
