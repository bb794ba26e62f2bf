// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assert, abort and traps in device code. One that holds costs nothing to the result; one that fails takes the
// device away from the program, and then fails on the CPU with the words and the end of the serial program.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: checked: 30 units in
// RUN: %agglomcc -DNDEBUG --emit-ptx %s -o - | FileCheck %s --check-prefix=NDEBUG
// NDEBUG-NOT: __assertfail
// NDEBUG: .visible .entry checked__agglom_kernel(
//
// RUN: %agglomcc -O1 %s -o %t.agglom
// RUN: env AGGLOM_DEVICES=none sh -c 'ulimit -c 0; %t.agglom fail; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: env AGGLOM_DEVICES=emulated sh -c 'ulimit -c 0; %t.agglom fail; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: assertions.c:[[#]]: void checked(int, int, double *): Assertion `x[i] >= 0 && "negative"' failed.
// FAILS: status 134
// RUN: env AGGLOM_DEVICES=none sh -c 'ulimit -c 0; %t.agglom abort; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=ABORTS
// ABORTS: status 134
//
// The PTX, on the GPU in software.
// RUN: %run-software sh -c 'ulimit -c 0; %t.agglom fail; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: assertions.c:[[#]]: {{.*}}block: [{{.*}}Assertion `x[i] >= 0 && "negative"` failed.
// GPU: warning: cuda:0 {{.*}} failed: {{.*}} it is not used any more and its units run elsewhere
// GPU: assertions.c:[[#]]: void checked(int, int, double *): Assertion `x[i] >= 0 && "negative"' failed.
// RUN: %run-software sh -c 'ulimit -c 0; %t.agglom abort; echo "status $?"' 2>&1 | FileCheck %s --check-prefix=GPUABORT
// GPUABORT: warning: cuda:0 {{.*}} failed: {{.*}} it is not used any more and its units run elsewhere
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __clang__
#define __builtin_assume(x) ((void)0)
#endif

enum kind { HALF, TWICE };

static double apply(enum kind k, double v) {
  switch (k) {
  case HALF:
    return v / 2;
  case TWICE:
    return v * 2;
  }
  __builtin_unreachable();
}

static double known(int k, double v) {
  if (k == 0 || k == 1)
    return apply((enum kind)k, v);
  abort();
}

#pragma agglom task inout(x[0:n])
static void checked(int n, int k, double *x) {
  assert(n > 0);
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    __builtin_assume(i >= 0);
    __builtin_prefetch(&x[i]);
    assert(x[i] >= 0 && "negative");
    if (__builtin_expect(x[i] > 1e30, 0))
      __builtin_trap();
    _Static_assert(sizeof(int) == 4, "int");
    x[i] = known(k, x[i]);
  }
}

int main(int argc, char **argv) {
  enum { U = 30, N = 20 };
  static double x[U][N];
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      x[u][i] = u + i;
  if (argc > 1 && !strcmp(argv[1], "fail"))
    x[U / 2][3] = -1;
  for (int u = 0; u < U; ++u)
    checked(N, argc > 1 && !strcmp(argv[1], "abort") && u == 20 ? 7 : u % 2, x[u]);
#pragma agglom wait
  double s = 0;
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      s += x[u][i];
  printf("%g\n", s);
  return 0;
}
