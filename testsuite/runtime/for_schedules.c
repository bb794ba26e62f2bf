// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the clauses of '#pragma agglom for' say about how a loop is run: into how many chunks it is cut, who runs them,
// under which name, and how much work they are.
// RUN: env COMPARE_MISSES_DEVICE=yes %compare %s %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_REPORT=%t.cores %t.agglom > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=MISSED < %t.err
// RUN: sort %t.err | uniq -d | count 0
// RUN: cmp %t.out %t.serial.out
// RUN: FileCheck %s --check-prefixes=ANY,CORES < %t.cores
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=static:40 AGGLOM_REPORT=%t.forty %t.agglom > %t.out
// RUN: cmp %t.out %t.serial.out
// RUN: FileCheck %s --check-prefixes=ANY,FORTY < %t.forty
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_MAP=block AGGLOM_REPORT=%t.device %t.agglom > %t.out
// RUN: cmp %t.out %t.serial.out
// RUN: FileCheck %s --check-prefix=DEVICE < %t.device
// Where each launch fails, the CPU has done all.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,times=all AGGLOM_REPORT=%t.faults %t.agglom > %t.out 2> %t.err
// RUN: cmp %t.out %t.serial.out
// RUN: FileCheck %s --check-prefix=FAULTS < %t.faults
#include <stdio.h>

enum { N = 200 };

