// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code between the loops of a unit runs once, in order, and sees what the loops wrote.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: steps: 33 units in
#include <stdio.h>

#define MORE(p, k)                                                                                  \
  (p)[k] +=                                                                                         \
      (p)[(k) + 1] *                                                                                \
      2
static int twice(int x) { return 2 * x; }
static void tell(int *log, int *n, int what) { log[(*n)++ & 31] += what; }

#pragma agglom task inout(x[0:n], log[0:32], count[0:1])
void steps(int n, int *x, int *log, int *count) {
  int first = x[0], k = 1;
  x[0] = first + 1;
  count[0]++;
  if (n > 4)
    x[1] += x[0];
  else if (n == 4)
    x[1]--;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += i * x[0] * 0 + count[0];
  MORE(x, 0);
  k += x[2];
  MORE(
      x,
      1
      );
  tell(log, count, twice(x[0]));
  while (x[0] < 40) {
    x[0] += 7;
    tell(log, count, k);
  }
#pragma agglom loop
  for (int i = 1; i < n; i++) {
    x[i] += x[0] + k;
    x[i] ^= first;
  }
  for (int i = 0; i < 3; i++) {
    log[i] += x[n - 1 - i];
    x[n - 1 - i]++;
  }
  if (x[1] % 2) {
    k = 5;
    log[30] += k;
    return;
  }
  do
    log[29]++;
  while (log[29] < 3);
#pragma agglom loop
  for (int i = n - 1; i >= 0; i--)
    x[i]--;
  log[31] = x[n - 1] + count[0];
}

int main(void) {
  static int x[33][50], log[33][32], count[33];
  for (int u = 0; u < 33; u++)
    for (int i = 0; i < 50; i++)
      x[u][i] = u + i * 3;
  for (int u = 0; u < 33; u++)
    steps(4 + u, x[u], log[u], &count[u]);
#pragma agglom wait
  for (int u = 0; u < 33; u++) {
    for (int i = 0; i < 50; i++)
      printf("%d ", x[u][i]);
    for (int i = 0; i < 32; i++)
      printf("%d ", log[u][i]);
    printf("%d\n", count[u]);
  }
  return 0;
}
