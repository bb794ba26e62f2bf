// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// collapse, private, sort and map: what they accept without a word.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-loop -Wall -Wextra -Werror -Xclang -verify %s
// expected-no-diagnostics

enum { DEPTH = 3 };
struct pair {
  int a, b;
};
static const int weight[4] = {3, 1, 2, 0};
static inline int twice(int v) { return 2 * v; }

#pragma agglom task inout(x[0:n * m])
void collapses(int n, int m, int *x) {
  int i, j;
#pragma agglom loop collapse(2)
  for (int a = 0; a < n; a++)
    for (int b = m - 1; b >= 0; b--)
      x[a * m + b] = a;
#pragma agglom loop collapse(DEPTH - 1) map(block)
  for (i = 0; i < n; i++) {
    {
      for (j = 0; j != m; ++j) {
        x[i * m + j]++;
      }
    }
  }
#pragma agglom loop collapse(1)
  for (int a = 0; a < n; a++)
    x[a] += i + j;
}

#pragma agglom task inout(x[0:n])
void privates(int n, int *x) {
  int t, many[4];
  struct pair p;
  int *q;
#pragma agglom loop private(t, many) private(p), private(q)
  for (int i = 0; i < n; i++) {
    t = x[i];
    for (int k = 0; k < 4; k++)
      many[k] = t + k;
    p.a = many[2];
    q = &p.a;
    x[i] = *q;
  }
}

#pragma agglom task inout(x[0:n]) in(key[0:n])
void sorts(int n, int *x, const unsigned char *key) {
#pragma agglom loop sort(key[i])
  for (int i = 0; i < n; i++)
    x[i]++;
#pragma agglom loop collapse(2) sort(twice(a) * weight[b & 3] - x[a])
  for (int a = 0; a < n; a++)
    for (int b = 0; b < 1; b++)
      x[a]++;
}

#pragma agglom task inout(x[0:n])
void by_warp(int n, int *x) {
#pragma agglom loop map(warp)
  for (int i = 0; i < n; i++)
    x[i]++;
#pragma agglom loop map(auto)
  for (int i = 0; i < n; i++)
    x[i]++;
#pragma agglom loop map(warp)
  for (int i = 0; i < n; i++) {
#pragma agglom loop map(thread)
    for (int k = 0; k < 3; k++)
      x[i] += k;
  }
}
#pragma agglom task inout(x[0:n])
void by_thread(int n, int *x) {
  int h[2] = {0};
#pragma agglom loop map(thread)
  for (int i = 0; i < n; i++)
    h[x[i] & 1]++;
  x[0] = h[0] + h[1];
}
