// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that are declared outside of a loop and written in it: a counter of an inner loop and a variable that each
// iteration sets first are private, a sum is a reduction, and --fix writes that. Of others nothing is known.
// RUN: not %agglomcc -fsyntax-only -fno-caret-diagnostics -ferror-limit=0 %s 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=error:
// RUN: cp %s %t.c && not %agglomcc --fix %t.c >/dev/null 2>&1; grep '^#pragma agglom' %t.c | FileCheck %s
double sums(int n, int m, const double *a, double *b) {
  int j, k, last;
  double s, t, total = 0, most = 0;
// CHECK: #pragma agglom for in(a[i * m:m]) out(b[i]) private(s) private(j) reduction(+: total) reduction(max: most)
// SAID: error: iterations of this loop all write 's', which is declared outside it; add private(s)
// SAID: error: iterations of this loop all write 'j', which is declared outside it; add private(j)
// SAID: error: iterations of this loop all write 'total', which is declared outside it; add reduction(+: total)
// SAID: error: iterations of this loop all write 'most', which is declared outside it; add reduction(max: most)
#pragma agglom for in(a[i * m:m]) out(b[i])
  for (int i = 0; i < n; ++i) {
    s = 0;
    for (j = 0; j < m; ++j)
      s += a[i * m + j];
    b[i] = s;
    total += s;
    if (s > most)
      most = s;
  }
// The value is used afterwards, or within the iteration.
// CHECK: #pragma agglom for out(b[i]){{$}}
// SAID: error: iterations of this loop all write 'last', which is declared outside it: declare it inside the loop
#pragma agglom for out(b[i])
  for (int i = 0; i < n; ++i) {
    last = i;
    b[i] = last;
  }
// CHECK: #pragma agglom for out(b[i]){{$}}
// SAID: error: iterations of this loop all write 'k', which is declared outside it: declare it inside the loop
#pragma agglom for out(b[i])
  for (int i = 0; i < n; ++i)
    b[i] = k++;
// CHECK: #pragma agglom for out(b[i]){{$}}
// SAID: error: iterations of this loop all write 't', which is declared outside it: declare it inside the loop
#pragma agglom for out(b[i])
  for (int i = 0; i < n; ++i) {
    if (i > 3)
      t = 1;
    b[i] = t;
  }
  return total + most + last;
}

// CHECK: #pragma agglom loop private(j) reduction(+: sum)
// SAID: error: iterations of this loop all write 'j', which is declared outside it; add private(j)
// SAID: error: iterations of this loop all write 'sum', which is declared outside it; add reduction(+: sum)
#pragma agglom task in(a[0:n * m]) out(r[0])
void task(int n, int m, const double *a, double *r) {
  int j;
  double sum = 0;
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    for (j = 0; j < m; ++j)
      sum += a[i * m + j];
  r[0] = sum;
}

// Counters and values of inner loops and branches, as programs have them that declare all variables at the top. The value
// of 'seen' may be that of the iteration before, and that of 'kept' is used behind the loop.
// CHECK: #pragma agglom for in(a[i * m:m]) out(b[i * m:m]) private(j) private(k) private(t) private(d){{$}}
// CHECK: #pragma agglom for in(a[i * m:m]) out(b[i * m:m]) private(j){{$}}
// SAID: error: iterations of this loop all write 'j', which is declared outside it; add private(j)
// SAID: error: iterations of this loop all write 'k', which is declared outside it; add private(k)
// SAID: error: iterations of this loop all write 't', which is declared outside it; add private(t)
// SAID: error: iterations of this loop all write 'd', which is declared outside it; add private(d)
double at_the_top(int n, int m, const double *a, double *b) {
  int i, j, k;
  double t, d, seen = 0, kept = 0;
#pragma agglom for in(a[i * m:m]) out(b[i * m:m])
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j) {
      k = i * m + j;
      if (a[k] < 0)
        t = -a[k];
      else
        t = a[k];
      d = 0;
      while (d < t) {
        d = d + 1;
      }
      b[k] = t + d;
    }
// SAID: error: iterations of this loop all write 'j', which is declared outside it; add private(j)
// SAID: error: iterations of this loop all write 'seen', which is declared outside it: declare it inside the loop
// SAID: error: iterations of this loop all write 'kept', which is declared outside it: declare it inside the loop
#pragma agglom for in(a[i * m:m]) out(b[i * m:m])
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j) {
      if (a[i * m + j] > 0)
        seen = a[i * m + j];
      kept = seen;
      b[i * m + j] = kept;
    }
  return kept;
}
