// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads submit at the same time, each to memory of its own and with waits of its own; the first units of the
// program come from a thread that is not the main one.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: bump: 2400 units in
#include <pthread.h>
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void bump(int n, unsigned *x, unsigned k) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 5 + k;
}

struct share {
  unsigned x[30][6], seen;
};
static void *submit(void *own) {
  struct share *s = own;
  for (unsigned round = 0; round < 10; round++) {
    for (unsigned u = 0; u < 120; u++)
      bump(6, s->x[u % 30], round + u);
#pragma agglom wait
    for (unsigned u = 0; u < 30; u++)
      s->seen = s->seen * 3 + s->x[u][round % 6];
  }
  return 0;
}

int main(void) {
  static struct share a, b;
  pthread_t one, two;
  if (pthread_create(&one, 0, submit, &a) || pthread_create(&two, 0, submit, &b))
    return 1;
  pthread_join(one, 0);
  pthread_join(two, 0);
  for (int u = 0; u < 30; u++)
    printf("%u %u %u %u\n", a.x[u][u % 6], b.x[u][5], a.seen, b.seen);
  return 0;
}
