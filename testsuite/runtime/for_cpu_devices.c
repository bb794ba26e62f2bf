// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterations on CPUs alone that submit units for devices: what the host writes after the loop is sent again, what is
// resident and only read is not, and what the loop changes of it is.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_SPLIT=gpu AGGLOM_WORKERS=4 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none timeout 60 %t | FileCheck %s
#include <agglom.h>
#include <stdio.h>

enum { PARTS = 4, N = 512, TIMES = 50 };

static long x[PARTS * N], y[PARTS * N], sums[PARTS];

#pragma agglom task in(a[0:n]) out(b[0:n])
void copy(long n, const long *a, long *b) {
#pragma agglom loop
  for (long i = 0; i < n; ++i)
    b[i] = a[i];
}

#pragma agglom task in(a[0:n]) inout(sum[0:1])
void add(long n, const long *a, long *sum) {
  for (long i = 0; i < n; ++i)
    *sum += a[i];
}

static void copy_parts(void) {
#pragma agglom for device(cpu)
  for (int k = 0; k < PARTS; ++k)
    copy(N, &x[k * N], &y[k * N]);
}

static void copy_named_parts(void) {
#pragma agglom for device(cpu) in(x[k * N : N]) out(y[k * N : N])
  for (int k = 0; k < PARTS; ++k)
    copy(N, &x[k * N], &y[k * N]);
}

static void add_parts(void) {
#pragma agglom for device(cpu) in(x[k * N : N]) inout(sums[k])
  for (int k = 0; k < PARTS; ++k) {
    add(N, &x[k * N], &sums[k]);
#pragma agglom wait
    add(N, &x[k * N], &sums[k]);
  }
}

/* Changes what devices have of resident memory. */
static void change(void) {
#pragma agglom for device(cpu) inout(x[i])
  for (int i = 0; i < PARTS * N; ++i)
    x[i] += 1;
}

static long wrong_after(void (*loop)(void)) {
  long wrong = 0;
  for (long t = 0; t < TIMES; ++t) {
    for (int i = 0; i < PARTS * N; ++i)
      x[i] = t + i;
    loop();
    for (int i = 0; i < PARTS * N; ++i) {
      wrong += y[i] != t + i;
      x[i] = -t - i; // the loop has waited
    }
    for (int k = 0; k < PARTS; ++k)
      copy(N, &x[k * N], &y[k * N]);
#pragma agglom wait
    for (int i = 0; i < PARTS * N; ++i)
      wrong += y[i] != -t - i;
  }
  return wrong;
}

int main(void) {
  // CHECK: wrong 0 0
  long first = wrong_after(copy_parts), second = wrong_after(copy_named_parts);
  printf("wrong %ld %ld\n", first, second);
  struct agglom_counters before, after;
  for (int i = 0; i < PARTS * N; ++i)
    x[i] = i % N;
  agglom_read_counters(&before, sizeof before);
#pragma agglom data resident(x[0 : PARTS * N])
  {
    for (int t = 0; t < TIMES; ++t)
      add_parts();
  }
  agglom_read_counters(&after, sizeof after);
  long off = 0;
  for (int k = 0; k < PARTS; ++k)
    off += sums[k] != 2L * TIMES * N * (N - 1) / 2;
  // CHECK: off 0, x was sent seldom
  printf("off %ld, x was sent %s\n", off,
         after.bytes_in - before.bytes_in < TIMES * sizeof x / 2 ? "seldom" : "often");

  // CHECK: stale 0
  long stale = 0;
#pragma agglom data resident(x[0 : PARTS * N])
  {
    for (long t = 0; t < TIMES; ++t) {
      change();
      copy(PARTS * N, x, y);
#pragma agglom wait
      for (int i = 0; i < PARTS * N; ++i)
        stale += y[i] != i % N + t + 1;
    }
  }
  printf("stale %ld\n", stale);
  return 0;
}
