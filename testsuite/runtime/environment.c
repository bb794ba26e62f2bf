// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Malformed values and unknown variables: one sentence each with the accepted form; the program is right all the same.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=gpu %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out && FileCheck %s --check-prefix=DEVICES < %t.err
// DEVICES: agglom: error: AGGLOM_DEVICES=gpu is not understood: accepted are auto, none, cuda, cuda:I,J,... or emulated[:N] with N from 1 to 32; using auto instead
// RUN: env AGGLOM_DEVICES=emulated:33 %t 2>&1 | FileCheck %s --check-prefixes=OUT,MANY
// MANY: agglom: error: AGGLOM_DEVICES=emulated:33 is not understood
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:0 %t 2>&1 | FileCheck %s --check-prefixes=OUT,BATCH
// BATCH: agglom: error: AGGLOM_BATCH=static:0 is not understood: accepted are auto, maximal, single, occupancy, static:N or count:N with N from 1 to 4294967295; using auto instead
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=0 %t 2>&1 | FileCheck %s --check-prefixes=OUT,WORKERS
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2x %t 2>&1 | FileCheck %s --check-prefixes=OUT,WORKERS
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=-1 %t 2>&1 | FileCheck %s --check-prefixes=OUT,WORKERS
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=99999999999999999999 %t 2>&1 | FileCheck %s --check-prefixes=OUT,WORKERS
// WORKERS: agglom: error: AGGLOM_WORKERS={{.*}} is not understood: accepted are auto or a number from 1 to 1024; using auto instead
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=1 %t 2>&1 | FileCheck %s --check-prefixes=OUT,EMULATE
// EMULATE: agglom: error: AGGLOM_EMULATE=memory=1 is not understood
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=launch %t 2>&1 | FileCheck %s --check-prefixes=OUT,FAULT
// FAULT: agglom: error: AGGLOM_FAULT=launch is not understood
// RUN: env AGGLOM_DEVICES=none AGGLOM_DEVISES=none AGGLOM_NOTHING_LIKE_IT=1 %t 2>&1 | FileCheck %s --check-prefixes=OUT,UNKNOWN
// UNKNOWN-DAG: agglom: warning: unknown environment variable AGGLOM_DEVISES is ignored; did you mean AGGLOM_DEVICES? (agglom-info --env lists all)
// UNKNOWN-DAG: agglom: warning: unknown environment variable AGGLOM_NOTHING_LIKE_IT is ignored (agglom-info --env lists all)
// RUN: env AGGLOM_DEVICES=none AGGLOM_OBJECTIVE=power %t 2>&1 | FileCheck %s --check-prefixes=OUT,OBJECTIVE
// OBJECTIVE: agglom: error: AGGLOM_OBJECTIVE=power is not understood: accepted are time, energy or edp; using time instead
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_OBJECTIVE=energy AGGLOM_POWERCAP=/nowhere %t 2>&1 | FileCheck %s --check-prefixes=OUT,METER
// METER: agglom: warning: AGGLOM_OBJECTIVE=energy: the energy of CPU cannot be read (/nowhere: No such file or directory); time is minimised instead
// RUN: env AGGLOM_DEVICES=none AGGLOM_MODELS=%t.nowhere/models %t 2>&1 | FileCheck %s --check-prefixes=OUT,MODELS
// MODELS: agglom: warning: AGGLOM_MODELS={{.*}}nowhere/models cannot be written: No such file or directory; what is measured will be lost
// MODELS-NOT: AGGLOM_MODELS
// RUN: env AGGLOM_DEVICES=none AGGLOM_REPORT=%t.nowhere/report %t 2>&1 | FileCheck %s --check-prefixes=OUT,REPORT
// REPORT: agglom: {{(error|warning)}}: {{.*}}nowhere/report
// RUN: env AGGLOM_DEVICES=none AGGLOM_TRACE=%t.nowhere/trace %t 2>&1 | FileCheck %s --check-prefixes=OUT,TRACE
// TRACE: agglom: warning: AGGLOM_TRACE: {{.*}}nowhere/trace cannot be written (No such file or directory); nothing is traced
// RUN: env AGGLOM_DEVICES=none AGGLOM_TRACE_MEMORY=63KB %t 2>&1 | FileCheck %s --check-prefixes=OUT,MEMORY
// MEMORY: agglom: error: AGGLOM_TRACE_MEMORY=63KB is not understood: accepted are a size from 64KB
//
// A driver that does not work is named by programs that would use it, and by agglom-info in its own words.
// RUN: env AGGLOM_CUDA_LIBRARY=libc.so.6 %t 2>&1 | FileCheck %s --check-prefixes=OUT,BROKEN
// RUN: env AGGLOM_CUDA_LIBRARY=libc.so.6 %agglom-info 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: env AGGLOM_CUDA_LIBRARY=libc.so.6 AGGLOM_DEVICES=none %t 2> %t.err | FileCheck %s --check-prefix=OUT && count 0 < %t.err
// RUN: env AGGLOM_CUDA_LIBRARY=/nowhere/libcuda.so.1 %t 2> %t.err | FileCheck %s --check-prefix=OUT && count 0 < %t.err
// BROKEN: agglom: warning: units run on the CPU: libc.so.6 has no cu{{.*}}; with AGGLOM_DEVICES=none nobody asks the driver
// INFO-NOT: agglom: warning
// INFO: cuda {{ *}}none: libc.so.6 has no cu
// INFO-NOT: agglom: warning
//
// An empty value is none, and nothing is said.
// RUN: env AGGLOM_DEVICES= AGGLOM_BATCH= AGGLOM_WORKERS= %t 2> %t.err | FileCheck %s --check-prefix=OUT && count 0 < %t.err
// OUT-DAG: {{^}}sum 4950{{$}}
#include <stdio.h>

#pragma agglom task out(x[0:1])
void set(int *x, int k) { *x = k; }

int main(void) {
  static int x[100], sum;
  for (int k = 0; k < 100; k++)
    set(&x[k], k);
#pragma agglom wait
  for (int k = 0; k < 100; k++)
    sum += x[k];
  printf("sum %d\n", sum);
  return 0;
}
