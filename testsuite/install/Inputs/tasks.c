/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <agglom.h>
#include <stdio.h>

#pragma agglom task in(a[0:n]) out(b[0:n])
static void twice(const int *a, int *b, int n) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    b[i] = 2 * a[i];
}

int main(void) {
  enum { N = 64, UNITS = 8 };
  static int a[UNITS][N], b[UNITS][N];
  for (int u = 0; u < UNITS; ++u)
    for (int i = 0; i < N; ++i)
      a[u][i] = u * N + i;
  for (int u = 0; u < UNITS; ++u)
    twice(a[u], b[u], N);
#pragma agglom wait
  long sum = 0;
  for (int u = 0; u < UNITS; ++u)
    for (int i = 0; i < N; ++i)
      sum += b[u][i];
  printf("sum %ld\n", sum);
  return 0;
}
