// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On top of a wait in a task only units run that the task has submitted, or such units: a mutex that its siblings lock,
// too, is held over the wait, and thread-local variables do not change, nor does the stack grow with the number of
// siblings.
// RUN: %agglomcc -O1 %s -o %t -pthread
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=5 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated timeout 60 %t | FileCheck %s
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long sum, changed, too_deep;
static _Thread_local long mine, depth;

#pragma agglom task device(cpu)
void leaf(long i) { atomic_fetch_add(&sum, i); }

/* Its own units are complete only when those are that they have submitted. */
#pragma agglom task device(cpu)
void leaves(long i) {
  for (long k = 0; k < 3; ++k)
    leaf(i);
}

#pragma agglom task device(cpu)
void locks(long i) {
  pthread_mutex_lock(&mutex);
  mine = i;
  too_deep += ++depth > 1;
  leaf(i);
  leaves(i);
#pragma agglom wait
  changed += mine != i;
  --depth;
  pthread_mutex_unlock(&mutex);
}

#pragma agglom task device(cpu)
void many(long n) {
  for (long i = 1; i <= n; ++i)
    locks(i);
}

int main(void) {
  many(500);
  for (long i = 1; i <= 500; ++i)
    locks(i);
#pragma agglom wait
  // CHECK: sum 1002000, changed 0, too deep 0
  printf("sum %ld, changed %ld, too deep %ld\n", (long)sum, (long)changed, (long)too_deep);

  /* The same for a thread that waits for its own units. */
  pthread_mutex_lock(&mutex);
  leaf(1);
#pragma agglom wait own
  // CHECK-NEXT: sum 1002001
  printf("sum %ld\n", (long)sum);
  pthread_mutex_unlock(&mutex);
  return 0;
}
