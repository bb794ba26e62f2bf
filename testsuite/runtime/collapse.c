// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops collapsed into one: up, down, with steps, empty ones, of narrow and wide types, with reductions and private
// variables, and the variables' values afterwards.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: two: 60 units in
// CHECK: three: 30 units in
// CHECK: edges: 4 units in
#include <limits.h>
#include <stdio.h>

#pragma agglom task inout(x[0:40]) out(o[0:4])
void two(int n, int m, int *x, long *o) {
  long sum = 5;
  int i = -7, j = -8, low = 1000, t;
#pragma agglom loop collapse(2) reduction(+: sum) reduction(min: low) private(t)
  for (i = n - 1; i >= 0; i--) {
    for (j = 0; j < m; j += 2) {
      t = i * m + j;
      if (t % 3 == 2)
        continue;
      x[t % 40] += t < 40 ? t : 0;
      sum += t * (long)i;
      low = t - 7 < low ? t - 7 : low;
    }
  }
  o[0] = i;
  o[1] = j;
  o[2] = sum;
  o[3] = low;
}

#pragma agglom task inout(x[0:60])
void three(int a, short b, unsigned char c, int *x) {
#pragma agglom loop collapse(3)
  for (int i = 1; i <= a; i++)
    for (short j = b; j > 0; j--)
      for (unsigned char k = 0; k != c; k++)
        x[((i - 1) * 4 + (j - 1)) * 3 + k] += i * 100 + j * 10 + k;
}

// How often, and between which values. k is 0, so the bounds are no constants.
#pragma agglom task out(o[0:12])
void edges(int k, long long *o) {
  long long n = 0, s = 0;
#pragma agglom loop collapse(2) reduction(+: n, s)
  for (int i = INT_MAX - 3 + k; i < INT_MAX; i++)
    for (unsigned j = UINT_MAX - 6 + (unsigned)k; j < UINT_MAX; j += 2)
      n++, s += i % 1000 + j % 77;
  o[0] = n, o[1] = s;
  n = s = 0;
  // 2^32 - 1 times 2^63 iterations, were it not for the empty loop around them.
#pragma agglom loop collapse(3) reduction(+: n)
  for (int l = 0; l < k; l++)
    for (unsigned i = 0; i < UINT_MAX - (unsigned)k; i++)
      for (long long j = LLONG_MIN; j < k; j++)
        n++;
  o[2] = n;
  long a = 11, b = 12, c = 13;
#pragma agglom loop collapse(3) reduction(+: n)
  for (a = 0; a < 3; a++)
    for (b = 4; b < k; b++)
      for (c = 0; c < 2; c++)
        n++;
  o[3] = a, o[4] = b, o[5] = c, o[6] = n;
#pragma agglom loop collapse(2) reduction(^: s)
  for (signed char i = (signed char)(-128 + k); i < 127; i += 5)
    for (int j = 0; j != 3; ++j)
      s ^= (long long)(i + 300) << (j * 8);
  o[7] = s;
#pragma agglom loop collapse(2)
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      o[8 + 2 * i + j] = i * 10 + j;
}

int main(void) {
  static int x[60][40], y[30][60];
  static long o[60][4];
  static long long e[4][12];
  for (int u = 0; u < 60; u++)
    two(u % 6, u / 6, x[u], o[u]);
  for (int u = 0; u < 30; u++)
    three(u % 6, (short)(u % 5), (unsigned char)(u % 4), y[u]);
  for (int u = 0; u < 4; u++)
    edges(0, e[u]);
#pragma agglom wait
  for (int u = 0; u < 60; u++) {
    for (int k = 0; k < 4; k++)
      printf("%ld ", o[u][k]);
    for (int k = 0; k < 40; k++)
      printf("%d ", x[u][k]);
    printf("\n");
  }
  for (int u = 0; u < 30; u++) {
    for (int k = 0; k < 60; k++)
      printf("%d ", y[u][k]);
    printf("\n");
  }
  for (int u = 0; u < 4; u++) {
    for (int k = 0; k < 12; k++)
      printf("%lld ", e[u][k]);
    printf("\n");
  }
  return 0;
}
