// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a function does is followed without the variables of its callers: a task of many variables that calls a function
// many times is not too long for its sections to be judged.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

static void add(double *x, int i, int n) {
  if (n > 1)
    x[i] += 1;
  if (n > 2)
    x[i] += 2;
  if (n > 3)
    x[i] += 3;
  if (n > 4)
    x[i] += 4;
  if (n > 5)
    x[i] += 5;
  if (n > 6)
    x[i] += 6;
  if (n > 7)
    x[i] += 7;
}

#define TEN(make, n) make(n##0) make(n##1) make(n##2) make(n##3) make(n##4) make(n##5) make(n##6) make(n##7) make(n##8) make(n##9)
#define HUNDRED(make) TEN(make, 1) TEN(make, 2) TEN(make, 3) TEN(make, 4) TEN(make, 5) TEN(make, 6) TEN(make, 7) TEN(make, 8) TEN(make, 9)
#define VARIABLE(n) int v##n = k + n;
#define CALL(n) add(x, i, v##n);

// expected-warning@+1 {{'x[0:2 * n]' names much more memory than the task touches; write x[0:n], and the rest is neither moved nor ordered}}
#pragma agglom task inout(x[0:2 * n])
void many(double *x, int n, int k) {
  HUNDRED(VARIABLE)
  for (int i = 0; i < n; ++i) {
    HUNDRED(CALL)
  }
}
