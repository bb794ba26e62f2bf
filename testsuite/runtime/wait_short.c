// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that waits for certain units runs what it waits for, and leaves what may take long to others: units of another
// thread that are only over when the wait is.
// RUN: %agglomcc -O1 -pthread %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 timeout 60 %t | FileCheck %s
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int begun;
static int let_go;

#pragma agglom task device(cpu)
void holds(void) {
  atomic_fetch_add(&begun, 1);
  while (!__atomic_load_n(&let_go, __ATOMIC_ACQUIRE))
    ;
}

#pragma agglom task in(flag[0:1])
void holds_with_kernel(const int *flag) {
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
    ;
}

#pragma agglom task device(cpu) inout(x[0:1])
void quick(int *x) { ++*x; }

#pragma agglom task inout(x[0:1])
void quick_with_kernel(int *x) { ++*x; }

static void *other(void *kernels) {
  for (int i = 0; i < 12; ++i)
    if (kernels)
      holds_with_kernel(&let_go);
    else
      holds();
  while (!kernels && !atomic_load(&begun))
    usleep(100);
  return NULL;
}

static void check(int kernels) {
  static int x, y;
  pthread_t thread;
  __atomic_store_n(&let_go, 0, __ATOMIC_RELEASE);
  atomic_store(&begun, 0);
  pthread_create(&thread, NULL, other, kernels ? &x : NULL);
  usleep(20000);
  quick(&x);
#pragma agglom wait on(x)
  quick_with_kernel(&y);
#pragma agglom wait on(y)
  quick(&x);
  quick_with_kernel(&y);
#pragma agglom wait own
  __atomic_store_n(&let_go, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
#pragma agglom wait
  printf("%d %d\n", x, y);
}

int main(void) {
  // CHECK: 2 2
  check(0);
  // CHECK-NEXT: 4 4
  check(1);
  return 0;
}
