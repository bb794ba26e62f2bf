// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads submit and wait, and what one of them has run for another is not complete: nobody waits for ever, nor
// runs on top of its wait what it may not.
// RUN: %agglomcc -O1 -Wno-agglom %s -o %t -pthread
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { MANY = 20, EACH = 2048 };

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int runs, bodies, leaves, begun, done;
static _Thread_local int waits;
static int x[MANY][EACH], y[10], z, wrong;
static double a[128], b[20000][4];

static void nap(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL); }

#pragma agglom task device(cpu) out(p[0:1]) priority(0)
static void leaf(int *p) {
  nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  *p = 1;
  ++leaves;
}

/* Its body returns long before its units are complete. */
#pragma agglom task device(cpu) out(p[0:n]) priority(1)
static void many(int n, int *p) {
  for (int i = 0; i < n; ++i)
    leaf(p + i);
  ++bodies;
}

#pragma agglom task device(cpu) out(p[0:1])
static void slow(int *p) {
  runs = 1;
  while (bodies < MANY)
    nap(1);
  *p = 1;
}

#pragma agglom task device(cpu) out(p[0:1])
static void locks(int *p) {
  wrong |= waits;
  pthread_mutex_lock(&mutex);
  *p = 1;
  pthread_mutex_unlock(&mutex);
}

#pragma agglom task device(cpu) out(p[0:1])
static void naps(int *p) {
  nap(100);
  *p = 1;
}

#pragma agglom task independent inout(p[0:n])
static void adds(int n, int times, double *p) {
  for (int k = 0; k < times; ++k)
    for (int i = 0; i < n; ++i)
      p[i] += 1;
}

#pragma agglom task device(cpu) inout(p[0:n])
static void parent(int n, double *p) {
  adds(n / 2, 1, p);
  adds(n / 2, 3000000, p + n / 2); /* takes longer than the body */
  nap(60);
}

#pragma agglom task device(cpu) inout(p[0:n])
static void follows(int n, double *p) {
  for (int i = 0; i < n; ++i)
    p[i] *= 2;
}

#pragma agglom task device(cpu)
static void begins(void) {
  ++begun;
  nap(10);
  ++done;
}

/* --- A thread that has as many units as may be, which are another one's --------------------------------- */

static void *runs_slow(void *ignored) {
  (void)ignored;
  slow(&z);
  pthread_barrier_wait(&barrier);
#pragma agglom wait own
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void *submits_many(void *ignored) {
  (void)ignored;
  pthread_barrier_wait(&barrier);
  nap(100); /* by now both wait */
  for (int i = 0; i < MANY; ++i)
    many(i ? 8 : EACH, x[i]);
  pthread_barrier_wait(&barrier);
#pragma agglom wait
  return NULL;
}

static void others_fill_it(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_create(&threads[0], NULL, runs_slow, NULL);
  pthread_create(&threads[1], NULL, submits_many, NULL);
  pthread_barrier_wait(&barrier);
  while (!runs) /* the other thread runs that unit */
    nap(1);
#pragma agglom wait on(z)
  for (int i = 0; i < 10; ++i)
    leaf(y + i);
  pthread_barrier_wait(&barrier);
#pragma agglom wait
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}

/* --- A lock over a wait for some of one's own units ----------------------------------------------------- */

static void *submits_locks(void *ignored) {
  static int p[20];
  (void)ignored;
  nap(20);
  for (int i = 0; i < 20; ++i)
    locks(&p[i]);
  nap(150);
#pragma agglom wait own
  return NULL;
}

static void lock_over_wait_on(void) {
  static int p;
  pthread_t thread;
  pthread_create(&thread, NULL, submits_locks, NULL);
  naps(&p);
  nap(5);
  pthread_mutex_lock(&mutex);
  waits = 1;
#pragma agglom wait own on(p)
  waits = 0;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

/* --- What the last child of a unit releases is for a thread that sleeps --------------------------------- */

static void *waits_for_its_own(void *ignored) {
  static int p;
  (void)ignored;
  naps(&p);
  nap(20);
#pragma agglom wait own
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void released_by_another(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, waits_for_its_own, NULL);
  nap(40);
  parent(128, a);
  follows(128, a);
#pragma agglom wait own
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
}

/* --- A thread is cancelled while it runs units because it has too many ---------------------------------- */

static void *is_cancelled(void *ignored) {
  (void)ignored;
  for (int i = 0; i < 100; ++i)
    begins();
  for (int i = 0; i < 20000; ++i)
    adds(4, 1, b[i]);
#pragma agglom wait own
  return NULL;
}

static void cancelled(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, is_cancelled, NULL);
  nap(150);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
#pragma agglom wait
}

int main(void) {
  others_fill_it();
  // CHECK: others: 20 bodies, 2210 leaves
  printf("others: %d bodies, %d leaves\n", (int)bodies, (int)leaves);
  for (int i = 0; i < 2; ++i)
    lock_over_wait_on();
  // CHECK-NEXT: lock: 0 wrong
  printf("lock: %d wrong\n", wrong);
  for (int i = 0; i < 2; ++i)
    released_by_another();
  // CHECK-NEXT: released: 6 1.8e+07
  printf("released: %g %g\n", a[0], a[127]);
  cancelled();
  // CHECK-NEXT: cancelled: 0 lost
  printf("cancelled: %d lost\n", begun - done);
  return 0;
}
