// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that is cancelled while it waits in any form, or runs units, its own or others', leaves them complete, and nobody waits for
// ever.
// RUN: %agglomcc -O1 -pthread %s -o %t
// RUN: for d in none emulated; do for m in 0 1 2 3 4 5 6; do env AGGLOM_DEVICES=$d AGGLOM_WORKERS=2 timeout 60 %t $m || exit 1; done; done | FileCheck %s
// CHECK-COUNT-14: cancelled, 1000, whole
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int x[100], y[100], z[100], mode;

#pragma agglom task inout(x[0:n])
static void add(int n, int *x) {
  for (int i = 0; i < n; i++)
    x[i] += 1;
}

// usleep() is where a cancelled thread ends.
#pragma agglom task inout(x[0:n]) device(cpu)
static void slow(int n, int *x) {
  x[0] += 1;
  usleep(20000);
  x[n - 1] += 1;
}

// On a CPU it is so short that it runs in its call; printf() writes now and then, and is such a point as well.
#pragma agglom task inout(x[0:n])
static void brief(int n, int *x) {
  x[0] += 1;
  printf(".");
  x[n - 1] += 1;
}

static void *in_thread(void *ignored) {
  for (;;) {
    if (mode == 0) {
      add(100, x);
      slow(100, x);
#pragma agglom wait own
    } else if (mode == 1) {
      add(100, x);
#pragma agglom wait
    } else if (mode == 2) {
      slow(100, x);
#pragma agglom wait on(x[0:100])
    } else if (mode == 3) {
      slow(100, x); // the loop waits for it
#pragma agglom for inout(x[i])
      for (int i = 0; i < 100; i++)
        x[i] += 1;
    } else if (mode == 4) {
#pragma agglom data resident(x[0:100])
      {
        slow(100, x);
      }
    } else if (mode == 5) {
      slow(100, x);
#pragma agglom update host(x[0:100])
    } else {
      for (int i = 0; i < 10000; i++)
        brief(100, x);
#pragma agglom wait own
    }
    pthread_testcancel();
  }
  return ignored;
}

int main(int argc, char **argv) {
  mode = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t thread;
  void *result = 0;
  pthread_create(&thread, 0, in_thread, 0);
  for (int k = 0; k < 5; k++) {
    if (mode == 1)
      slow(100, z); // the thread may run it in its wait
    usleep(7000);
  }
  pthread_cancel(thread);
  pthread_join(thread, &result);
  for (int i = 0; i < 1000; i++)
    add(100, y);
#pragma agglom wait
  int whole = x[0] == x[99] && z[0] == z[99];
  printf("%s, %d, %s\n", result == PTHREAD_CANCELED ? "cancelled" : "ended", y[50], whole ? "whole" : "torn");
  return 0;
}
