// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units that wait for the same one become ready together; then they go in the order of their calls: those for a CPU as
// language.md says, and those of a queue in one launch. The order shows in what the program prints.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_EMULATE=threads=1 AGGLOM_BATCH=maximal AGGLOM_SPLIT=gpu %t | FileCheck %s
// CHECK: on a CPU: 0 1 2 3 4 5 6 7
// CHECK-NEXT: in a queue: 0 1 2 3 4 5 6 7
// CHECK-NEXT: behind a sum: 0 1 2 3 4 5 6 7
#include <stdio.h>

#pragma agglom task out(x[0:8]) device(cpu)
static void first(int *x) {
  for (int i = 0; i < 8; ++i)
    x[i] = i;
}
#pragma agglom task in(x[0:8]) inout(y[0:1]) device(cpu)
static void then(const int *x, int *y, int i) {
  *y = x[i];
  printf(" %d", i);
}
#pragma agglom task in(x[0:8]) inout(y[0:1])
static void later(const int *x, int *y, int i) {
  *y = x[i];
  printf(" %d", i);
}

#pragma agglom task accumulate(+: c[0:1]) out(x[0:8]) device(cpu)
static void count(int *c, int *x) {
  ++*c;
  for (int i = 0; i < 8; ++i)
    x[i] = i;
}
#pragma agglom task in(c[0:1]) inout(y[0:1]) device(cpu)
static void take(const int *c, int *y, int i) {
  *y = *c + i;
  printf(" %d", i);
}

int main(void) {
  int x[8], y[8], c = 0;
  printf("on a CPU:");
  first(x);
  for (int i = 0; i < 8; ++i)
    then(x, &y[i], i);
#pragma agglom wait
  printf("\nin a queue:");
  first(x);
  for (int i = 0; i < 8; ++i)
    later(x, &y[i], i);
#pragma agglom wait
  printf("\nbehind a sum:"); // units that follow several ones at once, and units that follow one of them
  for (int i = 0; i < 3; ++i)
    count(&c, x);
  for (int i = 0; i < 4; ++i)
    take(&c, &y[i], i);
  for (int i = 4; i < 8; ++i)
    then(x, &y[i], i);
#pragma agglom wait
  puts("");
  return y[7] != 7 || y[0] != 3;
}
