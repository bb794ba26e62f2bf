// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects made by agglomcc, linked by the host compiler alone: the library is called agglomrt. Also out of an archive.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -I%S/Inputs -c %s -o main.o && %agglomcc -O1 -I%S/Inputs -c %S/Inputs/both_other.c -o other.o
// RUN: %cc -O1 -Wno-unknown-pragmas -I%S/Inputs %s %S/Inputs/both_other.c -o serial && ./serial > serial.out
// RUN: llvm-ar rcs libother.a other.o
// RUN: %cc main.o other.o -L%lib -lagglomrt -Wl,-rpath,%lib -o shared && env AGGLOM_DEVICES=emulated AGGLOM_REPORT=1 ./shared 2> report | cmp - serial.out
// RUN: FileCheck %s < report
// RUN: %cc main.o -L. -lother %lib/libagglomrt.a -lpthread -ldl -lm -o static && env AGGLOM_DEVICES=emulated AGGLOM_REPORT=1 ./static 2> report | cmp - serial.out
// RUN: FileCheck %s < report
// CHECK-DAG: both_static: 20 units in
// CHECK-DAG: both_declared: 20 units in
#include "both.h"
#include <stdio.h>

int main(void) {
  static int x[20][16];
  static long sum[20];
  for (int u = 0; u < 20; u++)
    x[u][u % 16] = u;
  other(x, sum);
#pragma agglom wait
  for (int u = 0; u < 20; u++)
    printf("%d %ld\n", x[u][u % 16], sum[u]);
  return 0;
}
