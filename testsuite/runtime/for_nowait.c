// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program goes on before a loop with 'nowait' is done, and only then: the iterations of the first loop wait until
// the statement behind it has run, those of the second see that the one behind them has not.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated %t | FileCheck %s
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_int behind;

/* Whether the program goes on within some ms; the serial program would not. */
static int goes_on(int ms) {
  for (int k = 0; !behind && k < ms; ++k)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return behind;
}

int main(void) {
  int x[4] = {0}, y[4] = {0};
#pragma agglom for out(x[i]) device(cpu) schedule(static, 2) nowait
  for (int i = 0; i < 4; ++i)
    x[i] = goes_on(20000) ? i + 1 : -1;
  behind = 1;
#pragma agglom wait
  // CHECK: 1 2 3 4
  printf("%d %d %d %d\n", x[0], x[1], x[2], x[3]);

  behind = 0;
#pragma agglom for out(y[i]) device(cpu) schedule(static, 2)
  for (int i = 0; i < 4; ++i)
    y[i] = goes_on(30) ? -1 : i + 5;
  // CHECK-NEXT: 5 6 7 8
  printf("%d %d %d %d\n", y[0], y[1], y[2], y[3]);
  behind = 1;
  return 0;
}
