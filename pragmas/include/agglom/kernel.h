/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The prelude of every generated kernel text (x.agglom.cu), which Clang compiles in C mode for the NVPTX
 * target (exact C, no CUDA installation). The emulated device runs another rendering of the same body,
 * emitted as plain host C.
 *
 * Block and warp mapping: block (warp) c runs chain c. Its threads are a team: each executes the body's
 * sequential code alike, iterations of a `loop` are dealt out over them, stores outside loops are done by
 * one of them between barriers. The parameter `ag_team` of each function that uses the team says whether the
 * team is a block or a warp; of many tasks the launch says which. Thread mapping: thread c runs chain c
 * alone.
 *
 * A warp waits only for chains of lower index: those of earlier blocks, which have started, and those of
 * other warps of its block, which run independently. A thread that waits is alone in its block. So waiting
 * ends. */
#ifndef AGGLOM_KERNEL_H
#define AGGLOM_KERNEL_H

#include <agglom/launch.h>

#if defined(__NVPTX__)
#define AG_KERNEL __attribute__((nvptx_kernel)) void
#define AG_FUNC static __attribute__((unused))
#define AG_NOINLINE static __attribute__((noinline, unused))
#define AG_EXPORT
#define AG_EXPORT_CONST
#define AG_IMPORT extern
#define AG_IMPORT_CONST extern
#define AG_CONST static
#define AG_BLOCK ((unsigned)__nvvm_read_ptx_sreg_ctaid_x())
#define AG_THREAD ((unsigned)__nvvm_read_ptx_sreg_tid_x())
#define AG_THREADS ((unsigned)__nvvm_read_ptx_sreg_ntid_x())
#define AG_BARRIER() __syncthreads()
#define AG_WARP_BARRIER() __nvvm_bar_warp_sync(0xffffffffu)
#define AG_FENCE() __nvvm_membar_gl()
#define AG_PAUSE() ((void)0)
#define AG_TRAP() __builtin_trap()
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
#else
#error "this text is for a GPU compiler: clang --target=nvptx64-nvidia-cuda"
#endif

