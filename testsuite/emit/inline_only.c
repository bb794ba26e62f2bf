// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C99 functions that are inline and nowhere else: a program that an optimiser links links annotated, too. What a task calls is called
// once more where the device is emulated, and must be inlined there.
// RUN: %agglomcc -std=c11 -O2 -Wall -Werror %s -o %t.clang
// RUN: %agglomcc -std=c11 -O1 -Wall -Werror -fagglom-host-compiler=gcc %s -o %t.gcc
// RUN: %agglomcc -std=c11 -O2 -Wall -Werror -fagglom-host-compiler=gcc %s -o %t.gcc2
// RUN: for p in %t.clang %t.gcc %t.gcc2; do env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu $p | FileCheck %s || exit 1; done
// CHECK: 277738
#include <stdio.h>

inline double sum(double x) {
  double s = 0;
  for (int i = 0; i < 10; ++i)
    s += x * i;
  return s > 4 ? x * x : x + s * 3 + x * x * s;
}

inline double both(double x) { return sum(x) + sum(x + 1); }

#pragma agglom task inout(a[0:n])
void square(int n, double *a) {
  for (int i = 0; i < n; ++i)
    a[i] = both(a[i]) + sum(a[i]);
}

int main(void) {
  double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, all = 0;
  square(4, a);
  square(4, b);
#pragma agglom wait
#pragma agglom for inout(a[i]) in(b[i])
  for (int i = 0; i < 4; ++i)
    a[i] += both(b[i]) + sum(b[i]);
#pragma agglom wait
  for (int i = 0; i < 4; ++i)
    all += a[i] + b[i];
  printf("%g\n", all);
  return 0;
}
