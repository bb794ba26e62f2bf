// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An unstructured mesh: edges scatter onto the nodes they share, with functions that get addresses of nodes; then the
// nodes move; and the node with the largest value is found by an index packed below it.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: edges: [[#]] units in
#include <stdint.h>
#include <stdio.h>

enum { NODES = 700, EDGES = 2100, CHUNK = 70, STEPS = 6 };

static void push(double *f, double by) {
  f[0] += by;
  f[1] -= 2 * by;
}
static void exchange(double (*f)[2], const int *ends, double by) {
  push(f[ends[0]], by);
  push(f[ends[1]], -by);
}

#pragma agglom task in(ends[0:n], x[0:NODES]) accumulate(+: f[0:NODES]) accumulate(+: degree[0:NODES])
void edges(int n, const int (*ends)[2], const double *x, double (*f)[2], short *degree) {
#pragma agglom loop
  for (int e = 0; e < n; e++) {
    exchange(f, ends[e], x[ends[e][1]] - x[ends[e][0]]);
    for (int k = 0; k < 2; k++)
      ++degree[ends[e][k]];
  }
}
#pragma agglom task inout(f[0:n], x[0:n])
void move(int n, double (*f)[2], double *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    x[i] += (f[i][0] - f[i][1]) / 64;
    f[i][0] = f[i][1] = 0;
  }
}
#pragma agglom task in(x[0:n]) accumulate(max: most[0:1])
void highest(int n, int first, const double *x, uint64_t *most) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    uint64_t at = (uint64_t)(x[i] * 64 + (1 << 30)) << 32 | (uint64_t)(first + i);
    *most = at > *most ? at : *most;
  }
}

int main(void) {
  static int ends[EDGES][2];
  static double x[NODES], f[NODES][2];
  static short degree[NODES];
  unsigned r = 11;
  for (int e = 0; e < EDGES; e++)
    for (int k = 0; k < 2; k++)
      ends[e][k] = (int)((r = r * 1664525 + 1013904223) >> 8) % NODES;
  for (int i = 0; i < NODES; i++)
    x[i] = i * 7 % 64;
  for (int s = 0; s < STEPS; s++) {
    for (int e = 0; e < EDGES; e += CHUNK)
      edges(CHUNK, (const int (*)[2])ends + e, x, f, degree);
    for (int i = 0; i < NODES; i += CHUNK)
      move(CHUNK, f + i, x + i);
    uint64_t most = 0;
    for (int i = 0; i < NODES; i += CHUNK)
      highest(CHUNK, i, x + i, &most);
#pragma agglom wait
    printf("%d %g\n", (int)(most & 0xffffffff), x[most & 0xffffffff]);
  }
  for (int i = 0; i < NODES; i++)
    printf("%g %d\n", x[i], degree[i]);
  return 0;
}