/* Host and device must lay arguments out alike. */
#define AG_SAME_LAYOUT(T, SIZE)                                                                              \
  _Static_assert(sizeof(T) == (SIZE), "host and device differ in the size of " #T)
#define AG_SAME_OFFSET(T, MEMBER, OFFSET)                                                                    \
  _Static_assert(__builtin_offsetof(T, MEMBER) == (OFFSET), "host and device differ in the layout of " #T)

/* The team that runs a unit. */
enum { AG_BLOCK_TEAM = 0, AG_WARP_TEAM = 1, AG_WARP_THREADS = 32 };
#define AG_TEAM_RANK (ag_team ? AG_THREAD % AG_WARP_THREADS : AG_THREAD)
#define AG_TEAM_SIZE (ag_team ? (unsigned)AG_WARP_THREADS : AG_THREADS)
/* The number of this thread's team in its block. */
#define AG_TEAM_INDEX (ag_team ? AG_THREAD / AG_WARP_THREADS : 0u)
#define AG_TEAM_BARRIER()                                                                                    \
  do {                                                                                                       \
    if (ag_team)                                                                                             \
      AG_WARP_BARRIER();                                                                                     \
    else                                                                                                     \
      AG_BARRIER();                                                                                          \
  } while (0)

/* Runs this thread's share of a loop with n iterations: AG_EACH(k, n) { ... k ... } */
#define AG_EACH(k, n)                                                                                        \
  for (unsigned long long k = (unsigned long long)ag_part * AG_TEAM_SIZE + AG_TEAM_RANK; k < (n);            \
       k += (unsigned long long)ag_parts * AG_TEAM_SIZE)
/* Runs a statement outside all loops that writes memory: once a unit; all threads see the result. */
#define AG_ONCE(...)                                                                                         \
  do {                                                                                                       \
    AG_TEAM_BARRIER();                                                                                       \
    if (AG_TEAM_RANK == 0) {                                                                                 \
      __VA_ARGS__;                                                                                           \
    }                                                                                                        \
    AG_TEAM_BARRIER();                                                                                       \
  } while (0)

/* Waits until the n units in pred, which lie in other chains, are complete. Inlined, each kernel of a text
 * would have its own copy of the loop. */
AG_NOINLINE void ag_wait_for(const unsigned *pred, unsigned n, const volatile unsigned *done, unsigned epoch,
                             unsigned ag_team) {
  if (AG_TEAM_RANK == 0)
    for (unsigned p = 0; p < n; ++p)
      while (done[pred[p]] != epoch)
        AG_PAUSE();
  AG_FENCE();
}
AG_FUNC void ag_unit_begin(const struct agglom_launch *launch, unsigned k, unsigned ag_team) {
  if (launch->pred_start) {
    unsigned from = launch->pred_start[k];
    ag_wait_for(launch->pred + from, launch->pred_start[k + 1] - from, launch->done, launch->epoch, ag_team);
  }
  AG_TEAM_BARRIER();
}

/* Makes what unit k wrote visible to the other chains and says that it is complete. */
AG_FUNC void ag_unit_end(const struct agglom_launch *launch, unsigned k, unsigned ag_team) {
  if (launch->done)
    AG_FENCE();
  AG_TEAM_BARRIER();
  if (launch->done && AG_TEAM_RANK == 0)
    launch->done[k] = launch->epoch;
}

/* ag_unit_begin() and ag_unit_end() for thread mapping. Where there are flags, each block is one thread. */
AG_FUNC void ag_thread_begin(const struct agglom_launch *launch, unsigned k) {
  if (!launch->pred_start)
    return;
  for (unsigned p = launch->pred_start[k]; p < launch->pred_start[k + 1]; ++p)
    while (launch->done[launch->pred[p]] != launch->epoch)
      AG_PAUSE();
  AG_FENCE();
}
AG_FUNC void ag_thread_end(const struct agglom_launch *launch, unsigned k) {
  if (!launch->done)
    return;
  AG_FENCE();
  launch->done[k] = launch->epoch;
}

/* Atomic updates: *ag_to becomes NEXT, an expression over ag_old and ag_value. A thread's own variable, whose
 * address a function may get, allows no atomic instructions, and needs none. AG_DEFINE_UPDATE uses the atomic
 * instruction ATOMIC; _CAS repeats compare-and-swap until no other thread has written in between; _NARROW
 * does so for one and two bytes, with the aligned word around them. */
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
      unsigned ag_next = (unsigned)(T)(NEXT);                                                                \
      __asm__("" : "+r"(ag_next)); /* more bits may be set, where a conversion is out of range */            \
      ag_next = ag_next << ag_shift & ag_mask;                                                               \
      unsigned ag_before = ag_seen;                                                                          \
      ag_seen = AG_ATOMIC_CAS(unsigned, ag_word, ag_before, (ag_before & ~ag_mask) | ag_next);               \
      if (ag_seen == ag_before)                                                                              \
        return;                                                                                              \
    }                                                                                                        \
  }

/* The stack of recursive functions, measured by addresses of variables: the kernel stores the address of a
 * variable when it begins, and each function of a cycle compares it with the address of its own. A thread
 * that went on beyond its stack would write anywhere, so the launch is ended. */
AG_FUNC AG_NEAR unsigned *ag_stack_begin(void) {
  AG_SHARED unsigned begin[1024];
  return begin + AG_THREAD;
}
AG_FUNC int ag_stack_is_used(unsigned here) {
  unsigned down = *ag_stack_begin() - here;
  return (down > 0x7fffffffu ? 0u - down : down) > AGGLOM_STACK_BYTES;
}
#define AG_STACK_BEGIN()                                                                                     \
  do {                                                                                                       \
    char ag_here;                                                                                            \
    *ag_stack_begin() = (unsigned)(unsigned long)&ag_here;                                                   \
  } while (0)
#define AG_STACK_CHECK()                                                                                     \
  do {                                                                                                       \
    char ag_here;                                                                                            \
    if (ag_stack_is_used((unsigned)(unsigned long)&ag_here))                                                 \
      AG_TRAP();                                                                                             \
  } while (0)

/* Scratch memory of the teams: one word for each thread, of the widest type that can be reduced. All
 * reductions and sorts of a kernel share it, for shared memory is scarce; barriers separate their uses. */
enum { AG_WORDS = 1024 };
AG_FUNC AG_NEAR unsigned long long *ag_scratch_words(void) {
  AG_SHARED unsigned long long words[AG_WORDS];
  return words;
}

