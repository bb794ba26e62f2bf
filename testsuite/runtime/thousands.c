// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thousands of tiny units, each with memory of its own, become few launches.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: tiny: 5000 units in {{[0-9][0-9]?[0-9]?}} launch{{(es)?}} on emulated:0 {{.*}} 0 on the CPU
// CHECK: looped: 800 units in {{[0-9][0-9]?[0-9]?}} launch{{(es)?}} on emulated:0 {{.*}} 0 on the CPU
#include <stdio.h>

#pragma agglom task in(a[0:1]) out(o[0:1])
void tiny(const int *a, int *o, int k) { *o = *a * k + 1; }

#pragma agglom task in(a[0:n]) inout(o[0:n])
void looped(int n, const int *a, int *o) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    o[i] += a[i];
}

int main(void) {
  static int a[5000], o[5000];
  for (int i = 0; i < 5000; i++)
    a[i] = i % 977;
  for (int i = 0; i < 5000; i++)
    tiny(&a[i], &o[i], i);
  for (int i = 0; i < 800; i++)
    looped(5, a + 3 * i, o + 6 * i);
#pragma agglom wait
  for (int i = 0; i < 5000; i++)
    printf("%d\n", o[i]);
  return 0;
}
