/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where one thread is alone agglom runs a task with dependences in the call. With -DDEFERRED the program has another
 * thread that uses agglom, and sleeps: as few run tasks as before, but these are kept, and released by their dependences. */
#include "bench.h"

#ifdef DEFERRED
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#endif

#pragma agglom task independent inout(byte[0:1])
static void mark(unsigned char *byte) { ++*byte; }

#pragma agglom task inout(c->value)
static void count(struct counter *c) { ++c->value; }

static void round_of(unsigned char *bytes, struct counter *counters, int n) {
  for (int i = 0; i < n; ++i)
    if (bytes)
      mark(&bytes[i]);
    else
      count(&counters[i % CHAINS]);
#pragma agglom wait
}

#ifdef DEFERRED
static sem_t there;

static void *sleeper(void *byte) {
  mark(byte);
#pragma agglom wait
  sem_post(&there);
  for (;;)
    pause();
}
#endif

int main(int argc, char **argv) {
#ifdef DEFERRED
  static unsigned char byte;
  pthread_t id;
  if (sem_init(&there, 0, 0) || pthread_create(&id, NULL, sleeper, &byte))
    return 1;
  while (sem_wait(&there))
    ;
#endif
  return bench_main(argc, argv, round_of);
}
