/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <stdatomic.h> (C11, 7.17) for annotated files that gcc compiles: Clang reads them first and leaves no macro
 * in the text, so these expand to what both compilers understand. Like gcc's own header, atomic_fetch_add and
 * atomic_fetch_sub count bytes where the object is a pointer. */
#ifndef AGGLOM_GCC_STDATOMIC_H
#define AGGLOM_GCC_STDATOMIC_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  memory_order_relaxed = __ATOMIC_RELAXED,
  memory_order_consume = __ATOMIC_CONSUME,
  memory_order_acquire = __ATOMIC_ACQUIRE,
  memory_order_release = __ATOMIC_RELEASE,
  memory_order_acq_rel = __ATOMIC_ACQ_REL,
  memory_order_seq_cst = __ATOMIC_SEQ_CST
} memory_order;

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(uint_least16_t) atomic_char16_t;
typedef _Atomic(uint_least32_t) atomic_char32_t;
typedef _Atomic(wchar_t) atomic_wchar_t;
typedef _Atomic(int_least8_t) atomic_int_least8_t;
typedef _Atomic(uint_least8_t) atomic_uint_least8_t;
typedef _Atomic(int_least16_t) atomic_int_least16_t;
typedef _Atomic(uint_least16_t) atomic_uint_least16_t;
typedef _Atomic(int_least32_t) atomic_int_least32_t;
typedef _Atomic(uint_least32_t) atomic_uint_least32_t;
typedef _Atomic(int_least64_t) atomic_int_least64_t;
typedef _Atomic(uint_least64_t) atomic_uint_least64_t;
typedef _Atomic(int_fast8_t) atomic_int_fast8_t;
typedef _Atomic(uint_fast8_t) atomic_uint_fast8_t;
typedef _Atomic(int_fast16_t) atomic_int_fast16_t;
typedef _Atomic(uint_fast16_t) atomic_uint_fast16_t;
typedef _Atomic(int_fast32_t) atomic_int_fast32_t;
typedef _Atomic(uint_fast32_t) atomic_uint_fast32_t;
typedef _Atomic(int_fast64_t) atomic_int_fast64_t;
typedef _Atomic(uint_fast64_t) atomic_uint_fast64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(intmax_t) atomic_intmax_t;
typedef _Atomic(uintmax_t) atomic_uintmax_t;

#define ATOMIC_BOOL_LOCK_FREE __GCC_ATOMIC_BOOL_LOCK_FREE
#define ATOMIC_CHAR_LOCK_FREE __GCC_ATOMIC_CHAR_LOCK_FREE
#define ATOMIC_CHAR16_T_LOCK_FREE __GCC_ATOMIC_CHAR16_T_LOCK_FREE
#define ATOMIC_CHAR32_T_LOCK_FREE __GCC_ATOMIC_CHAR32_T_LOCK_FREE
#define ATOMIC_WCHAR_T_LOCK_FREE __GCC_ATOMIC_WCHAR_T_LOCK_FREE
#define ATOMIC_SHORT_LOCK_FREE __GCC_ATOMIC_SHORT_LOCK_FREE
#define ATOMIC_INT_LOCK_FREE __GCC_ATOMIC_INT_LOCK_FREE
#define ATOMIC_LONG_LOCK_FREE __GCC_ATOMIC_LONG_LOCK_FREE
#define ATOMIC_LLONG_LOCK_FREE __GCC_ATOMIC_LLONG_LOCK_FREE
#define ATOMIC_POINTER_LOCK_FREE __GCC_ATOMIC_POINTER_LOCK_FREE

#define kill_dependency(y) (y)
#define ATOMIC_VAR_INIT(value) (value)

/* The type of *p, neither atomic nor qualified. */
#define __agglom_plain(p) __typeof__(((void)0, *(p)))
/* p as the builtins of both compilers take it. */
#define __agglom_plainly(p) ((volatile __agglom_plain(p) *)(p))

#define atomic_init(p, v) atomic_store_explicit(p, v, __ATOMIC_RELAXED)
#define atomic_thread_fence(order) __atomic_thread_fence(order)
#define atomic_signal_fence(order) __atomic_signal_fence(order)
#define atomic_is_lock_free(p) __atomic_is_lock_free(sizeof *(p), 0)

