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
#define AG_ATOMIC_ADD(T, P, V) ((void)atomicAdd((T *)(P), (T)(V)))
#define AG_ATOMIC_AND(T, P, V) ((void)atomicAnd((T *)(P), (T)(V)))
#define AG_ATOMIC_OR(T, P, V) ((void)atomicOr((T *)(P), (T)(V)))
#define AG_ATOMIC_XOR(T, P, V) ((void)atomicXor((T *)(P), (T)(V)))
#define AG_ATOMIC_MIN(T, P, V) ((void)atomicMin((T *)(P), (T)(V)))
#define AG_ATOMIC_MAX(T, P, V) ((void)atomicMax((T *)(P), (T)(V)))
#define AG_ATOMIC_CAS(T, P, EXPECTED, V) atomicCAS((T *)(P), EXPECTED, V)
/* Not __isLocal(): nvcc makes code of it that it then refuses, when P points to a structure's first member.
 */
static __device__ inline bool ag_own(const void *p) {
  int own;
  asm("{ .reg .pred q; isspacep.local q, %1; selp.s32 %0, 1, 0, q; }" : "=r"(own) : "l"(p));
  return own;
}
#define AG_OWN(P) ag_own(P)
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
/* Relaxed: barriers, fences and the end of the kernel order units, not their updates. */
#define AG_ATOMIC_ADD(T, P, V) ((void)__scoped_atomic_fetch_add((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_AND(T, P, V) ((void)__scoped_atomic_fetch_and((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_OR(T, P, V) ((void)__scoped_atomic_fetch_or((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_XOR(T, P, V) ((void)__scoped_atomic_fetch_xor((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_MIN(T, P, V) ((void)__scoped_atomic_fetch_min((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_MAX(T, P, V) ((void)__scoped_atomic_fetch_max((T *)(P), (T)(V), 0, __MEMORY_SCOPE_DEVICE))
#define AG_ATOMIC_CAS(T, P, EXPECTED, V)                                                                     \
  __extension__({                                                                                            \
    T ag_expected = (EXPECTED);                                                                              \
    (void)__scoped_atomic_compare_exchange_n((T *)(P), &ag_expected, (T)(V), 0, 0, 0,                        \
                                             __MEMORY_SCOPE_DEVICE);                                         \
    ag_expected;                                                                                             \
  })
#define AG_OWN(P) __nvvm_isspacep_local(P)
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

/* Atomic updates: *ag_to becomes NEXT, an expression of ag_old and ag_value. A thread's own variable, which
 * a function may be given the address of, is no place for atomic instructions; nor does it need them.
 * AG_DEFINE_UPDATE knows one that does the same; _CAS tries until nobody came in between; _NARROW does so
 * for one and two bytes, with the aligned word around them. */
#define AG_DEFINE_UPDATE(NAME, T, V, NEXT, ATOMIC)                                                           \
  AG_FUNC void NAME(T *ag_to, V ag_value) {                                                                  \
    if (AG_OWN(ag_to)) {                                                                                     \
      T ag_old = *ag_to;                                                                                     \
      *ag_to = (T)(NEXT);                                                                                    \
      return;                                                                                                \
    }                                                                                                        \
    ATOMIC;                                                                                                  \
  }
#define AG_DEFINE_UPDATE_CAS(NAME, T, V, NEXT, WORD)                                                         \
  AG_FUNC void NAME(T *ag_to, V ag_value) {                                                                  \
    union {                                                                                                  \
      T value;                                                                                               \
      WORD word;                                                                                             \
    } ag_bits;                                                                                               \
    T ag_old = *(volatile T *)ag_to;                                                                         \
    if (AG_OWN(ag_to)) {                                                                                     \
      *ag_to = (T)(NEXT);                                                                                    \
      return;                                                                                                \
    }                                                                                                        \
    for (;;) {                                                                                               \
      ag_bits.value = ag_old;                                                                                \
      WORD ag_before = ag_bits.word;                                                                         \
      ag_bits.value = (T)(NEXT);                                                                             \
      ag_bits.word = AG_ATOMIC_CAS(WORD, ag_to, ag_before, ag_bits.word);                                    \
      if (ag_bits.word == ag_before)                                                                         \
        return;                                                                                              \
      ag_old = ag_bits.value;                                                                                \
    }                                                                                                        \
  }
#define AG_DEFINE_UPDATE_NARROW(NAME, T, V, NEXT)                                                            \
  AG_FUNC void NAME(T *ag_to, V ag_value) {                                                                  \
    T ag_old = *(volatile T *)ag_to;                                                                         \
    if (AG_OWN(ag_to)) {                                                                                     \
      *ag_to = (T)(NEXT);                                                                                    \
      return;                                                                                                \
    }                                                                                                        \
    unsigned long long ag_at = (unsigned long long)ag_to;                                                    \
    unsigned *ag_word = (unsigned *)(ag_at & ~3ull), ag_shift = (unsigned)(ag_at & 3) * 8;                   \
    unsigned ag_mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << ag_shift;                                       \
    unsigned ag_seen = AG_ATOMIC_CAS(unsigned, ag_word, 0u, 0u);                                             \
    for (;;) {                                                                                               \
      ag_old = (T)((ag_seen & ag_mask) >> ag_shift);                                                         \
      unsigned ag_next = (unsigned)(T)(NEXT) << ag_shift & ag_mask;                                          \
      unsigned ag_before = ag_seen;                                                                          \
      ag_seen = AG_ATOMIC_CAS(unsigned, ag_word, ag_before, (ag_before & ~ag_mask) | ag_next);               \
      if (ag_seen == ag_before)                                                                              \
        return;                                                                                              \
    }                                                                                                        \
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
