// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// device(gpu) without a device says so once and runs on the CPU; device(cpu) never goes to a device; AGGLOM_SPLIT=cpu
// keeps everything on the CPU.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=agglom: < %t.err
// NONE: agglom: warning: {{.*}}devices.c:[[#LINE:]]: task 'wants' is device(gpu), but there is no device to use; its units run on the CPU
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.report %t 2> %t.err | cmp - %t.out && count 0 < %t.err
// RUN: FileCheck %s < %t.report
// CHECK-DAG: wants: 30 units in {{[0-9]+}} launch{{(es)?}} on emulated:0 {{.*}} 0 on the CPU
// CHECK-DAG: shuns: 0 units in 0 launches, 30 on the CPU
// CHECK-DAG: takes: 30 units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=cpu AGGLOM_REPORT=1 %t 2>&1 > %t.split.out | FileCheck %s --check-prefix=CPU && cmp %t.split.out %t.out
// CPU-DAG: wants: 0 units in 0 launches, 30 on the CPU
// CPU-DAG: takes: 0 units in 0 launches, 30 on the CPU
#include <stdio.h>

#pragma agglom task inout(x[0:n]) device(gpu)
void wants(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += i;
}
static int calls;
#pragma agglom task inout(x[0:n]) device(cpu)
void shuns(int n, int *x) {
  for (int i = 0; i < n; i++)
    x[i] *= 3;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}
#pragma agglom task inout(x[0:n]) device(any)
void takes(int n, int *x) {
  for (int i = 0; i < n; i++)
    x[i] -= 5;
}

int main(void) {
  static int x[30][6];
  for (int u = 0; u < 30; u++) {
    wants(6, x[u]);
    shuns(6, x[u]);
    takes(6, x[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 30; u++)
    printf("%d %d %d %d\n", x[u][0], x[u][1], x[u][5], calls);
  return 0;
}