int main(void) {
  int x[N] = {0}, size = 13;
  // A size counts, whatever the machine; without one the number of cores does. Where there is no device, each loop that
  // asks for one says so once, however often it runs.
  for (int round = 0; round < 2; ++round) {
    // MISSED: agglom: warning: {{.*}}for_schedules.c:[[#@LINE+1]]: task 'asks' is device(gpu), but there is no device to use; its {{.*}} run on the CPU
#pragma agglom for inout(x[i]) device(gpu) name(asks)
    for (int i = 0; i < N; ++i)
      x[i] += 2;
  }
  // ANY: tens: {{.*}} 20 on the CPU
  // ANY: schedule static:10, {{1 execution$}}
  // ANY: iterations 0 on devices in 0 chunks, 200 on the CPU in 20 chunks
  // ANY: share 0.0 % of the iterations on devices, 100.0 % on the CPU;
  // DEVICE: tens: 20 units in {{.*}} 0 on the CPU
  // DEVICE: schedule static:10, {{1 execution$}}
  // DEVICE: iterations 200 on devices in 20 chunks, 0 on the CPU in 0 chunks
  // DEVICE: share 100.0 % of the iterations on devices, 0.0 % on the CPU;
  // FAULTS: tens: 0 units in {{.*}}
  // FAULTS: iterations 0 on devices in 0 chunks, 200 on the CPU in 20 chunks
#pragma agglom for inout(x[i]) schedule(static, 10) device(gpu) name(tens)
  for (int i = 0; i < N; ++i)
    x[i] += i;
  // ANY: thirteens: {{.*}} 16 on the CPU
  // DEVICE: thirteens: 16 units in {{.*}} 0 on the CPU
#pragma agglom for inout(x[i]) schedule(dynamic, size) device(gpu) name(thirteens)
  for (int i = 0; i < N; ++i)
    x[i] *= 3;
  // ANY: all: {{.*}} 1 on the CPU
  // DEVICE: all: 1 unit in {{.*}} 0 on the CPU
#pragma agglom for inout(x[i]) schedule(static, N) device(gpu) name(all)
  for (int i = 0; i < N; ++i)
    x[i] -= 5;
  // ANY: few: {{.*}} 3 on the CPU
#pragma agglom for inout(x[i]) schedule(static) name(few)
  for (int i = 0; i < N; ++i)
    x[i] += 7;
  // ANY: many: {{.*}} {{[0-9]+}} on the CPU
#pragma agglom for inout(x[i]) schedule(dynamic) name(many)
  for (int i = 0; i < N; ++i)
    x[i] ^= i;
  // ANY: some: {{.*}} {{[0-9]+}} on the CPU
#pragma agglom for inout(x[i]) schedule(auto) name(some)
  for (int i = 0; i < N; ++i)
    x[i] += 1;
  // CORES: any: {{.*}} {{[0-9]+}} on the CPU
  // FORTY: any: {{.*}} 5 on the CPU
#pragma agglom for inout(x[i]) schedule(runtime) name(any)
  for (int i = 0; i < N; ++i)
    x[i] *= 2;
  // Without a name it is called after its place.
  // ANY: loop at {{.*}}for_schedules.c:[[#@LINE+2]] in main: {{.*}} {{[0-9]+}} on the CPU
  // DEVICE: loop at {{.*}}for_schedules.c:[[#@LINE+1]] in main: {{[0-9]+}} units in {{.*}} 0 on the CPU
#pragma agglom for inout(x[i]) device(gpu)
  for (int i = 0; i < N; ++i)
    x[i] -= 1;

  // Cores are cut for, and run it, whatever devices there are.
  // ANY: cores: 0 units in 0 launches, 3 on the CPU
  // ANY: schedule static, {{1 execution$}}
  // ANY: iterations 200 cut beforehand, in 3 chunks
  // DEVICE: cores: 0 units in 0 launches, 3 on the CPU
#pragma agglom for inout(x[i]) device(cpu) schedule(static) name(cores)
  for (int i = 0; i < N; ++i)
    x[i] += 4;

  // A chunk of much work is shared by several blocks.
  // DEVICE: cheap: 1 unit in
  // DEVICE: chains {{.*}}, 0 blocks share split units
#pragma agglom for inout(x[i]) cost(1) schedule(static, N) device(gpu) name(cheap)
  for (int i = 0; i < N; ++i)
    x[i] += 2;
  // DEVICE: dear: 1 unit in
  // DEVICE: chains {{.*}}, {{[1-9][0-9]*}} blocks share split units
#pragma agglom for inout(x[i]) cost(size * 4) schedule(static, N) device(gpu) name(dear)
  for (int i = 0; i < N; ++i)
    x[i] += 2;
  // DEVICE: growing: 1 unit in
  // DEVICE: chains {{.*}}, {{[1-9][0-9]*}} blocks share split units
#pragma agglom for inout(x[i]) cost(i) schedule(static, N) device(gpu) name(growing)
  for (int i = 0; i < N; ++i)
    x[i] += 2;
  // DEVICE: lonely: 1 unit in
  // DEVICE: chains {{.*}}, 0 blocks share split units
#pragma agglom for inout(x[i]) cost(i == 3 ? 2 : 0) schedule(static, N) device(gpu) name(lonely)
  for (int i = 0; i < N; ++i)
    x[i] += 2;

  // Chunks that only accumulate have no order; others that conflict follow each other.
  int bins[4] = {0};
  // DEVICE: counts: 20 units in
#pragma agglom for in(x[i]) accumulate(+: bins[0:4]) schedule(static, 10) device(gpu) name(counts)
  for (int i = 0; i < N; ++i)
    bins[x[i] & 3]++;
  // ANY: ordered: {{.*}} 50 on the CPU
  // DEVICE: ordered:
  // DEVICE: 50 submitted, 50 run
#pragma agglom for in(x[i]) inout(bins[0:4]) schedule(static, 4) name(ordered)
  for (int i = 0; i < N; ++i)
    bins[i & 3] = bins[i & 3] * 3 % 1000 + x[i];
  printf("%d %d %d %d\n", bins[0], bins[1], bins[2], bins[3]);

  // What the iterations write whole is not sent to the device; what they may leave as it was is.
  static int many[40000];
  int *p = many;
  // DEVICE: whole: 4 units in
  // DEVICE: bytes {{[0-9]+ B|1[.][0-9] KB}} to devices, 160.0 KB back
#pragma agglom for out(p[i]) schedule(static, 10000) device(gpu) name(whole)
  for (int i = 0; i < 40000; ++i)
    p[i] = i;
  // DEVICE: halves: 4 units in
  // DEVICE: bytes 16{{[0-9.]+}} KB to devices, 160.0 KB back
#pragma agglom for out(p[i]) schedule(static, 10000) device(gpu) name(halves)
  for (int i = 0; i < 40000; ++i)
    if (i & 1)
      p[i] = -i;
  printf("%d %d\n", p[776], p[39999]);

  for (int i = 0; i < N; ++i)
    printf("%d ", x[i]);
  printf("\n");
  return 0;
}
