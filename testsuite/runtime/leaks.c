// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LeakSanitizer finds nothing that the runtime has not given back: units, streams and loops whose chunks devices get.
// REQUIRES: asan
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -g -fsanitize=address %s -o program
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 ./program > out 2> err && count 0 < err
// RUN: grep -x '22 5 2' out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_SPLIT=gpu ./program 2> err | cmp - out && count 0 < err
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_EMULATE=isolate=off ./program 2> err | cmp - out && count 0 < err
// RUN: env AGGLOM_DEVICES=none not ./program lose 2>&1 | FileCheck %s
// CHECK: ERROR: LeakSanitizer: detected memory leaks
// CHECK: #1 {{.*}} in main {{.*}}leaks.c:[[@LINE+31]]
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096 };

#pragma agglom task in(a[0:n]) out(b[0:n])
static void copy(int n, const double *a, double *b) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    b[i] = a[i] + 1;
}

#pragma agglom task inout(*a) independent
static void twice(double *a) { *a *= 2; }

static double x[N], y[N], z[N];

int main(int argc, char **argv) {
  copy(N, x, y);
#pragma agglom wait
  for (int i = 0; i < N; ++i)
    twice(&y[i]);
#pragma agglom wait
  for (int k = 0; k < 10; ++k)
#pragma agglom for inout(x[i]) in(y[i])
    for (int i = 0; i < N; ++i)
      x[i] += y[i];
#pragma agglom for in(x[i]) out(z[i]) schedule(dynamic, 100)
  for (int i = 0; i < N; ++i)
    z[i] = x[i] / 4;
  void *volatile lost = argc > 1 ? malloc(N) : NULL;
  lost = argv;
  printf("%g %g %g\n", x[7] + y[7], z[7], y[N - 1]);
  return !lost;
}
