// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All shortest paths (Floyd and Warshall) a row a unit: in each of the rounds all rows wait for one of the round before.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: through: 2070 units in [[#]] launch
#include <stdio.h>

enum { N = 46 };

#pragma agglom task in(via[0:N]) inout(row[0:N])
static void through(int k, const int *via, int *row) {
  int to = row[k];
#pragma agglom loop
  for (int j = 0; j < N; j++) {
    int length = to + via[j];
    row[j] = length < row[j] ? length : row[j];
  }
}

int main(void) {
  static int d[N][N];
  unsigned r = 17;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      r = r * 1664525 + 1013904223;
      d[i][j] = i == j ? 0 : r >> 29 ? 1000000 : 1 + (int)(r >> 8) % 900;
    }
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      if (i != k)
        through(k, d[k], d[i]);
#pragma agglom wait
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      printf("%d%c", d[i][j], j == N - 1 ? '\n' : ' ');
  return 0;
}
