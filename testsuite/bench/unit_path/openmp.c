/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In a team of one, libomp runs each task where it stands and never looks at its dependences. With -DDEFERRED
 * the team has one thread more, which sleeps outside of OpenMP until all is over: as few threads run tasks as
 * before, but these are kept, and released by their dependences. */
#include "bench.h"

#ifdef DEFERRED
#include <omp.h>
#include <semaphore.h>
#endif

static void tasks_of(unsigned char *bytes, struct counter *counters, int n) {
  for (int i = 0; i < n; ++i)
    if (bytes) {
      unsigned char *byte = &bytes[i];
#pragma omp task firstprivate(byte)
      ++*byte;
    } else {
      long *value = &counters[i % CHAINS].value;
#pragma omp task firstprivate(value) depend(inout : *value)
      ++*value;
    }
#pragma omp taskwait
}

static void round_of(unsigned char *bytes, struct counter *counters, int n) {
#ifdef DEFERRED
  int sleeper = omp_get_max_threads();
  sem_t over;
  sem_init(&over, 0, 0);
#pragma omp parallel num_threads(sleeper + 1)
  if (omp_get_thread_num() == 0) {
    tasks_of(bytes, counters, n);
    sem_post(&over);
  } else if (omp_get_thread_num() == sleeper) {
    while (sem_wait(&over))
      ;
  }
  sem_destroy(&over);
#else
#pragma omp parallel
#pragma omp single
  tasks_of(bytes, counters, n);
#endif
}

int main(int argc, char **argv) { return bench_main(argc, argv, round_of); }
