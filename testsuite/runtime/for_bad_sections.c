// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An impossible section of a loop is said once each time the loop is reached, however many chunks it has, and the loop
// is called by its function, or by the name that it was given.
// RUN: %agglomcc -O1 %s -o %t -fagglom-report 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_REPORT=1 %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --implicit-check-not=agglom: < %t.err
// Also when several threads find it at once.
// RUN: for i in `seq 20`; do env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 %t 2>&1 > /dev/null; done | grep -c 'agglom: error' | grep -x 60
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4 AGGLOM_REPORT=json %t 2>&1 > %t.out | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s --check-prefix=OUT < %t.out
#include <stdio.h>

enum { N = 64 };
static double x[N];

static void fill(int length) {
// COMPILED: for_bad_sections.c:[[#@LINE+1]]: loop in 'fill': kernel, mapping
#pragma agglom for out(x[i:length]) schedule(static, 4)
  for (int i = 0; i < N; ++i)
    x[i] = i;
}

int main(void) {
  fill(-2);
  fill(1);
  fill(-3);
// COMPILED: for_bad_sections.c:[[#@LINE+1]]: task 'halve': kernel, mapping
#pragma agglom for inout(x[i : i < 32 ? 1 : 31 - i]) schedule(static, 1) name(halve)
  for (int i = 0; i < N; ++i)
    x[i] /= 2;
  printf("%g %g %g\n", x[3], x[31], x[63]);
  return 0;
}
// OUT: 1.5 15.5 63
// CHECK: agglom: error: {{.*}}for_bad_sections.c:19: loop in 'fill': section 'out(x[i:length])' has length -2; a length must be 0 or more
// CHECK: agglom: error: {{.*}}for_bad_sections.c:19: loop in 'fill': section 'out(x[i:length])' has length -3; a length must be 0 or more
// CHECK: agglom: error: {{.*}}for_bad_sections.c:29: task 'halve': section 'inout(x[i : i < 32 ? 1 : 31 - i])' has length {{-[0-9]+}}; a length must be 0 or more
// CHECK: loop at {{.*}}for_bad_sections.c:19 in fill: {{.*}} 16 on the CPU
// CHECK: halve: {{.*}} 32 on the CPU
// JSON: "name": "loop at {{.*}}for_bad_sections.c:19 in fill"
// JSON: "name": "halve"
