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
#define AG_SCRATCH(T, s) __shared__ T s[1024]
#define restrict __restrict__
#define _Bool bool
#elif defined(__NVPTX__)
#define AG_KERNEL __attribute__((nvptx_kernel)) void
#define AG_FUNC static __attribute__((unused))
#define AG_CONST static
#define AG_BLOCK ((unsigned)__nvvm_read_ptx_sreg_ctaid_x())
#define AG_THREAD ((unsigned)__nvvm_read_ptx_sreg_tid_x())
#define AG_THREADS ((unsigned)__nvvm_read_ptx_sreg_ntid_x())
#define AG_BARRIER() __syncthreads()
#define AG_FENCE() __nvvm_membar_gl()
/* Shared memory has no initial value on the device. */
#define AG_SCRATCH(T, s) \
  __attribute__((loader_uninitialized)) static __attribute__((address_space(3))) T s[1024]
#if defined(AG_MATHS_LIBCLC)
/* What libclc's functions for this target call and leave to libdevice. */
double _Z4log2d(double);
float _Z4log2f(float);
double _Z3sind(double);
float _Z3sinf(float);
int __nv_isinfd(double x) { return x == __builtin_inf() || x == -__builtin_inf(); }
int __nv_isinff(float x) { return x == __builtin_inff() || x == -__builtin_inff(); }
double __nv_sqrt(double x) { return __builtin_sqrt(x); }
float __nv_sqrtf(float x) { return __builtin_sqrtf(x); }
double __nv_log(double x) { return _Z4log2d(x) * 0.69314718055994530942; }
float __nv_logf(float x) { return (float)(_Z4log2d((double)x) * 0.69314718055994530942); }
double __nv_sinpi(double x) {
  return _Z3sind((x - 2.0 * __builtin_rint(x * 0.5)) * 3.14159265358979323846);
}
float __nv_sinpif(float x) { return (float)__nv_sinpi((double)x); }
#endif
#else
#error "this text is for a GPU compiler: clang --target=nvptx64-nvidia-cuda, or nvcc"
#endif

/* Host and device must lay arguments out alike. */
#ifdef __cplusplus
#define AG_SAME_LAYOUT(T, SIZE) \
  static_assert(sizeof(T) == (SIZE), "host and device differ in the layout of " #T)
#else
#define AG_SAME_LAYOUT(T, SIZE) \
  _Static_assert(sizeof(T) == (SIZE), "host and device differ in the layout of " #T)
#endif

/* The iterations this thread takes of a loop with n iterations: AG_EACH(k, n) { ... k ... } */
#define AG_EACH(k, n)                                                                            \
  for (unsigned long long k = (unsigned long long)ag_part * AG_THREADS + AG_THREAD; k < (n);      \
       k += (unsigned long long)ag_parts * AG_THREADS)
/* A statement outside all loops that writes memory: once a unit, seen by all threads afterwards. */
#define AG_ONCE(...)                                                                             \
  do {                                                                                           \
    AG_BARRIER();                                                                                \
    if (AG_THREAD == 0) {                                                                        \
      __VA_ARGS__;                                                                               \
    }                                                                                            \
    AG_BARRIER();                                                                                \
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

/* Block-wide reduction in a fixed order: the result does not depend on timing. Every thread of the
 * block calls it and every thread gets the result. COMBINE is an expression of a and b. */
#define AG_DEFINE_REDUCTION(NAME, T, COMBINE)                                                    \
  AG_FUNC T NAME(T ag_value) {                                                                   \
    AG_SCRATCH(T, ag_scratch);                                                                   \
    unsigned ag_t = AG_THREAD, ag_n = AG_THREADS;                                                \
    AG_BARRIER();                                                                                \
    ag_scratch[ag_t] = ag_value;                                                                 \
    AG_BARRIER();                                                                                \
    for (unsigned ag_w = 1; ag_w < ag_n; ag_w *= 2) {                                            \
      if (ag_t % (2 * ag_w) == 0 && ag_t + ag_w < ag_n) {                                        \
        T a = ag_scratch[ag_t], b = ag_scratch[ag_t + ag_w];                                     \
        ag_scratch[ag_t] = (T)(COMBINE);                                                         \
      }                                                                                          \
      AG_BARRIER();                                                                              \
    }                                                                                            \
    ag_value = ag_scratch[0];                                                                    \
    AG_BARRIER();                                                                                \
    return ag_value;                                                                             \
  }

#endif /* AGGLOM_KERNEL_H */
