// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop variable declared outside has, after the loop, the value of the serial loop, also when the loop is empty.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: after: 40 units in
#include <stdio.h>

#pragma agglom task inout(x[0:40]) out(o[0:6])
void after(int a, int b, int *x, long *o) {
  int i = 99, j;
  unsigned char c;
  long k = -1;
#pragma agglom loop
  for (i = a; i < b; i++)
    x[i] += i;
  o[0] = i;
#pragma agglom loop
  for (i = i - 1; i >= a; i -= 3)
    x[i] += 100;
  o[1] = i;
#pragma agglom loop
  for (j = a; j <= b; j += 4)
    x[j] ^= 5;
  o[2] = j;
#pragma agglom loop
  for (k = b; k > a; k -= 2)
    x[k] += (int)k;
  o[3] = k + i;
#pragma agglom loop
  for (c = (unsigned char)a; c != b; c++)
    x[c]--;
  o[4] = c;
#pragma agglom loop
  for (j = o[4]; j < 40; j += 7)
    x[j] += j;
  o[5] = j + c;
}

int main(void) {
  static int x[40][40];
  static long o[40][6];
  for (int u = 0; u < 40; u++)
    after(u < 30 ? u : 3, u < 30 ? u + u % 10 : 38, x[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < 40; u++) {
    for (int k = 0; k < 6; k++)
      printf("%ld ", o[u][k]);
    for (int k = 0; k < 40; k++)
      printf("%d ", x[u][k]);
    printf("\n");
  }
  return 0;
}