#define atomic_store_explicit(p, v, order)                                                                   \
  __extension__({                                                                                            \
    __auto_type __agglom_p = (p);                                                                            \
    __agglom_plain(__agglom_p) __agglom_v = (v);                                                             \
    __atomic_store(__agglom_plainly(__agglom_p), &__agglom_v, (order));                                      \
  })
#define atomic_load_explicit(p, order)                                                                       \
  __extension__({                                                                                            \
    __auto_type __agglom_p = (p);                                                                            \
    __agglom_plain(__agglom_p) __agglom_v;                                                                   \
    __atomic_load(__agglom_plainly(__agglom_p), &__agglom_v, (order));                                       \
    __agglom_v;                                                                                              \
  })
#define atomic_exchange_explicit(p, v, order)                                                                \
  __extension__({                                                                                            \
    __auto_type __agglom_p = (p);                                                                            \
    __agglom_plain(__agglom_p) __agglom_v = (v), __agglom_old;                                               \
    __atomic_exchange(__agglom_plainly(__agglom_p), &__agglom_v, &__agglom_old, (order));                    \
    __agglom_old;                                                                                            \
  })
#define __agglom_compare_exchange(p, expected, v, weak, success, failure)                                    \
  __extension__({                                                                                            \
    __auto_type __agglom_p = (p);                                                                            \
    __agglom_plain(__agglom_p) __agglom_v = (v);                                                             \
    __atomic_compare_exchange(__agglom_plainly(__agglom_p), (expected), &__agglom_v, (weak), (success),      \
                              (failure));                                                                    \
  })
#define atomic_compare_exchange_strong_explicit(p, expected, v, success, failure)                            \
  __agglom_compare_exchange(p, expected, v, 0, success, failure)
#define atomic_compare_exchange_weak_explicit(p, expected, v, success, failure)                              \
  __agglom_compare_exchange(p, expected, v, 1, success, failure)

#define __agglom_fetch(how, p, v, order)                                                                     \
  __extension__({                                                                                            \
    __auto_type __agglom_p = (p);                                                                            \
    __atomic_fetch_##how(__agglom_plainly(__agglom_p), (v), (order));                                        \
  })
#define atomic_fetch_add_explicit(p, v, order) __agglom_fetch(add, p, v, order)
#define atomic_fetch_sub_explicit(p, v, order) __agglom_fetch(sub, p, v, order)
#define atomic_fetch_or_explicit(p, v, order) __agglom_fetch(or, p, v, order)
#define atomic_fetch_xor_explicit(p, v, order) __agglom_fetch(xor, p, v, order)
#define atomic_fetch_and_explicit(p, v, order) __agglom_fetch(and, p, v, order)

#define atomic_store(p, v) atomic_store_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_load(p) atomic_load_explicit(p, __ATOMIC_SEQ_CST)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong(p, expected, v)                                                       \
  __agglom_compare_exchange(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak(p, expected, v)                                                         \
  __agglom_compare_exchange(p, expected, v, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_fetch_add(p, v) __agglom_fetch(add, p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(p, v) __agglom_fetch(sub, p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_or(p, v) __agglom_fetch(or, p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(p, v) __agglom_fetch(xor, p, v, __ATOMIC_SEQ_CST)
#define atomic_fetch_and(p, v) __agglom_fetch(and, p, v, __ATOMIC_SEQ_CST)

typedef struct {
  _Bool __agglom_set;
} atomic_flag;

#define ATOMIC_FLAG_INIT {0}
#define atomic_flag_test_and_set_explicit(p, order) __atomic_test_and_set(&(p)->__agglom_set, (order))
#define atomic_flag_test_and_set(p) atomic_flag_test_and_set_explicit(p, __ATOMIC_SEQ_CST)
#define atomic_flag_clear_explicit(p, order) __atomic_clear(&(p)->__agglom_set, (order))
#define atomic_flag_clear(p) atomic_flag_clear_explicit(p, __ATOMIC_SEQ_CST)

#endif /* AGGLOM_GCC_STDATOMIC_H */
