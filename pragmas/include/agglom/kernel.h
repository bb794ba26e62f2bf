/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The prelude of every generated kernel text (x.agglom.cu). One text, two GPU compilers: Clang in C
 * mode for the NVPTX target (exact C, no CUDA installation), and nvcc (CUDA C++). The emulated device
 * runs a third rendering of the same body, emitted as plain host C.
 *
 * Block mapping: block c runs chain c; every thread of the block executes the body's sequential code
 * alike, iterations of a `loop` are dealt out over the threads, stores outside loops are done by one
 * thread between barriers. Thread mapping: thread c runs chain c alone. */
#ifndef AGGLOM_KERNEL_H
#define AGGLOM_KERNEL_H

#include <agglom/launch.h>

#if defined(__CUDACC__)
#define AG_KERNEL extern "C" __global__ void
#define AG_FUNC static __device__
#define AG_CONST static __device__
#define AG_BLOCK (blockIdx.x)
#define AG_THREAD (threadIdx.x)
#define AG_THREADS (blockDim.x)
#define AG_BARRIER() __syncthreads()
#define AG_FENCE() __threadfence()
#define AG_NEAR
#define AG_SHARED __shared__
#define restrict __restrict__
#define _Bool bool
/* What the macros of <math.h> expand to on the host, and nvcc does not have on the device. */
template <typename T> static __device__ int ag_isinf_sign(T x) {
  return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0;
}
template <typename T> static __device__ bool ag_isnormal(T x) {
  T least = sizeof(T) == 4 ? (T)1.17549435082228750797e-38 : (T)2.22507385850720138309e-308;
  return __builtin_isfinite(x) && __builtin_fabs(x) >= least;
}
template <typename T>
static __device__ int ag_fpclassify(int nan, int infinite, int normal, int subnormal, int zero, T x) {
  return __builtin_isnan(x)   ? nan
         : __builtin_isinf(x) ? infinite
         : ag_isnormal(x)     ? normal
         : x == 0             ? zero
                              : subnormal;
}
template <typename T, typename U> static __device__ bool ag_isunordered(T x, U y) {
  return __builtin_isnan(x) || __builtin_isnan(y);
}
template <typename T, typename U> static __device__ bool ag_isgreater(T x, U y) { return x > y; }
template <typename T, typename U> static __device__ bool ag_isgreaterequal(T x, U y) { return x >= y; }
template <typename T, typename U> static __device__ bool ag_isless(T x, U y) { return x < y; }
template <typename T, typename U> static __device__ bool ag_islessequal(T x, U y) { return x <= y; }
template <typename T, typename U> static __device__ bool ag_islessgreater(T x, U y) { return x < y || x > y; }
#define __builtin_isinf_sign ag_isinf_sign
#define __builtin_isnormal ag_isnormal
#define __builtin_fpclassify ag_fpclassify
#define __builtin_isunordered ag_isunordered
#define __builtin_isgreater ag_isgreater
#define __builtin_isgreaterequal ag_isgreaterequal
#define __builtin_isless ag_isless
#define __builtin_islessequal ag_islessequal
#define __builtin_islessgreater ag_islessgreater
#define __builtin_signbitf __builtin_signbit
#elif defined(__NVPTX__)
#define AG_KERNEL __attribute__((nvptx_kernel)) void
#define AG_FUNC static __attribute__((unused))
#define AG_CONST static
#define AG_BLOCK ((unsigned)__nvvm_read_ptx_sreg_ctaid_x())
#define AG_THREAD ((unsigned)__nvvm_read_ptx_sreg_tid_x())
#define AG_THREADS ((unsigned)__nvvm_read_ptx_sreg_ntid_x())
#define AG_BARRIER() __syncthreads()
#define AG_FENCE() __nvvm_membar_gl()
#define AG_NEAR __attribute__((address_space(3)))
/* Shared memory has no initial value on the device. */
#define AG_SHARED __attribute__((loader_uninitialized)) static AG_NEAR
#elif defined(AG_OTHER_TARGET)
/* The macros above for something else, such as the test suite's GPU that is none. */
#include AG_OTHER_TARGET
#else
#error "this text is for a GPU compiler: clang --target=nvptx64-nvidia-cuda, or nvcc"
#endif

