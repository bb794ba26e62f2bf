// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device whose calls fail, now and then, for good, or with an error that takes the whole device along: every unit
// still takes effect once, also those that others of the same memory wait for.
// RUN: %compare %s %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=2 AGGLOM_REPORT=1 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: FileCheck %s < %t.err
// CHECK: agglom: warning: {{.*}}faults.c:[[#]]: task '{{spread|gather}}': a batch of [[#]] units failed on emulated:0 ({{.*}}); they are tried again in smaller batches, and what fails alone runs on the CPU, nothing is lost
// CHECK: total: {{.*}} 1 failed
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=3,error=sticky AGGLOM_REPORT=1 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: grep -c "units failed on" %t.err && grep -q "units in . launch.* on emulated:0" %t.err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,times=all %t.agglom 2>&1 > %t.out | FileCheck %s --check-prefix=FAILED && cmp %t.out %t.serial.out
// FAILED: units failed on emulated:0
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_in,nth=2,times=2 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_out,nth=3,times=all %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=mark,nth=2,error=sticky %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=alloc,times=all,error=oom %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=host_alloc,times=all,error=oom %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=stream,times=all %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=kernel,times=all %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated:3 AGGLOM_BATCH=static:5 AGGLOM_FAULT=call=launch,nth=4,error=sticky,times=2 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=static:5 AGGLOM_TIMEOUT=50ms AGGLOM_FAULT=call=launch,nth=4,error=hang %t.agglom 2>&1 > %t.out | FileCheck %s --check-prefix=HANG && cmp %t.out %t.serial.out
// HANG: agglom: warning: emulated:[[#]] (emulated device [[#]]) failed: a batch of task '{{spread|gather}}' was not complete after [[#]] ms (AGGLOM_TIMEOUT); it is not used any more and its units run elsewhere; set AGGLOM_TIMEOUT to more where kernels are long, or look for a loop in the task that does not end
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_TIMEOUT=50ms AGGLOM_FAULT=call=copy_out,nth=2,error=hang %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=close,error=sticky %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=8KB AGGLOM_REPORT=1 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: FileCheck %s --check-prefix=SMALL < %t.err
// SMALL-DAG: total: {{.*}} 0 failed
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void spread(int n, unsigned *x, unsigned k) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 3 + k + (unsigned)i;
}
#pragma agglom task in(x[0:n]) inout(sum[0:1])
void gather(int n, const unsigned *x, unsigned *sum) {
  for (int i = 0; i < n; i++)
    *sum = *sum * 7 + x[i];
}

int main(void) {
  static unsigned x[25][40], big[4000], sums[25];
  for (unsigned round = 0; round < 6; round++) {
    for (unsigned u = 0; u < 25; u++)
      spread(40, x[u], round * u);
    spread(4000, big, round);
    for (unsigned u = 0; u < 25; u++)
      gather(40, x[u], &sums[(u * round) % 25]);
    if (round & 1) {
#pragma agglom wait
      printf("%u\n", sums[round]);
    }
  }
  for (int u = 0; u < 25; u++)
    printf("%u %u %u\n", x[u][u], sums[u], big[u * 100]);
  return 0;
}
