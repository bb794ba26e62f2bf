// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The permutation of `sort` really happens: with the threads of a block run one after another in index order, the order
// in which iterations come (kept by a counter that they race for on a true device) is the order of the keys, and of
// the iterations where keys are equal.
// RUN: %agglomcc -w -O1 %s -o %t
// RUN: %run-software GPU_IN_SOFTWARE_THREADS=order %t > %t.out
// RUN: FileCheck %s < %t.out
// RUN: env AGGLOM_DEVICES=emulated %t | FileCheck --check-prefix=SERIAL %s
#include <stdio.h>

#pragma agglom task in(key[0:n]) out(order[0:n]) inout(count[0:1])
void by_block(int n, const int *key, int *order, int *count) {
#pragma agglom loop sort(key[i])
  for (int i = 0; i < n; i++)
    order[count[0]++] = i;
}
#pragma agglom task in(key[0:n]) out(order[0:n]) inout(count[0:1])
void by_warp(int n, const int *key, int *order, int *count) {
#pragma agglom loop sort(-key[i]) map(warp)
  for (int i = 0; i < n; i++)
    order[count[0]++] = i;
}
#pragma agglom task in(key[0:n]) out(order[0:n]) inout(count[0:1])
void unsorted(int n, const int *key, int *order, int *count) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    order[count[0]++] = key[i] ? i : i;
}

int main(void) {
  enum { N = 30 };
  int key[N], a[N], b[N], c[N], na = 0, nb = 0, nc = 0;
  for (int i = 0; i < N; i++)
    key[i] = i * 7 % 10 - 4;
  by_block(N, key, a, &na);
  by_warp(N, key, b, &nb);
  unsorted(N, key, c, &nc);
#pragma agglom wait
  printf("block %d:", na);
  for (int i = 0; i < N; i++)
    printf(" %d", a[i]);
  printf("\nwarp %d:", nb);
  for (int i = 0; i < N; i++)
    printf(" %d", b[i]);
  printf("\nnot %d:", nc);
  for (int i = 0; i < N; i++)
    printf(" %d", c[i]);
  printf("\n");
  return 0;
}
// CHECK: block 30: 0 10 20 3 13 23 6 16 26 9 19 29 2 12 22 5 15 25 8 18 28 1 11 21 4 14 24 7 17 27
// CHECK: warp 30: 7 17 27 4 14 24 1 11 21 8 18 28 5 15 25 2 12 22 9 19 29 6 16 26 3 13 23 0 10 20
// CHECK: not 30: 0 1 2 3 4 5 6 7 8 9 10 11 12
// SERIAL: block 30: 0 1 2 3 4
