// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AGGLOM_TRACE: the events of a run add up to its report, whatever ran where, and however little memory there is.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 0
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 1
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=static:100 AGGLOM_EMULATE=launch=1ms AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 2
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 1
//
// Batches that failed are there too, and the CPU batches that ran their units.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:100 AGGLOM_FAULT=call=launch,nth=3,times=2 AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t 2> %t.err | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 1
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:100 AGGLOM_FAULT=call=launch,nth=3,error=sticky AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t 2> %t.err | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --devices 1
//
// More than the memory holds: what is lost is said, and what is there still adds up.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_TRACE_MEMORY=64KB AGGLOM_TRACE=%t.json AGGLOM_REPORT=%t.report.json %t 2> %t.err | FileCheck %s --check-prefix=OUT
// RUN: %S/Inputs/check-trace %t.json --report %t.report.json --lost
// RUN: FileCheck %s --check-prefix=LOST < %t.err
// LOST: agglom: warning: AGGLOM_TRACE: {{[0-9]+}} units, {{[0-9]+}} waits, {{[0-9]+}} CPU batches and {{[1-9][0-9]*}} launches did not fit and are not in the trace; set AGGLOM_TRACE_MEMORY to more than 64KB
//
// With meters: the energy is in the report.
// RUN: rm -rf %t.powercap && mkdir -p %t.powercap/intel-rapl:0 && cd %t.powercap/intel-rapl:0 && echo package-0 > name && echo 77 > energy_uj
// RUN: env AGGLOM_POWERCAP=%t.powercap AGGLOM_DEVICES=none AGGLOM_REPORT=1 %t 2>&1 | FileCheck %s --check-prefix=ENERGY
// ENERGY: energy of CPU: 0.000 J in {{.*}}, 0.0 W
//
// The checker sees what is wrong.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:100 AGGLOM_TRACE=%t.json %t | FileCheck %s --check-prefix=OUT
// RUN: sed 's/"units":100,"reason"/"units":101,"reason"/' %t.json > %t.bad.json
// RUN: not %S/Inputs/check-trace %t.bad.json | FileCheck %s --check-prefix=BAD
// BAD: leaf: emulated:0: units is 1400 in the report and 1414 in the events
// RUN: for wrong in 's/"ph":"C"/"ph":"c"/' 's/"ph":"i","pid":[0-9]*/&.0/' 's/"ph":"X","pid"/"ph":"X","Pid"/' 's/"waiting":0/"waiting":"0"/' \
// RUN:   's/"s":"t"/"s":"x"/' 's/"dur":[0-9.]*/"dur":NaN/' 's/"name":"stage"/"name":"stage","name":"stage"/' 's/"thread_name"/"thread"/' \
// RUN:   's/"ph":"C"\(.*\)"ts":[0-9.]*/"ph":"C"\1"ts":-1/' 's/"ph":"X"/&,"flow":1/'; do \
// RUN:   sed "$wrong" %t.json > %t.bad.json; cmp -s %t.json %t.bad.json && echo it changes nothing; \
// RUN:   %S/Inputs/check-trace %t.bad.json > %t.said 2>&1 || grep -q Traceback %t.said || echo seen; done | FileCheck %s --check-prefix=WRONG
// WRONG-NOT: nothing
// WRONG-COUNT-10: seen
// OUT-DAG: {{^}}sum 33984000{{$}}
#include <stdio.h>

#pragma agglom task out(x[0:64])
void leaf(int *x, int k) {
#pragma agglom loop
  for (int i = 0; i < 64; i++)
    x[i] = k + i;
}

#pragma agglom task inout(x[0:1]) device(cpu)
void tick(int *x) { ++*x; }

#pragma agglom task inout(x[0:64*n]) device(cpu)
void outer(int *x, int n) {
  for (int i = 0; i < n; i++)
    leaf(x + 64 * i, i);
#pragma agglom wait
}

#pragma agglom task out(x[0:1]) independent
void mark(int *x) { *x = 1; }

static int x[64 * 1000], c[16], m[1000];

int main(void) {
  long sum = 0;
  for (int i = 0; i < 1000; i += 250)
    outer(x + 64 * i, 100);
  for (int i = 0; i < 2000; i++)
    tick(&c[i % 16]);
#pragma agglom wait
  for (int i = 0; i < 1000; i++)
    mark(&m[i]);
  for (int i = 0; i < 1000; i++)
    leaf(x + 64 * i, i);
#pragma agglom wait
  for (int i = 0; i < 64000; i++)
    sum += x[i];
  for (int i = 0; i < 1000; i++)
    sum += m[i] - 1;
  for (int i = 0; i < 16; i++)
    sum -= c[i];
  printf("sum %ld\n", sum + 2000);
  return 0;
}
