// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses that a `for` lacks: what is the same in each iteration is proposed, and --fix writes it.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s
// RUN: cp %s %t.c && not %agglomcc --fix -DFEW %t.c > %t.out 2>&1
// RUN: FileCheck --check-prefix=MENDED %s < %t.c
struct size {
  int nx, ny;
};
void use(double *);
void loops(int n, const double *a, double *b, double *c, struct size q, const int *idx, double (*m)[n]) {
  // MENDED: {{^}}#pragma agglom for out(b[i]) in(a[i - 1:3]) inout(c[i])
#pragma agglom for // expected-note 3{{the parallel loop is here}}
  for (int i = 1; i < n - 1; ++i) {
    b[i] = a[i - 1] + a[i + 1]; // expected-error {{add out(b[i]) to '#pragma agglom for'}} expected-error {{add in(a[i - 1:3]) to}}
    c[i] += 2;                  // expected-error {{add inout(c[i]) to}}
  }
  // MENDED: {{^}}#pragma agglom for out(b[j * q.nx:q.nx]) in(a[0:q.nx])
#pragma agglom for // expected-note 2{{the parallel loop is here}}
  for (int j = 0; j < q.ny; ++j)
    for (int i = 0; i < q.nx; ++i)
      b[j * q.nx + i] = a[i]; // expected-error {{add out(b[j * q.nx:q.nx])}} expected-error {{add in(a[0:q.nx])}}
  // MENDED: {{^}}#pragma agglom for out(m[i][0:n])
#pragma agglom for // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      m[i][j] = i & 3; // expected-error {{add out(m[i][0:n])}}
  // With counters and indexes that are declared outside of the loop.
  int i, k;
  // MENDED: {{^}}#pragma agglom for private(i, k) out(b[j * q.nx:q.nx]) in(a[0:q.nx])
#pragma agglom for private(i, k) // expected-note 2{{the parallel loop is here}}
  for (int j = 0; j < q.ny; ++j)
    for (i = 0; i < q.nx; ++i) {
      k = j * q.nx + i;
      b[k] = a[i]; // expected-error {{add out(b[j * q.nx:q.nx])}} expected-error {{add in(a[0:q.nx])}}
    }
  // Room that each iteration fills before it reads it; of 'again' the values may be used behind the loop.
  double room[2], again[2];
  // MENDED: {{^}}#pragma agglom for private(room) in(a[j]) out(b[j])
#pragma agglom for // expected-note 3{{the parallel loop is here}}
  for (int j = 0; j < n; ++j) {
    room[0] = a[j]; // expected-error {{all write 'room', which is declared outside it; add private(room)}} expected-error {{add in(a[j])}}
    room[1] = room[0] + 1;
    b[j] = room[0] * room[1]; // expected-error {{add out(b[j])}}
  }
#pragma agglom for in(a[j]) // expected-note {{the parallel loop is here}}
  for (int j = 0; j < n; ++j)
    again[1] = a[j]; // expected-error {{all write 'again', which is declared outside it: declare it inside the loop, or name it in private(...) or reduction(...)}}
  use(again);
  // Not the same in each, or not known.
  // MENDED: {{^}}#pragma agglom for out(b[i]) in(idx[i])
#pragma agglom for // expected-note 4{{the parallel loop is here}}
  for (int i = 0; i < n; ++i) {
    b[i] = a[idx[i]]; // expected-error {{add out(b[i])}} expected-error {{add in(a[lo:len]), out(...) or inout(...) to}} expected-error {{add in(idx[i])}}
    if (i > 0)
      c[i - 1] = 0; // expected-error {{add in(c[lo:len]), out(...)}}
  }
}
