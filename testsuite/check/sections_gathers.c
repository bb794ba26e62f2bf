// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which element is read depends on what memory holds, in any way; and an index that goes round in its row, while the row
// is another one.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <stdlib.h>
enum { W = 8, N = 40 };
int at[N], n;
double table[N * W], rows[N][W], c[N], *v;

void gathers(void) {
// expected-warning@+1 {{'table[i * W : W]' leaves out memory that an iteration touches, since which element 'table[at[i] * W]' is depends on what memory holds; write table[at[i] * W], or name all that it may be, as in table[0:320]}}
#pragma agglom for in(at[i], table[i * W : W]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = table[at[i] * W]; // expected-note {{this access is outside of it}}
// expected-warning@+1 {{since which element 'rows[at[i]][2]' is depends on what memory holds; name all that it may be, as in rows[0:40]}}
#pragma agglom for in(at[i], rows[i]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = rows[at[i]][2]; // expected-note {{this access is outside of it}}
// expected-warning@+1 {{since which element 'v[nb]' is depends on what memory holds; name all that it may be, as in v[0:n]}}
#pragma agglom for in(at[i:4], v[i]) out(c[i])
  for (int i = 0; i < N - 4; i++) {
    double sum = 0;
    for (int j = 0; j < 4; j++) {
      int nb = at[i + j];
      if (nb >= 0)
        sum += v[nb]; // expected-note {{this access is outside of it}}
    }
    c[i] = sum;
  }
// expected-warning@+1 {{since which element 'v[nb]' is depends on what memory holds; name all that it may be, as in v[0:n]}}
#pragma agglom for in(at[i], v[i]) out(c[i])
  for (int i = 0; i < N; i++) {
    int nb = at[i];
    nb = nb < 0 ? 0 : nb;
    nb += 1;
    c[i] = v[nb]; // expected-note {{this access is outside of it}}
  }
// More than one: the clause would leave out the other.
// expected-warning@+1 {{since which element 'v[at[i]]' is depends on what memory holds; name all that it may be}}
#pragma agglom for in(at[i], v[i]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = v[at[i]] + v[at[i] * 2]; // expected-note {{this access is outside of it}}
// expected-warning@+1 {{since which element 'v[abs(at[i]) % 50]' is}}
#pragma agglom for in(at[i], v[i]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = v[abs(at[i]) % 50]; // expected-note {{this access is outside of it}}
}

void wraps(int nx, int ny, const double *a, double *b) {
// expected-warning@+1 {{'a[j * nx : nx]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(a[j * nx : nx]) out(b[j * nx : nx])
  for (int j = 1; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int w = (i == 0) ? (i + nx - 1) : (i - 1);
      b[i + j * nx] = a[w + (j - 1) * nx]; // expected-note {{this access is outside of it}}
    }
}
// expected-warning@+1 {{'m[1]' leaves out memory that the task touches}}
#pragma agglom task in(m[1]) out(r[0])
void either(int k, const double (*m)[8], double *r) { r[0] = m[k > 3 ? 0 : 2][k > 2 ? 1 : 2]; } // expected-note {{this access is outside of it}}

//===--- Right ones

void right(int nx, int ny, const double *a, double *b) {
#pragma agglom for in(at[i], table[i * W : W]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = table[i * W + at[i] % W];
#pragma agglom for in(at[i], rows[i]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = rows[i][at[i]];
#pragma agglom for in(at[i], table[at[i] * W]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = table[at[i] * W];
#pragma agglom for in(at[0], v[i]) out(c[i])
  for (int i = 0; i < N; i++) {
    int k = i;
    if (at[0] > 3)
      k += 0;
    c[i] = v[k];
  }
#pragma agglom for in(at[i], v[0:n]) out(c[i])
  for (int i = 0; i < N; i++)
    c[i] = v[at[i]];
#pragma agglom for in(a[j * nx : nx]) out(b[j * nx : nx])
  for (int j = 1; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int w = (i == 0) ? (i + nx - 1) : (i - 1);
      b[i + j * nx] = a[w + j * nx];
    }
}
#pragma agglom task in(m[0:3]) out(r[0])
void any(int k, const double (*m)[8], double *r) { r[0] = m[k > 3 ? 0 : 2][k & 7]; }
