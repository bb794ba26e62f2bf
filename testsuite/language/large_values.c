// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures of many kilobytes by value: only read, with their addresses taken, written, copied, handed to functions
// and taken along by loops of host code. Their device code compiles as fast as that of small ones.
// RUN: %compare %s %t -w
// RUN: %agglomcc --emit-cuda -w %s | FileCheck %s
#include <stdio.h>
struct in {
  int k[3];
  double w;
};
struct big {
  double v[4000];
  struct in s[4];
  int n;
};
static double helper(struct big b, int i) {
  b.v[i] += 1;
  return b.v[i] + b.s[i % 4].k[1];
}
#pragma agglom task out(x[0:n])
static void reads(int n, double *x, struct big b) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = b.v[i * 10] + b.s[i % 4].w + b.s[b.n].k[2] + (b).n + sizeof b + sizeof b.v;
}
#pragma agglom task out(x[0:n])
static void writes(int n, double *x, struct big b) {
  b.n = 3;
  double *p = b.v + 1;
  p[0] = 7;
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = b.v[i] * b.n;
}
#pragma agglom task out(x[0:n])
static void copies(int n, double *x, const struct big b) {
  struct big c = b;
  c.v[0]++;
  for (int i = 0; i < n; ++i)
    x[i] = c.v[i] + helper(b, i) + helper(c, i + 1);
}
#pragma agglom task out(x[0:n])
static void small(int n, double *x, struct in s) {
  for (int i = 0; i < n; ++i)
    x[i] = s.k[i % 3] * s.w;
}
static void loop(int n, double *x, struct big b) {
#pragma agglom for out(x[i])
  for (int i = 0; i < n; ++i)
    x[i] = b.v[i * 10];
}
int main(void) {
  static struct big b;
  static double x[5][100];
  for (int i = 0; i < 4000; ++i)
    b.v[i] = i * 1.5;
  for (int i = 0; i < 4; ++i)
    b.s[i] = (struct in){{i, i + 1, i + 2}, i * 2};
  b.n = 2;
  reads(100, x[0], b);
  writes(100, x[1], b);
  copies(100, x[2], b);
  loop(100, x[3], b);
  small(100, x[4], b.s[3]);
#pragma agglom wait
  for (int k = 0; k < 5; ++k) {
    double s = 0;
    for (int i = 0; i < 100; ++i)
      s = s / 2 + x[k][i];
    printf("%.17g\n", s);
  }
  return 0;
}
// CHECK: reads__agglom_unit(int n, double *x, const struct big *ag_at_b,
// CHECK: (*ag_at_b).s[(*ag_at_b).n].k[2]
// CHECK: writes__agglom_unit(int n, double *x, const struct big *ag_at_b
// CHECK: struct big b = *ag_at_b;
// CHECK: small__agglom_unit(int n, double *x, struct in s
// CHECK: small__agglom_kernel
// CHECK: ag_u->s
