// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AGGLOM_TRACE says how many iterations each chunk of a loop had, wherever it ran: their sums are those of the report.
// RUN: %agglomcc -O1 %s -o %t
// RUN: for settings in AGGLOM_DEVICES=none AGGLOM_DEVICES=emulated "AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu" \
// RUN:   "AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=2" "AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_FAULT=call=launch,nth=5,error=sticky"; do \
// RUN:   env $settings AGGLOM_TRACE=%t.json %t 2> %t.err || exit 1; %S/Inputs/check-trace %t.json || { echo "$settings"; exit 1; }; done | FileCheck %s --check-prefix=OUT
// OUT-COUNT-5: sum 110239500
//
// Chunks on a device, one of them a unit; each of `summed`, which one block would run, is several units of one batch.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_TRACE=%t.json %t
// RUN: grep -o '"cat":"batch","name":"[a-z]*","args":{"units":1,.*"iterations":[0-9]*' %t.json | sed 's/.*"name":"\([a-z]*\)".*"iterations":/\1 /' | LC_ALL=C sort | uniq -c | FileCheck %s --check-prefix=UNIT
// UNIT:      10 even 1000
// UNIT-NEXT: 1 even 500
// UNIT-NOT: summed
// RUN: grep -o '"name":"summed","args":{"units":.*"iterations":[0-9]*' %t.json | sed 's/"units":[1-9][0-9],/several /; s/.*several.*"iterations":/several units, /' | LC_ALL=C sort | uniq -c | FileCheck %s --check-prefix=UNITS
// UNITS:      10 several units, 1000
// UNITS-NEXT: 1 several units, 500
//
// On CPUs, and of units that are of no loop.
// RUN: env AGGLOM_DEVICES=none AGGLOM_TRACE=%t.json %t
// RUN: grep -o '"cat":"cpu_batch","name":"[a-z]*","args":.*"iterations":[0-9]*' %t.json | sed 's/.*"name":"\([a-z]*\)".*"iterations":/\1 /' | LC_ALL=C sort | uniq -c | FileCheck %s --check-prefix=CPU
// CPU-NOT: unit
// CPU:      10 even 1000
// CPU-NEXT: 1 even 500
// RUN: grep '"name":"unit"' %t.json | FileCheck %s --check-prefix=NONE --implicit-check-not=iterations
// NONE: "name":"unit"
//
// The checker sees what is wrong.
// RUN: sed 's/"iterations":500/"iterations":501/' %t.json > %t.bad.json && not %S/Inputs/check-trace %t.bad.json | FileCheck %s --check-prefix=BAD
// BAD: even: iterations are 10500 in the report and 10501 in the events
#include <stdio.h>

enum { N = 10500 };

#pragma agglom task inout(x[0:n])
void unit(int *x, int n) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += 0 * i;
}

static int x[N], y[N];

int main(void) {
  long sum = 0;
#pragma agglom for inout(x[i]) schedule(static, 1000) name(even)
  for (int i = 0; i < N; i++)
    x[i] += i;
#pragma agglom for in(x[i]) schedule(static, 1000) reduction(+ : sum) name(summed)
  for (int i = 0; i < N; i++)
    sum += x[i];
  for (int round = 0; round < 3; round++) {
#pragma agglom for inout(y[i]) name(any)
    for (int i = 0; i < N; i++)
      y[i] += i;
  }
  unit(x, N);
#pragma agglom wait
  for (int i = 0; i < N; i++)
    sum += y[i] / 3 + x[i] - i;
  printf("sum %ld\n", sum);
  return 0;
}
