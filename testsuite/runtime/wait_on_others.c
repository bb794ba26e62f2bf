// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 'wait on', 'update' and the end of 'data' wait for the units that use their sections, and for no others: one that is
// held up by the program itself stays in flight.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=maximal %t | FileCheck %s
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static atomic_int begun, go;

static int comes(const atomic_int *flag) {
  for (time_t end = time(NULL) + 20; !*flag && time(NULL) <= end;)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return *flag;
}

/* Is 1 afterwards when the program went on meanwhile. */
#pragma agglom task device(cpu) in(r[0:2]) out(*x)
static void held(const int *r, int *x) {
  begun = 1;
  *x = comes(&go) ? 1 : -1000 - r[0];
}
static void hold(const int *r, int *x) {
  begun = go = 0;
  held(r, x);
  (void)comes(&begun);
}

#pragma agglom task device(cpu) in(r[0:2]) inout(*x)
static void late(const int *r, int *x) {
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  *x = (*x < 10 ? 10 : *x + 1) + r[0];
}

#pragma agglom task inout(y[0:n])
static void grow(int n, int *y) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    y[i] = y[i] * 2 + 1;
}

int main(void) {
  enum { N = 100 };
  static int x, y[N], z[N], r[2];
  // CHECK: wait on: 3 3, then 1
  hold(r, &x);
  grow(N, y);
  grow(N, z);
  grow(N, y);
  grow(N, z);
#pragma agglom wait on(y[0:1], z[N - 1])
  printf("wait on: %d %d, ", y[N - 1], z[0]);
  go = 1;
#pragma agglom wait
  printf("then %d\n", x);

  // CHECK-NEXT: update host: 7, then 1
  hold(r, &x);
  grow(N, y);
#pragma agglom update host(y[0:N])
  printf("update host: %d, ", y[0]);
  go = 1;
#pragma agglom wait
  printf("then %d\n", x);

  // Not for units that only read, either.
  // CHECK-NEXT: update host of what is read: 0, then 1
  hold(r, &x);
#pragma agglom update host(r[0:2])
  printf("update host of what is read: %d, ", r[1]);
  go = 1;
#pragma agglom wait
  printf("then %d\n", x);

  // CHECK-NEXT: update device: 15, then 1
  hold(r, &x);
  grow(N, y);
#pragma agglom update device(y[3:9])
  printf("update device: %d, ", y[4]);
  go = 1;
#pragma agglom wait
  printf("then %d\n", x);

  // CHECK-NEXT: data: 31 7, then 1
  hold(r, &x);
#pragma agglom data resident(y[0:N], z)
  {
    grow(N, y);
    grow(N, z);
  }
  printf("data: %d %d, ", y[0], z[N - 1]);
  go = 1;
#pragma agglom wait
  printf("then %d\n", x);

  // The other way round: a unit that takes its time is waited for.
  // CHECK-NEXT: late: 10 11 12 13
  late(r, &x);
#pragma agglom wait on(x)
  printf("late: %d ", x);
  late(r, &x);
#pragma agglom update host(x)
  printf("%d ", x);
#pragma agglom data resident(x)
  { late(r, &x); }
  printf("%d ", x);
  late(r, &x);
  // It reads what the host is about to write.
#pragma agglom update device(r[0:2])
  r[0] = -100;
#pragma agglom wait
  printf("%d\n", x);
  return 0;
}
