// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Length 0: with memory, with NULL, at the end of an array, at an address that is none; nothing is read or written there.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: join: 48 units in
// CHECK-DAG: nothing: 9 units in
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma agglom task in(a[0:na], b[0:nb]) inout(o[0:na + nb])
void join(long na, const int *a, size_t nb, const int *b, int *o) {
#pragma agglom loop
  for (long i = 0; i < na; i++)
    o[i] += a[i];
#pragma agglom loop
  for (size_t i = 0; i < nb; i++)
    o[na + (long)i] += b[i];
}
// No section at all, no parameters.
#pragma agglom task
void nothing(void) {}

int main(void) {
  static int a[48][10], o[48][20];
  for (int u = 0; u < 48; u++)
    for (int i = 0; i < 10; i++)
      a[u][i] = u * 10 + i;
  for (int u = 0; u < 48; u++)
    switch (u % 6) {
    case 0:
      join(10, a[u], 10, a[u], o[u]);
      break;
    case 1:
      join(0, NULL, 7, a[u], o[u]);
      break;
    case 2:
      join(5, a[u], 0, NULL, o[u]);
      break;
    case 3:
      join(0, NULL, 0, NULL, NULL);
      break;
    case 4:
      join(0, a[u] + 10, 3, a[u], o[u]);
      break;
    default:
      join(0, (const int *)(uintptr_t)16, 0, a[u] + 10, (int *)(uintptr_t)-16);
    }
  for (int k = 0; k < 9; k++)
    nothing();
#pragma agglom wait
  for (int u = 0; u < 48; u++) {
    for (int i = 0; i < 20; i++)
      printf("%d ", o[u][i]);
    printf("\n");
  }
  return 0;
}
