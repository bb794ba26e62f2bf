// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On CPUs iterations that write the same memory run in their order, under schedules with chunks of one size, too: whether it is
// seen from how far they are apart, or from where each of them writes.
// RUN: %cc %s -o %t.serial && %t.serial > %t.serial.out && %agglomcc -Wno-agglom-loop %s -o %t.agglom
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_SCHEDULE=static:3 %t.agglom > %t.static && cmp %t.static %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=dynamic:2 %t.agglom > %t.dynamic && cmp %t.dynamic %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_SCHEDULE=auto %t.agglom > %t.auto && cmp %t.auto %t.serial.out
#include <stdio.h>

enum { N = 200 };

int main(void) {
  unsigned y[2 * N + 1] = {0}, z[N] = {0};
  int index[N];
  for (int i = 0; i < N; ++i)
    index[i] = i * 37 % 11;
  for (int t = 0; t < 40; ++t) {
    /* Neighbours: the later one wins. */
#pragma agglom for out(y[2 * i:3]) schedule(runtime)
    for (int i = 0; i < N - 1; ++i)
      for (int k = 0; k < 3; ++k)
        y[2 * i + k] = (unsigned)(i * 10 + k + t);
    /* Apart, and read by nobody. */
#pragma agglom for inout(y[2 * i:2]) schedule(runtime)
    for (int i = 0; i < N; ++i)
      y[2 * i] = y[2 * i] * 31 + y[2 * i + 1];
#pragma agglom for in(index[i]) inout(z[index[i]]) schedule(runtime)
    for (int i = 0; i < N; ++i)
      z[index[i]] = z[index[i]] * 31 + (unsigned)i;
#pragma agglom for inout(z[20]) schedule(runtime)
    for (int i = 0; i < N; ++i)
      z[20] = z[20] * 7 + (unsigned)i;
  }
  for (int i = 0; i < N; ++i)
    printf("%u %u %u\n", y[2 * i], y[2 * i + 1], z[i]);
  return 0;
}
