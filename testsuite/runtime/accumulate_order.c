// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accumulation between reading, writing and accumulation with another operator, by one task and by several, in
// program order; by two threads into the same memory; and exactly once when a device fails.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: add: [[#]] units in
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4 AGGLOM_BATCH=count:5 %t.agglom | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated:3 AGGLOM_WORKERS=2 AGGLOM_BATCH=static:3 %t.agglom | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=8KB %t.agglom | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,nth=2 AGGLOM_REPORT=1 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: FileCheck %s --check-prefix=FAILED < %t.err
// FAILED: units failed on emulated:0 ({{.*}}); they are tried again in smaller batches
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=launch,times=all %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_in,nth=2,times=2 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_out,nth=3,times=3 %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_FAULT=call=copy_out,nth=3,error=sticky %t.agglom 2> %t.err | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=mark,nth=2,error=sticky %t.agglom 2> %t.err | cmp - %t.serial.out
#include <pthread.h>
#include <stdio.h>

enum { N = 48 };

#pragma agglom task accumulate(+: x[0:n])
void add(int n, unsigned *x, unsigned by) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += by + (unsigned)i;
}
#pragma agglom task accumulate(+: x[0:n]) device(cpu)
void add_on_cpu(int n, unsigned *x, unsigned by) {
  for (int i = 0; i < n; i++)
    x[i] += by;
}
#pragma agglom task accumulate(^: x[0:n])
void flip(int n, unsigned *x, unsigned by) {
  for (int i = 0; i < n; i++)
    x[i] ^= by;
}
#pragma agglom task inout(x[0:n])
void scramble(int n, unsigned *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 3 + 1;
}
/* Reads in one section what other units of it accumulate in another. */
#pragma agglom task in(from[0:n]) accumulate(+: to[0:n])
void pass(int n, const unsigned *from, unsigned *to) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    to[i] += from[i] & 0xff;
}
#pragma agglom task in(x[0:n]) inout(h[0:1])
void digest(int n, const unsigned *x, unsigned *h) {
  for (int i = 0; i < n; i++)
    *h = *h * 31 + x[i];
}

/* Calls are one at a time, or the serial program would lose some; the units of several threads are not. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;

static void *both(void *x) {
  for (unsigned k = 0; k < 120; k++) {
    pthread_mutex_lock(&calls);
    add(N, x, k);
    if (k % 50 == 7)
      add_on_cpu(N, x, k);
    pthread_mutex_unlock(&calls);
  }
#pragma agglom wait
  return 0;
}

int main(void) {
  static unsigned x[4][N], h[4], shared[N];
  unsigned r = 3;
  for (int k = 0; k < 1200; k++) {
    r = r * 1664525 + 1013904223;
    unsigned *row = x[r >> 30];
    int lo = (int)(r >> 20) % (N / 2), n = 1 + (int)(r >> 10) % (N / 2);
    switch (k % 60 < 30 ? 0 : (r >> 5) % 8) { /* long runs of one, and all mixed */
    case 0:
    case 1:
      add(n, row + lo, r >> 7 & 15);
      break;
    case 2:
      add_on_cpu(n, row + lo, 5);
      break;
    case 3:
      flip(n, row + lo, r >> 8);
      break;
    case 4:
      scramble(n, row + lo);
      break;
    case 5:
      digest(n, row + lo, &h[r >> 6 & 3]);
      break;
    default:
      pass(N, row, x[(r >> 30) ^ 1]);
    }
    if (k % 400 == 399) {
#pragma agglom wait
      printf("%u %u\n", x[0][5], h[1]);
    }
  }
#pragma agglom wait
  pthread_t one, two;
  if (pthread_create(&one, 0, both, shared) || pthread_create(&two, 0, both, shared))
    return 1;
  both(shared);
  pthread_join(one, 0);
  pthread_join(two, 0);
  for (int i = 0; i < N; i++)
    printf("%u %u %u %u %u\n", x[0][i], x[1][i], x[2][i], x[3][i], shared[i]);
  for (int i = 0; i < 4; i++)
    printf("%u\n", h[i]);
  return 0;
}
