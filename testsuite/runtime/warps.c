// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp mapping: several units a block, barriers and reductions within a warp, statements done once, chains, and units
// that wait for units of other warps of their block and of other blocks.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: small: 500 units in
// CHECK: steps: 600 units in
// CHECK: cell: {{[0-9]+}} units in
#include <stdio.h>

enum { W = 8 };

// Chosen: at most 16 iterations.
#pragma agglom task inout(x[0:16]) out(o[0:1])
void small(int *x, long *o) {
  long sum = 0;
  int top = -1;
#pragma agglom loop reduction(+: sum) reduction(max: top)
  for (int i = 0; i < 16; i++) {
    x[i] = 3 * x[i] + i;
    sum += x[i];
    top = x[i] % 29 > top ? x[i] % 29 : top;
  }
  if (top > 14)
    x[0] = top;
#pragma agglom loop
  for (int i = 15; i > 0; i -= 3)
    x[i] -= x[0];
  *o = sum + top;
}

// Asked for: more iterations than a warp has threads, and many updates of one place.
#pragma agglom task inout(x[0:n])
void steps(int n, int *x, int by) {
  unsigned seen = 0;
#pragma agglom loop reduction(^: seen) map(warp)
  for (int i = 0; i < n; i++) {
    x[i] = (int)(5u * (unsigned)x[i] + (unsigned)(by + i));
    seen ^= (unsigned)x[i];
  }
  x[n / 2] += (int)(seen % 1000);
}

// A wavefront: units wait for their neighbours to the left and above.
#pragma agglom task in(left[0:4], above[0:4]) inout(here[0:4])
void cell(const int *left, const int *above, int *here) {
  int most = 0;
#pragma agglom loop map(warp) reduction(max: most)
  for (int k = 0; k < 4; k++) {
    int larger = left[k] > above[k] ? left[k] : above[k];
    most = larger > most ? larger : most;
  }
#pragma agglom loop map(warp)
  for (int k = 0; k < 4; k++)
    here[k] += left[3 - k] + above[k] + most % 7;
}

int main(void) {
  static int x[500][16], y[20][70], grid[W + 1][W + 1][4];
  static long o[500];
  for (int u = 0; u < 500; u++)
    for (int i = 0; i < 16; i++)
      x[u][i] = (u * 31 + i * 17) % 101;
  for (int i = 0; i <= W; i++)
    for (int j = 0; j <= W; j++)
      for (int k = 0; k < 4; k++)
        grid[i][j][k] = i * j + k;
  for (int u = 0; u < 500; u++)
    small(x[u], &o[u]);
  for (int r = 0; r < 30; r++)
    for (int u = 0; u < 20; u++)
      steps(1 + u * 3, y[u], r);
  for (int i = 1; i <= W; i++)
    for (int j = 1; j <= W; j++)
      cell(grid[i][j - 1], grid[i - 1][j], grid[i][j]);
#pragma agglom wait
  for (int u = 0; u < 500; u++) {
    printf("%ld:", o[u]);
    for (int i = 0; i < 16; i++)
      printf(" %d", x[u][i]);
    printf("\n");
  }
  for (int u = 0; u < 20; u++)
    for (int i = 0; i < 70; i++)
      printf("%d%c", y[u][i], i == 69 ? '\n' : ' ');
  for (int i = 0; i <= W; i++)
    for (int j = 0; j <= W; j++)
      printf("%d %d %d %d\n", grid[i][j][0], grid[i][j][1], grid[i][j][2], grid[i][j][3]);
  return 0;
}
