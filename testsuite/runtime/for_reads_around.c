// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is sent for a device's chunk reaches over what other chunks write, where no iteration reads it: they do not run at the
// same time, so no device keeps what was there before.
// RUN: %cc %s -o %t.serial && %t.serial > %t.serial.out && %agglomcc %s -o %t.agglom
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SCHEDULE=dynamic:64 %t.agglom > %t.two && cmp %t.two %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=static:100 %t.agglom > %t.static && cmp %t.static %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=dynamic:64 %t.agglom > %t.none && cmp %t.none %t.serial.out
#include <stdio.h>

enum { N = 4096 };
static double x[3 * N], y[N];
static int from[N];

int main(void) {
  double sum = 0;
  for (int i = 0; i < 3 * N; ++i)
    x[i] = i;
  /* The first and the last third of x, not the one between that the loop writes; the ends are in the first. */
  for (int i = 0; i < N; ++i)
    from[i] = i % 2 || i == 0 ? i / 2 : 2 * N + i;
#pragma agglom data resident(x[0:3 * N])
  {
    for (int t = 0; t < 20; ++t) {
#pragma agglom for in(from[i]) in(x[from[i]]) out(x[N + i]) schedule(runtime)
      for (int i = 0; i < N; ++i) {
        double a = x[from[i]];
        for (int k = 0; k < 20; ++k)
          a = a * 0.5 + t;
        x[N + i] = a;
      }
#pragma agglom for in(x[N + i]) out(y[i]) device(gpu)
      for (int i = 0; i < N; ++i)
        y[i] = x[N + i];
      for (int i = 0; i < N; ++i)
        sum += y[i] * (i % 7);
    }
  }
  printf("%.17g\n", sum);
  return 0;
}
