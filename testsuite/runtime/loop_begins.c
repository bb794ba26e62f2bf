// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop waits for the units before it, and then reads what it takes over: its bounds, file-scope variables, variables
// whose address units have. Each unit takes its time.
// RUN: %agglomcc -O1 %s -o %t
// RUN: %agglomcc -O1 -std=c89 -fsyntax-only -Wcomma -Wunused-value -Werror %s
// RUN: AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: AGGLOM_DEVICES=emulated %t | FileCheck %s
// RUN: AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu %t | FileCheck %s
// CHECK: factor 500000 bound 400 first 3 local 500000 cpu 500000 inner 500000
#include <stdio.h>
static double factor = 1, x[500];
static int n = 100, first = 1;

#pragma agglom task out(*to)
static void sum(int k, double *to) {
  double s = 0;
  int i;
  for (i = 0; i < k; i++)
    s += i * 1e-6;
  *to = s;
}
#pragma agglom task out(*to)
static void count(int k, int *to) {
  double s = 0;
  int i;
  for (i = 0; i < 1000000; i++)
    s += i;
  *to = s > 1 ? k : 0;
}
static double inside(double *in, double *out) {
  double own = 1;
  int i;
  sum(1000000, &own);
#pragma agglom for in(in[0]) inout(out[i])
  for (i = 0; i < 100; i++)
    out[i] = own + 0 * in[0];
  return out[99];
}

#pragma agglom task inout(out[0:100]) device(cpu)
static void unit(double *out) { out[0] = inside(out, out); }

int main(void) {
  double local = 1, a, b, c, y[100] = {0};
  int last, i, begun;
  sum(1000000, &factor);
#pragma agglom for out(x[i])
  for (i = 0; i < 500; i++)
    x[i] = factor;
  a = x[2];
  count(400, &n);
#pragma agglom for out(x[i])
  for (i = 0; i < n; i++)
    x[i] = 0;
  for (last = 0; last < 500 && x[last] == 0;)
    ++last;
  count(3, &first);
#pragma agglom for out(x[i])
  for (i = first; i < 500; i++)
    x[i] = 7;
  for (begun = 0; begun < 500 && x[begun] != 7;)
    ++begun;
  sum(1000000, &local);
#pragma agglom for out(x[i])
  for (i = 0; i < 500; i++)
    x[i] = local;
  b = x[499];
  sum(1000000, &factor);
#pragma agglom for out(x[i]) device(cpu)
  for (i = 0; i < 500; i++)
    x[i] = factor;
  c = x[1];
  unit(y);
#pragma agglom wait
  printf("factor %.0f bound %d first %d local %.0f cpu %.0f inner %.0f\n", a, last, begun, b, c, y[99]);
  return 0;
}
