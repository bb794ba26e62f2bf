// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first value and the bound of a loop are evaluated by the host when the loop is reached: they may read memory that
// no clause names.
// RUN: %agglomcc -O1 -Werror %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: %cc -Wno-unknown-pragmas %s -o %t.plain && %t.plain | FileCheck %s
#include <stdio.h>

struct grid {
  int n, *ends;
};
struct grids {
  struct grid *first;
};

static int ends[3] = {5, 6, 7};
static struct grid grid = {4, ends}, *grids = &grid;
static double x[10];

static void show(const char *what) {
  printf("%s", what);
  for (int i = 0; i < 10; ++i)
    printf(" %g", x[i]);
  printf("\n");
}

int main(void) {
  int local[3] = {8, 9, 10}, *behind = local, (*row)[3] = &local;
  for (int k = 0; k < 3; ++k) {
#pragma agglom for inout(x[i])
    for (int i = ends[0] - 5; i < ends[k]; ++i)
      x[i] += 1;
#pragma agglom for inout(x[i])
    for (int i = local[0] - 8; i < local[k]; ++i)
      x[i] += 10;
  }
  // CHECK: arrays 33 33 33 33 33 32 31 30 20 10
  show("arrays");
#pragma agglom for inout(x[i])
  for (int i = (*row)[0] - 8; i < behind[2]; ++i)
    x[i] = 0;
#pragma agglom for inout(x[i])
  for (int i = 0; i < grid.n; ++i)
    x[i] += 1;
#pragma agglom for inout(x[i])
  for (int i = grids->n - 1; i <= grids->ends[2]; ++i)
    x[i] += 10;
#pragma agglom for inout(x[i])
  for (int i = 0 * *behind; i < (*row)[1]; ++i)
    x[i] += 100;
  // CHECK: others 101 101 101 111 110 110 110 110 100 0
  show("others");
#pragma agglom for inout(x[i : 1]) collapse(2)
  for (int i = local[0] - 8; i < grids->ends[0]; ++i)
    for (int j = 0; j < 3; ++j)
      x[i] += 0;
  struct grids all = {&grid}, *at = &all;
  int *rows[1] = {ends};
#pragma agglom for inout(x[i])
  for (int i = at->first->ends[0]; i < at->first[0].ends[1]; ++i)
    x[i] += 1000;
#pragma agglom for inout(x[i])
  for (int i = rows[0][0]; i < rows[all.first->n - 4][1]; ++i)
    x[i] -= 1000;
  // CHECK: nest 101 101 101 111 110 110 110 110 100 0
  show("nest");
  return 0;
}