/* Host and device must lay arguments out alike. */
#ifdef __cplusplus
#define AG_ASSERT static_assert
#else
#define AG_ASSERT _Static_assert
#endif
#define AG_SAME_LAYOUT(T, SIZE) AG_ASSERT(sizeof(T) == (SIZE), "host and device differ in the size of " #T)
#define AG_SAME_OFFSET(T, MEMBER, OFFSET)                                                                    \
  AG_ASSERT(__builtin_offsetof(T, MEMBER) == (OFFSET), "host and device differ in the layout of " #T)

/* The iterations this thread takes of a loop with n iterations: AG_EACH(k, n) { ... k ... } */
#define AG_EACH(k, n)                                                                                        \
  for (unsigned long long k = (unsigned long long)ag_part * AG_THREADS + AG_THREAD; k < (n);                 \
       k += (unsigned long long)ag_parts * AG_THREADS)
/* A statement outside all loops that writes memory: once a unit, seen by all threads afterwards. */
#define AG_ONCE(...)                                                                                         \
  do {                                                                                                       \
    AG_BARRIER();                                                                                            \
    if (AG_THREAD == 0) {                                                                                    \
      __VA_ARGS__;                                                                                           \
    }                                                                                                        \
    AG_BARRIER();                                                                                            \
  } while (0)

/* Waits until the units that unit k depends on, in other chains, are complete. */
AG_FUNC void ag_unit_begin(const struct agglom_launch *launch, unsigned k) {
  if (launch->pred_start) {
    if (AG_THREAD == 0)
      for (unsigned p = launch->pred_start[k]; p < launch->pred_start[k + 1]; ++p)
        while (launch->done[launch->pred[p]] != launch->epoch) {
        }
    AG_FENCE();
  }
  AG_BARRIER();
}

/* Makes what unit k wrote visible to the other chains and says that it is complete. */
AG_FUNC void ag_unit_end(const struct agglom_launch *launch, unsigned k) {
  if (launch->done)
    AG_FENCE();
  AG_BARRIER();
  if (launch->done && AG_THREAD == 0)
    launch->done[k] = launch->epoch;
}

/* Where the threads of a block meet: one word a thread, of the widest type that can be reduced. All
 * reductions of a kernel share it, for shared memory is scarce; barriers part their uses. */
AG_FUNC AG_NEAR void *ag_scratch_words(void) {
  AG_SHARED unsigned long long words[1024];
  return words;
}

/* Block-wide reduction in a fixed order: the result does not depend on timing. Every thread of the
 * block calls it and every thread gets the result. COMBINE is an expression of a and b. */
#define AG_DEFINE_REDUCTION(NAME, T, COMBINE)                                                                \
  AG_FUNC T NAME(T ag_value) {                                                                               \
    AG_NEAR T *ag_scratch = (AG_NEAR T *)ag_scratch_words();                                                 \
    unsigned ag_t = AG_THREAD, ag_n = AG_THREADS;                                                            \
    AG_BARRIER();                                                                                            \
    ag_scratch[ag_t] = ag_value;                                                                             \
    AG_BARRIER();                                                                                            \
    for (unsigned ag_w = 1; ag_w < ag_n; ag_w *= 2) {                                                        \
      if (ag_t % (2 * ag_w) == 0 && ag_t + ag_w < ag_n) {                                                    \
        T a = ag_scratch[ag_t], b = ag_scratch[ag_t + ag_w];                                                 \
        ag_scratch[ag_t] = (T)(COMBINE);                                                                     \
      }                                                                                                      \
      AG_BARRIER();                                                                                          \
    }                                                                                                        \
    ag_value = ag_scratch[0];                                                                                \
    AG_BARRIER();                                                                                            \
    return ag_value;                                                                                         \
  }

#endif /* AGGLOM_KERNEL_H */
