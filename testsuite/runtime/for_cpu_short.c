// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short loop on CPUs alone is run in place from its second execution on, by its thread or by a crew; by one thread alone from the first. What its
// iterations call are units nonetheless: they wait for their own, what they leave behind is complete when the loop is,
// and loops in them are run. A thread that is through runs what iterations of others wait for.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 AGGLOM_REPORT=1 timeout 60 %t 2>&1 | FileCheck %s --check-prefixes=ALL,ALONE
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s --check-prefix=ALL
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_SCHEDULE=static timeout 60 %t | FileCheck %s --check-prefix=ALL
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_SCHEDULE=dynamic:1 timeout 60 %t | FileCheck %s --check-prefix=ALL
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s --check-prefix=ALL
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_SPLIT=gpu timeout 60 %t | FileCheck %s --check-prefix=ALL
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 100 %t 2 | FileCheck %s --check-prefix=TWO
#include <agglom.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { N = 12, TIMES = 300, INNER = 3 };

static long x[N], leaves[N], inner[N][INNER];

#pragma agglom task device(cpu)
void leaf(long i, long n) {
  if (n)
    leaf(i, n - 1);
#pragma agglom wait
  leaves[i]++;
}

#pragma agglom task inout(v[0:1])
void add(long *v) { *v += 1; }

#pragma agglom task inout(v[0:1]) device(cpu)
void add_two(long *v) {
  add(v);
#pragma agglom wait
  add(v);
}

static void loop_in_loop(long *v) {
#pragma agglom for device(cpu)
  for (int k = 0; k < INNER; ++k)
    add_two(&v[k]);
}

static atomic_int met, second;
static atomic_bool begun;

static bool has(const atomic_int *n, int wanted) {
  for (time_t from = time(NULL); *n < wanted && time(NULL) - from < 20;)
    sched_yield();
  return *n >= wanted;
}

#pragma agglom task device(cpu)
void meet(int *together) {
  ++met;
  *together = has(&met, 2);
}

/* The second iteration submits two units that need a thread each, when the first one is over. */
static int meet_in_loop(void) {
  int together[2] = {0};
#pragma agglom for device(cpu) schedule(dynamic, 1)
  for (int i = 0; i < 2; ++i)
    if (i == 0) {
      begun = has(&second, 1);
    } else {
      ++second;
      meet(&together[0]);
      meet(&together[1]);
#pragma agglom wait
    }
  return together[0] + together[1];
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    // TWO: begun 1 together 2
    int together = meet_in_loop();
    printf("begun %d together %d\n", begun, together);
    return 0;
  }
  long sum = 0, wrong = 0;
  for (long t = 1; t <= TIMES; ++t) {
#pragma agglom for device(cpu) reduction(+ : sum, wrong) schedule(runtime)
    for (long i = 0; i < N; ++i) {
      leaf(i, 3);
      add_two(&x[i]);
#pragma agglom wait
      wrong += x[i] != 2 * t || leaves[i] != 4 * t;
      loop_in_loop(inner[i]);
      for (int k = 0; k < INNER; ++k)
        wrong += inner[i][k] != 2 * t;
      add_two(&x[i]);
      sum += i;
    }
    for (int i = 0; i < N; ++i) {
      wrong += x[i] != 2 * t + 2;
      x[i] = 2 * t;
    }
  }
  // ALONE: leaf: 0 units in 0 launches, 14400 on the CPU
  // ALONE: loop at {{.*}}for_cpu_short.c:89 in main
  // ALONE: schedule {{.*}} 300 executions
  // ALONE: 3600 on the CPU in 300 chunks
  // ALL: sum 19800 wrong 0
  printf("sum %ld wrong %ld\n", sum, wrong);
  return 0;
}
