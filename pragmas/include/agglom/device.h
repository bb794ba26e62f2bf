/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For hand-written device functions: `#pragma agglom task variant(cuda: f)`. All threads of a block call f
 * together, once for each unit, and share the work by what is declared here. On the host, and for any other
 * compiler, f is a function that one thread calls: thread 0 of 1. */
#ifndef AGGLOM_DEVICE_H
#define AGGLOM_DEVICE_H

/* The most threads a block can have, for the sizes of arrays; agglom_threads() returns the actual number. */
enum { AGGLOM_MAX_THREADS = 1024 };

/* AGGLOM_SHARED double tile[256];
 * An object of the block: one for all its threads, without an initial value. agglomcc knows such an object by
 * these three words together. On the host each thread of the program has its own. */
#define AGGLOM_SHARED static __thread __attribute__((unused))

#define AGGLOM_DEVICE_FUNCTION static inline __attribute__((unused))

/* This thread's number, from 0 on, and the number of threads of the block. */
AGGLOM_DEVICE_FUNCTION unsigned agglom_thread(void) { return 0; }
AGGLOM_DEVICE_FUNCTION unsigned agglom_threads(void) { return 1; }

/* Waits until all threads of the block are at this barrier. Memory that they wrote before it is visible to
 * all afterwards. All threads must come to the same barrier. */
AGGLOM_DEVICE_FUNCTION void agglom_barrier(void) {}

/* The sum, the smallest or the largest of the threads' values, which every thread gets. All threads must call
 * it. The order of additions depends on the number of threads only. */
#define AGGLOM_DEVICE_REDUCTIONS(T)                                                                          \
  AGGLOM_DEVICE_FUNCTION T agglom_sum_##T(T value) { return value; }                                         \
  AGGLOM_DEVICE_FUNCTION T agglom_min_##T(T value) { return value; }                                         \
  AGGLOM_DEVICE_FUNCTION T agglom_max_##T(T value) { return value; }
AGGLOM_DEVICE_REDUCTIONS(int)
AGGLOM_DEVICE_REDUCTIONS(long)
AGGLOM_DEVICE_REDUCTIONS(float)
AGGLOM_DEVICE_REDUCTIONS(double)
#undef AGGLOM_DEVICE_REDUCTIONS
#undef AGGLOM_DEVICE_FUNCTION

#endif /* AGGLOM_DEVICE_H */
