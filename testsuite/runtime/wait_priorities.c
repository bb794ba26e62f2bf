// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that waits for the units of another one runs those of larger priority first.
// RUN: %agglomcc -O1 -Wno-agglom %s -o %t -pthread
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int n, place;
static double x[60];

#pragma agglom task device(cpu) out(p[0:1]) priority(priority)
static void unit(int priority, double *p) {
  *p = priority;
  ++n;
  if (priority)
    place = n;
}

static void *submits(void *ignored) {
  (void)ignored;
  for (int i = 0; i < 50; ++i)
    unit(0, x + i);
  unit(5, x + 50);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, submits, NULL);
  pthread_barrier_wait(&barrier);
#pragma agglom wait
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  // CHECK: 51 units, the urgent one as number 1
  printf("%d units, the urgent one as number %d\n", n, place);
  return 0;
}
