// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole objects of several sizes that are accumulated with one operation: their partial results lie together on a
// device, and each number of each of them counts.
// RUN: %agglomcc -O2 %s -o %t
// RUN: AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu %t | FileCheck %s
// RUN: AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_BATCH=maximal %t | FileCheck %s
#include <stdio.h>
static double bins[10], total;
static int counts[7], more[3], all;

#pragma agglom task accumulate(+: *row, *one)
static void by_rows(int k, int (*row)[10], int *one) {
  (*row)[k % 10] += k;
  *one += 1;
}

int main(void) {
#pragma agglom for accumulate(+: bins, total)
  for (int k = 0; k < 32; ++k) {
    bins[k % 10] += 1;
    total += k;
  }
  printf("%g %g\n", bins[3], total); // CHECK: 3 496
#pragma agglom for accumulate(+: counts, more, all)
  for (int k = 0; k < 100; ++k) {
    counts[k % 7] += k;
    more[k % 3] += 1;
    all += 2;
  }
  printf("%d %d %d\n", counts[6], more[2], all); // CHECK: 721 33 200
  static int row[1][10], one;
  for (int k = 0; k < 100; ++k)
    by_rows(k, row, &one);
#pragma agglom wait
  printf("%d %d\n", row[0][4], one); // CHECK: 490 100
}
