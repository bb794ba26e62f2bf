/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The GPU that is none: what <agglom/kernel.h> needs of a target, over coroutines in one host thread. It
 * runs the very text that GPU compilers get, so that barriers, loops dealt out over threads, reductions
 * and completion flags are executed by tests on machines without a GPU. See driver.c. */
#ifndef AG_GPU_ON_HOST_TARGET_H
#define AG_GPU_ON_HOST_TARGET_H

/* Where the running thread is. The driver is loaded with its names hidden, so it hands this in. */
struct ag_test_gpu {
  unsigned block, thread, threads;
  void (*barrier)(int of_warp);
  void (*pause)(void); /* the thread waits for another one: let that one run */
  int (*print)(const char *format, ...);
  void (*trap)(const char *what, const char *file, unsigned line); /* does not return */
};
#ifndef AG_TEST_DRIVER
struct ag_test_gpu *ag_test_gpu;
#define AG_KERNEL void
#endif

#define AG_FUNC static __attribute__((unused))
#define AG_UNIT static
#define AG_EXPORT
#define AG_EXPORT_CONST
#define AG_IMPORT extern
#define AG_IMPORT_CONST extern
#define AG_CONST static
#define AG_NEAR
#define AG_SHARED static /* blocks run one after another */
#define AG_BLOCK (ag_test_gpu->block)
#define AG_THREAD (ag_test_gpu->thread)
#define AG_THREADS (ag_test_gpu->threads)
#define AG_BARRIER() ag_test_gpu->barrier(0)
#define AG_WARP_BARRIER() ag_test_gpu->barrier(1)
#define AG_PAUSE() ag_test_gpu->pause()
#define AG_FENCE() ((void)0)
/* Only barriers change threads, so nothing comes in between. */
#define AG_ATOMIC_ADD(T, P, V) ((void)(*(T *)(P) += (T)(V)))
#define AG_ATOMIC_AND(T, P, V) ((void)(*(T *)(P) &= (T)(V)))
#define AG_ATOMIC_OR(T, P, V) ((void)(*(T *)(P) |= (T)(V)))
#define AG_ATOMIC_XOR(T, P, V) ((void)(*(T *)(P) ^= (T)(V)))
#define AG_ATOMIC_MIN(T, P, V) ((void)(*(T *)(P) = (T)(V) < *(T *)(P) ? (T)(V) : *(T *)(P)))
#define AG_ATOMIC_MAX(T, P, V) ((void)(*(T *)(P) = (T)(V) > *(T *)(P) ? (T)(V) : *(T *)(P)))
#define AG_ATOMIC_CAS(T, P, EXPECTED, V)                                                                     \
  __extension__({                                                                                            \
    T ag_there = *(T *)(P);                                                                                  \
    if (ag_there == (EXPECTED))                                                                              \
      *(T *)(P) = (V);                                                                                       \
    ag_there;                                                                                                \
  })
#define AG_OWN(P) 0
#define AG_PRINTF ag_test_gpu->print
#define AG_ASSERT_FAIL(what, file, line) (ag_test_gpu->trap(what, file, line), __builtin_unreachable())
#define AG_TRAP() AG_ASSERT_FAIL(0, 0, 0)
#define __builtin_trap AG_TRAP

#endif /* AG_GPU_ON_HOST_TARGET_H */