/* The iterations of a `loop sort(key)` are taken in tiles. The team sorts the iterations of a tile by
 * (key, index), so the permutation does not depend on timing, and then deals them out in that order:
 *
 *   AG_SORT_TILES(tile, m, n) {
 *     AG_SORT_EACH(j, m) ag_sort_put(ag_team, j, key of iteration tile + j);
 *     ag_sort(ag_team, m);
 *     AG_SORT_EACH(j, m) { iteration tile + ag_sort_at(ag_team, j) }
 *   }
 *
 * Each team has its slice of the keys' words, a power of two of them. */
#define AG_SORT_TILE (!ag_team ? (unsigned)AG_WORDS : AG_THREADS <= 128 ? AG_WORDS / 4u : AG_WORDS / 32u)
#define AG_SORT_TILES(tile, m, n)                                                                            \
  for (unsigned long long tile = (unsigned long long)ag_part * AG_SORT_TILE, m;                              \
       tile < (n) && (m = (n) - tile < AG_SORT_TILE ? (n) - tile : AG_SORT_TILE, 1);                         \
       tile += (unsigned long long)ag_parts * AG_SORT_TILE)
#define AG_SORT_EACH(j, m) for (unsigned j = AG_TEAM_RANK; j < (m); j += AG_TEAM_SIZE)

AG_FUNC AG_NEAR unsigned short *ag_sort_order(unsigned ag_team) {
  AG_SHARED unsigned short order[AG_WORDS];
  return order + AG_TEAM_INDEX * AG_SORT_TILE;
}
AG_FUNC unsigned ag_sort_at(unsigned ag_team, unsigned j) { return ag_sort_order(ag_team)[j]; }
AG_FUNC void ag_sort_put(unsigned ag_team, unsigned j, unsigned long long key) {
  ag_scratch_words()[AG_TEAM_INDEX * AG_SORT_TILE + j] = key;
}
/* A bitonic sort: the same steps whatever the keys are. The keys that fill up to a power of two come last. */
AG_FUNC void ag_sort(unsigned ag_team, unsigned m) {
  AG_NEAR unsigned long long *keys = ag_scratch_words() + AG_TEAM_INDEX * AG_SORT_TILE;
  AG_NEAR unsigned short *order = ag_sort_order(ag_team);
  unsigned full = 1;
  while (full < m)
    full *= 2;
  AG_SORT_EACH(j, full) {
    order[j] = (unsigned short)j;
    if (j >= m)
      keys[j] = ~0ULL;
  }
  AG_TEAM_BARRIER();
  for (unsigned width = 2; width <= full; width *= 2)
    for (unsigned apart = width / 2; apart; apart /= 2) {
      AG_SORT_EACH(j, full / 2) {
        unsigned low = j / apart * apart * 2 + j % apart, high = low + apart;
        unsigned long long a = keys[low], b = keys[high];
        unsigned short p = order[low], q = order[high];
        if ((a > b || (a == b && p > q)) == !(low & width)) {
          keys[low] = b, keys[high] = a;
          order[low] = q, order[high] = p;
        }
      }
      AG_TEAM_BARRIER();
    }
}

/* Reduction over a team in a fixed order: the result does not depend on timing. Every thread of the team
 * calls it and every thread gets the result. COMBINE is an expression over a and b. Its first barrier
 * separates it from another reduction before; loops begin and end with barriers of their own. It is not
 * inlined, since a body may have many reductions. */
#define AG_DEFINE_REDUCTION(NAME, T, COMBINE)                                                                \
  AG_NOINLINE T NAME(unsigned ag_team, T ag_value) {                                                         \
    unsigned ag_t = AG_TEAM_RANK, ag_n = AG_TEAM_SIZE;                                                       \
    AG_NEAR T *ag_scratch = (AG_NEAR T *)(ag_scratch_words() + AG_TEAM_INDEX * AG_SORT_TILE);                \
    AG_TEAM_BARRIER();                                                                                       \
    ag_scratch[ag_t] = ag_value;                                                                             \
    AG_TEAM_BARRIER();                                                                                       \
    for (unsigned ag_w = 1; ag_w < ag_n; ag_w *= 2) {                                                        \
      if (ag_t % (2 * ag_w) == 0 && ag_t + ag_w < ag_n) {                                                    \
        T a = ag_scratch[ag_t], b = ag_scratch[ag_t + ag_w];                                                 \
        ag_scratch[ag_t] = (T)(COMBINE);                                                                     \
      }                                                                                                      \
      AG_TEAM_BARRIER();                                                                                     \
    }                                                                                                        \
    return ag_scratch[0];                                                                                    \
  }

#endif /* AGGLOM_KERNEL_H */
