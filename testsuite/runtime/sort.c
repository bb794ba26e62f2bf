// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations in the order of a key: every one is run once, whatever the keys are (equal ones, the ends of their types,
// more than a tile of them), with reductions, private variables, collapsed and split loops.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: by_key: 12 units in
// CHECK: by_word: 4 units in
// CHECK: by_warp: 38 units in
// CHECK: spread: 1 unit in
// CHECK: by_table: 1 unit in
#include <limits.h>
#include <stdio.h>

#pragma agglom task in(key[0:n]) inout(x[0:n]) out(o[0:2])
void by_key(int n, const signed char *key, int *x, long *o) {
  long sum = 1;
  int most = -1, t;
#pragma agglom loop sort(key[i] * 3) reduction(+: sum) reduction(max: most) private(t)
  for (int i = 0; i < n; i++) {
    t = key[i];
    if (t == 4)
      continue;
    x[i] = 2 * x[i] + t;
    sum += x[i];
    most = i % 97 > most ? i % 97 : most;
  }
  o[0] = sum, o[1] = most;
}

#pragma agglom task in(key[0:n]) inout(x[0:n * 3])
void by_word(int n, const unsigned long *key, int *x) {
#pragma agglom loop collapse(2) sort(j == 1 ? 0 : key[i])
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < 3; j++)
      x[3 * i + j] += i + j;
}

#pragma agglom task inout(x[0:n])
void by_warp(int n, long *x, long top) {
  long sum = 0;
#pragma agglom loop sort(i & 1 ? top : -top - 1 + i) map(warp) reduction(+: sum)
  for (int i = 0; i < n; i++)
    sum += x[i] = x[i] + i;
  if (n) /* an empty section holds no x[0] */
    x[0] += sum;
}

#pragma agglom task in(key[0:n]) out(x[0:n])
void spread(int n, const int *key, int *x) {
#pragma agglom loop sort(key[i])
  for (int i = 0; i < n; i++)
    x[i] = key[i] + i;
}

#pragma agglom task in(key[0:n][0:m]) out(x[0:n][0:2])
void by_table(int n, int m, const int key[n][m], int x[][2]) {
#pragma agglom loop collapse(2) sort(key[i][m - 1 - j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 2; j++)
      x[i][j] = key[i][m - 1] + j;
}

int main(void) {
  static int in_table[1000][2];
  static signed char key[12][3000];
  static unsigned long word[4][1000];
  static int x[12][3000], y[4][3000], spread_key[20000], spread_x[20000];
  static long o[12][2], z[38][500];
  unsigned random = 1;
  for (int u = 0; u < 12; u++)
    for (int i = 0; i < 3000; i++) {
      random = random * 1664525u + 1013904223u;
      key[u][i] = (signed char)(u == 3 ? 7 : (random >> 24) - 128);
      x[u][i] = (int)(random >> 28);
      word[u % 4][i % 1000] = u & 1 ? ~(unsigned long)random : random;
    }
  for (int i = 0; i < 20000; i++)
    spread_key[i] = (int)(i * 7919LL % 1000) - 500;
  for (int u = 0; u < 12; u++)
    by_key(u < 5 ? u : u < 10 ? 130 * (u - 4) : 3100 - 100 * u, key[u], x[u], o[u]);
  for (int u = 0; u < 4; u++)
    by_word(u * 300, word[u], y[u]);
  for (int u = 0; u < 38; u++)
    by_warp(u < 36 ? u : 100 * (u - 33), z[u], LONG_MAX);
  spread(20000, spread_key, spread_x);
  by_table(1000, 20, (void *)spread_key, in_table);
#pragma agglom wait
  for (int u = 0; u < 12; u++) {
    unsigned h = 0;
    for (int i = 0; i < 3000; i++)
      h = h * 31 + (unsigned)x[u][i];
    for (int i = 0; i < 3000; i++)
      h = h * 31 + (unsigned)y[u % 4][i];
    printf("%ld %ld %08x\n", o[u][0], o[u][1], h);
  }
  for (int u = 0; u < 38; u++)
    for (int i = 0; i < 500; i++)
      printf("%ld%c", z[u][i], i == 499 ? '\n' : ' ');
  unsigned h = 0;
  for (int i = 0; i < 20000; i++)
    h = h * 31 + (unsigned)spread_x[i];
  for (int i = 0; i < 1000; i++)
    h = h * 31 + (unsigned)(in_table[i][0] ^ in_table[i][1] << 9);
  printf("%08x\n", h);
  return 0;
}
