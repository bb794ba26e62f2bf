// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same pragma on a prototype and on the definition, as a header and the file that includes it have it: calls may stand
// anywhere behind the first.
// RUN: %agglomcc -Werror %s -o %t && %run-emulated %t
// RUN: %agglomcc -Werror -fagglom-host-compiler=gcc %s -o %t && %run-emulated %t
// RUN: %agglomcc -w -std=gnu89 %s -o %t && %run-emulated %t
// RUN: %agglomcc --emit-c %s -o %t.out && FileCheck %s < %t.out
// CHECK: void __agglom_submit_scale(int count, double *of);
// CHECK: __agglom_submit_scale(n, x);
#pragma agglom task inout(of[0:count])
void scale(int count, double *of);
#pragma agglom task device(cpu) inout(x[0:n])
static void shift(int n, double *x);

static int step(int n, double *x) {
  scale(n, x);
  shift(n, x);
#pragma agglom wait
  return 0;
}

#pragma agglom task inout(x[0:n])
void scale(int n, double *x) {
  int i;
  for (i = 0; i < n; ++i)
    x[i] *= 2;
}
#pragma agglom task device(cpu) inout(x[0:n])
static void shift(int n, double *x) { x[0] += n; }

int main(void) {
  double x[3] = {1, 2, 3};
  return step(3, x) || x[0] != 5 || x[2] != 6;
}
