// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An element of memory as a condition is read, however it is written: what is touched includes it.
// RUN: %agglomcc -fsyntax-only -Werror=agglom %s
// RUN: cp %s %t.c && %agglomcc --fix -DINFER %t.c 2> /dev/null; grep '^#pragma' %t.c | FileCheck %s
#define RIGHT _Pragma("agglom task in(x[0:2 * n]) out(y[0:n])")

#define FORM(NAME, CONDITION)                                                                                          \
  RIGHT void NAME(int n, const int *x, int *y) {                                                                       \
    for (int i = 0; i < n; ++i) {                                                                                      \
      y[i] = x[i];                                                                                                     \
      if (CONDITION)                                                                                                   \
        y[i] = 1;                                                                                                      \
    }                                                                                                                  \
  }
FORM(bare, x[n + i])
FORM(negated, !x[n + i])
FORM(twice, !!(x[n + i]))
FORM(both, i > 0 && x[n + i])
FORM(one_of, i > 3 || x[n + i])
FORM(expected, __builtin_expect(x[n + i], 1))
FORM(listed, (y[i]++, x[n + i]))
FORM(chosen, (x[n + i] ? y[i] : 2) > 1)

#pragma agglom task in(x[0:n]) out(y[0:1])
void searches(int n, const int *x, int *y) {
  int i = 0;
  while (x[i])
    i++;
  y[0] = i + x[0];
}
#pragma agglom task in(x[0:n]) out(y[0:1])
void counts(int n, const int *x, int *y) {
  int c = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i])
      c++;
  y[0] = c;
}
#ifdef INFER
// CHECK: #pragma agglom task out(y[0:n]) in(x[0:n + 5])
#pragma agglom task out(y[0:n])
void inferred(int n, const int *x, int *y) {
  for (int i = 0; i < n; ++i) {
    y[i] = x[i];
    if (x[i + 5])
      y[i] = 1;
  }
}
// CHECK: #pragma agglom for in(x[i:2]) out(y[i])
void loop(int n, const int *x, int *y) {
#pragma agglom for in(x[i]) out(y[i])
  for (int i = 0; i < n; ++i) {
    y[i] = x[i + 1];
    if (x[i])
      y[i]++;
  }
}
#endif
