// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `private` may name what the loop counts, as in programs of OpenMP.
// RUN: %agglomcc -O1 -Wall -Wextra -Werror %s -o %t
// RUN: env AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu %t | FileCheck %s
// CHECK: 196 28 140
#include <stdio.h>

static int y[8][8], z[8], w[8][8];

#pragma agglom task out(a[0:8])
static void squares(int *a) {
  int i;
#pragma agglom loop private(i)
  for (i = 0; i < 8; ++i)
    a[i] = i * i;
}

int main(void) {
  int i, j, t, sum[3] = {0};
#pragma agglom for private(i, j, t) out(y[i][0 : 8])
  for (i = 0; i < 8; ++i)
    for (j = 0; j < 8; ++j) {
      t = i + j;
      y[i][j] = t;
    }
#pragma agglom for private(j) private(i) out(w[i][0 : 8])
  for (i = 0; i < 8; ++i)
    for (j = 0; j < 8; ++j)
      w[i][j] = i == j ? i : 0;
  squares(z);
#pragma agglom wait
  for (i = 0; i < 8; ++i) {
    sum[0] += y[i][7 - i] + y[i][i] * 2 + y[i][0];
    sum[2] += z[i];
    for (j = 0; j < 8; ++j)
      sum[1] += w[i][j];
  }
  printf("%d %d %d\n", sum[0], sum[1], sum[2]);
  return 0;
}
