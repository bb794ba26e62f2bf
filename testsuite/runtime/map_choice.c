// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks or warps, chosen for each launch: by AGGLOM_MAP, by the size of the units, by what was measured. A forced
// mapping stays.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.warp AGGLOM_MAP=warp %t > %t.out
// RUN: FileCheck --check-prefix=WARP %s < %t.warp
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.block AGGLOM_MAP=block %t | cmp - %t.out
// RUN: FileCheck --check-prefix=BLOCK %s < %t.block
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.auto %t | cmp - %t.out
// RUN: FileCheck --check-prefix=AUTO %s < %t.auto
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_MAP=threads %t 2>&1 | FileCheck --check-prefix=ENV %s
// ENV: agglom: error: AGGLOM_MAP=threads is not understood: accepted are auto, block or warp; using auto instead
#include <stdio.h>

#define TASK(name, ...)                                                                             \
  _Pragma("agglom task inout(x[0:n])") static void name(int n, int *x) {                            \
    _Pragma(__VA_ARGS__) for (int i = 0; i < n; i++) x[i] += i;                                     \
  }
TASK(shorter, "agglom loop")
TASK(longer, "agglom loop")
TASK(measured, "agglom loop")
TASK(always_block, "agglom loop map(block)")
TASK(always_warp, "agglom loop map(warp)")

int main(void) {
  static int x[2000][20], y[4][5000];
  long sum = 0;
  for (int u = 0; u < 40; u++) {
    shorter(20, x[u]);
    always_block(20, x[u]);
    always_warp(20, x[u]);
  }
  for (int u = 0; u < 4; u++)
    longer(5000, y[u]);
#pragma agglom wait
  for (int round = 0; round < 4; round++) {
    for (int u = 0; u < 2000; u++)
      measured(20, x[u]);
#pragma agglom wait
  }
  for (int u = 0; u < 2000; u++)
    for (int i = 0; i < 20; i++)
      sum = sum * 3 % 1000003 + x[u][i];
  for (int u = 0; u < 4; u++)
    for (int i = 0; i < 5000; i++)
      sum = sum * 3 % 1000003 + y[u][i];
  printf("%ld\n", sum);
  return 0;
}
// WARP: shorter: 40 units
// WARP: chains {{.*}} 1 of 1 launch by warps
// WARP: longer: 4 units
// WARP: chains {{.*}} 1 of 1 launch by warps
// WARP: measured:
// WARP: chains {{.*}} 4 of 4 launches by warps
// WARP: always_block: 40 units
// WARP: chains {{.*}} 0 of 1 launch by warps
// WARP: always_warp: 40 units
// WARP: chains {{.*}} 1 of 1 launch by warps
// BLOCK: shorter: 40 units
// BLOCK: chains {{.*}} 0 of 1 launch by warps
// BLOCK: measured:
// BLOCK: chains {{.*}} 0 of 4 launches by warps
// BLOCK: always_warp: 40 units
// BLOCK: chains {{.*}} 1 of 1 launch by warps
// AUTO: shorter: 40 units
// AUTO: chains {{.*}} 1 of 1 launch by warps
// AUTO: longer: 4 units
// AUTO: chains {{.*}} 0 of 1 launch by warps
// AUTO: measured: 8000 units
// AUTO: chains {{.*}} 2 of 4 launches by warps
