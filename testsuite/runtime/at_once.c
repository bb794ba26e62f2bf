// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit that a task submits runs in the call when nobody else needs it and devices have nothing to do, unless it depends
// on something or something goes before it. It is counted, what follows it follows its children, and a chain of tasks does
// not lie on the stack.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t 0 | FileCheck %s --check-prefixes=ALL,ALONE
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 timeout 60 %t 2 | FileCheck %s --check-prefixes=ALL,OTHERS
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 timeout 60 %t 0 | FileCheck %s --check-prefixes=ALL,ALONE
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s --check-prefix=PRIORITY
#include <agglom.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAVES = 1000, CHAIN = 50000, PARTS = 1000 };

static _Thread_local long here; /* leaves that this thread has run */
static atomic_long n, in_the_call, deepest, busy;
static atomic_bool over;

#pragma agglom task device(cpu)
void leaf(void) {
  ++here;
  ++n;
}

/* Keeps a thread busy. */
#pragma agglom task device(cpu)
void other(void) {
  ++busy;
  while (!over)
    sched_yield();
}

#pragma agglom task device(cpu)
void flat(long others) {
  while (busy < others)
    sched_yield();
  for (long i = 0; i < LEAVES; ++i) {
    long before = here;
    leaf();
    in_the_call += here != before;
  }
  over = true;
#pragma agglom wait
}

/* Without a wait: each is complete with the last. */
#pragma agglom task device(cpu)
void chain(long i) {
  static _Thread_local long depth;
  ++n;
  if (++depth > deepest)
    deepest = depth;
  if (i)
    chain(i - 1);
  --depth;
}

#pragma agglom task inout(x[0:1])
void thrice(long *x) { *x *= 3; }

#pragma agglom task inout(x[0:1]) device(cpu)
void plus_one(long *x) { *x += 1; }

/* Leaves a unit behind. */
#pragma agglom task inout(x[0:1]) device(cpu)
void plus_two_thrice(long *x) {
  *x += 2;
  thrice(x);
}

#pragma agglom task inout(x[0:1]) device(cpu)
void in_order(long *x) {
  plus_one(x);
  plus_two_thrice(x);
  plus_one(x);
  thrice(x);
  plus_one(x);
}

static long order[3], at;

#pragma agglom task device(cpu) priority(p)
void note(long p) { order[at++] = p; }

#pragma agglom task device(cpu)
void by_priority(void) {
  note(2);
  note(7);
  note(1);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    by_priority();
#pragma agglom wait
    // PRIORITY: order 7 2 1
    printf("order %ld %ld %ld\n", order[0], order[1], order[2]);
    return 0;
  }
  long others = atol(argv[1]);
  for (long i = 0; i < others; ++i)
    other();
  flat(others);
#pragma agglom wait
  // ALONE: in the call: 1000
  // OTHERS: in the call: 936
  printf("in the call: %ld\n", (long)in_the_call);

  chain(CHAIN);
#pragma agglom wait
  struct agglom_counters c;
  agglom_read_counters(&c, sizeof c);
  // ALL-NEXT: 51001 units, all counted, all on CPUs, 0 in flight, deep 0
  printf("%ld units, %s counted, %s on CPUs, %llu in flight, deep %d\n", (long)n,
         c.units == (unsigned long long)(n + 1 + others) ? "all" : "not all",
         c.units_on_cpu == c.units ? "all" : "not all", (unsigned long long)c.in_flight, deepest > 100);

  static long x[PARTS];
  long wrong = 0;
  for (int i = 0; i < PARTS; ++i) {
    x[i] = 1;
    in_order(&x[i]);
  }
#pragma agglom wait
  for (int i = 0; i < PARTS; ++i)
    wrong += x[i] != ((1 + 1 + 2) * 3 + 1) * 3 + 1;
  // ALL-NEXT: wrong 0
  printf("wrong %ld\n", wrong);
  return 0;
}
