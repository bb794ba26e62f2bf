// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a variable is after a loop: the loop may not have been entered, and a condition that also looks at memory says
// nothing of how far it went. What guards an access may also be all that says how much memory there is. Each of these
// sections is right: no warning.
// RUN: %agglomcc -fsyntax-only -Xclang -verify=none %s
// none-no-diagnostics
// RUN: sed '/^#pragma agglom/d' %s > %t.c
// RUN: %agglomcc --suggest %t.c > %t.out 2>&1; FileCheck %s < %t.out
// What cannot be known is not proposed, and what is assumed is said.
// CHECK-DAG: 'search' is not proposed
// CHECK-DAG: 'down' is not proposed
// CHECK-DAG: 'mark' is proposed as a task{{$}}
// CHECK-DAG: inout(x[0:n])
// CHECK-DAG: 'first' is proposed as a task, assuming that the elements x[0:100] are there even when a condition spares them
// CHECK-DAG: 'both' is proposed as a task, assuming that the elements x[0:100] are there even when a condition spares them
// CHECK-DAG: 'eight' is proposed as a task, assuming that the elements x[0:8] are there even when a condition spares them

#pragma agglom task in(x[0:n]) inout(y[0:n])
void search(int n, const int *x, int *y) {
  int i = 0;
  while (i < n && x[i] > 0)
    ++i;
  y[i] = 5;
}

#pragma agglom task inout(x[0:n])
void down(int n, int *x) {
  int k = 5;
  while (k >= n)
    --k;
  x[k] = 1;
}

#pragma agglom task inout(x[0:n])
void mark(int n, double *x) {
  int i = 0;
  while (i < n && x[i] < 4)
    ++i;
  if (i < n)
    x[i] = -1;
}

#pragma agglom task inout(x[0:n])
void first(int n, int *x) {
  for (int i = 0; i < 100; ++i) {
    if (i >= n)
      break;
    x[i] += 1;
  }
}

#pragma agglom task inout(x[0:n])
void both(int n, int *x) {
  for (int i = 0; i < 100 && i < n; ++i)
    x[i] += 1;
}

#pragma agglom task inout(x[0:n])
void eight(int n, int *x) {
  if (n < 8)
    return;
  for (int i = 0; i < 8; ++i)
    x[i] = 1;
}

void all(int times, int n, const int *c, int *x, int *y, double *d) {
  for (int t = 0; t < times; ++t) {
    search(n, c, y);
    down(n, x);
    mark(n, d);
    first(n, x);
    both(n, x);
    eight(n, x);
  }
#pragma agglom wait
}
