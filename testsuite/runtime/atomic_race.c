// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is really done at the same time loses no update under `atomic`: by units on several cores, and by the
// blocks that share a long unit.
// RUN: %compare %s %t -fwrapv
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_BATCH=single %t.agglom > %t.cores && cmp %t.cores %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=threads=4 AGGLOM_MAP=block AGGLOM_REPORT=%t.blocks %t.agglom > %t.out
// RUN: cmp %t.out %t.serial.out
// RUN: FileCheck %s < %t.blocks
// CHECK: add: 1 unit in
// CHECK: chains {{.*}} {{[1-9][0-9]*}} blocks share split units
#include <stdio.h>

enum { N = 200000 };
struct sums {
  long sum[2];
  unsigned char mask[2];
  unsigned product;
  double many;
};

static void bump(double *d, int by) {
#pragma agglom atomic
  *d += by;
}

static void one(int x, struct sums *s) {
#pragma agglom atomic
  s->sum[x & 1] += x;
#pragma agglom atomic
  s->mask[x & 1] ^= x;
#pragma agglom atomic
  s->product *= (unsigned)x | 1;
  bump(&s->many, x & 7);
}

#pragma agglom task in(x[0:n]) inout(*s)
static void add(int n, const int *x, struct sums *s) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
#pragma agglom atomic
    s->sum[i & 1] -= x[i];
#pragma agglom atomic
    s->product = s->product * 3;
    one(x[i], s);
  }
}

#pragma agglom task device(cpu) in(x[0:n]) inout(*s) independent
static void add_here(int n, const int *x, struct sums *s) {
  for (int i = 0; i < n; ++i)
    one(x[i], s);
}

static void show(const struct sums *s) {
  printf("%ld %ld %d %d %u %.1f\n", s->sum[0], s->sum[1], s->mask[0], s->mask[1], s->product, s->many);
}

int main(void) {
  static int x[N];
  struct sums here = {{1, 2}, {3, 4}, 5, 0.5}, there = here;
  for (int i = 0; i < N; ++i)
    x[i] = i * 79 % 1009;
  add(N, x, &there);
  for (int u = 0; u < 16; ++u)
    add_here(N - u, x + u, &here);
#pragma agglom wait
  show(&here);
  show(&there);
  return 0;
}
