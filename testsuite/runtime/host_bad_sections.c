// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Impossible sections in host code: one sentence each with file, line, directive, section and value; all units are
// waited for then, and the next agglom_wait() tells.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none %t > %t.out 2> %t.err
// RUN: FileCheck %s --implicit-check-not=agglom: < %t.err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:9 %t > %t.emulated.out 2> %t.emulated.err
// RUN: cmp %t.err %t.emulated.err
#include <agglom.h>
#include <stddef.h>
#include <stdio.h>

#pragma agglom task inout(x[0:n])
static void step(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i]++;
}

static int check(const double *x, double expected) {
  if (x[1] == expected)
    return agglom_wait();
  printf("%g is not %g\n", x[1], expected);
  return 1;
}

int main(void) {
  double x[4] = {0}, (*rows)[2] = (double (*)[2])x, *null = NULL;
  int minus = -3, at[2] = {0, 2}, *no_indexes = NULL;
  step(4, x);
  // CHECK: agglom: error: {{.*}}host_bad_sections.c:[[#@LINE+1]]: '#pragma agglom wait': section 'on(x[0:minus])' has length -3; a length must be 0 or more{{$}}
#pragma agglom wait on(x[0:minus])
  if (check(x, 1) != -22)
    return 1;
  step(4, x);
  // CHECK-NEXT: agglom: error: {{.*}}host_bad_sections.c:[[#@LINE+1]]: '#pragma agglom update': section 'host(null[0:2])' has length 2 but its pointer is NULL; pass memory of that length, or length 0{{$}}
#pragma agglom update device(x[0:1]) host(null[0:2])
  if (check(x, 2) != -22)
    return 2;
  step(4, x);
  // CHECK-NEXT: agglom: error: {{.*}}host_bad_sections.c:[[#@LINE+1]]: '#pragma agglom data': section 'resident(rows[0:2][minus + 4:minus])' has length -3 in dimension 2; a length must be 0 or more{{$}}
#pragma agglom data resident(x[0:2], rows[0:2][minus + 4:minus])
  { step(4, x); }
  if (check(x, 4) != -22)
    return 3;
  // CHECK-NEXT: agglom: error: {{.*}}host_bad_sections.c:[[#@LINE+1]]: '#pragma agglom wait': section 'on(x[no_indexes[0:1]])' takes 1 indexes from NULL; pass the indexes, or length 0{{$}}
#pragma agglom wait on(x[no_indexes[0:1]])
  // CHECK-NEXT: agglom: error: {{.*}}host_bad_sections.c:[[#@LINE+1]]: '#pragma agglom update': section 'device(x[0:2:minus])' has stride -3 in dimension 1; a stride must be 1 or more{{$}}
#pragma agglom update device(x[0:2:minus])
#pragma agglom wait on(null[0:0], x[at[0:2]], x[0:0])
  return 0;
}
