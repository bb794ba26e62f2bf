// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: long
// Headers that come with a compiler are Clang's in the text that gcc gets: what a unit does not use of them must not
// reach gcc, and <stdatomic.h> and <tgmath.h> must become what gcc understands.
// RUN: for std in c11 gnu17 c2x gnu2x; do %agglomcc -fagglom-host-compiler=gcc -Wall -Wextra -std=$std %s -o %t && %run-emulated %t || exit 1; done | FileCheck %s
// RUN: %agglomcc -std=c11 %s -o %t && %run-emulated %t | FileCheck %s --check-prefix=ONCE
// RUN: gcc -std=c11 -w %s -lm -o %t && %t | FileCheck %s --check-prefix=ONCE
//
// A header alone, in each version of C.
// RUN: for h in immintrin float limits stdarg stdnoreturn stdalign stdint iso646 x86intrin; do for std in c11 c2x; do %agglomcc -fagglom-host-compiler=gcc -std=$std -c -include $h.h %S/Inputs/axpy.c -o %t.o || exit 1; done; done
// CHECK-COUNT-4: 22 1 1 7 2.5 2 1 abc 2.23607 1 1.5708, 8 32
// ONCE: 22 1 1 7 2.5 2 1 abc 2.23607 1 1.5708, 8 32
#include <assert.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tgmath.h>

static atomic_int count;
static _Atomic(double) d;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic(char *) text;
struct pair {
  int a, b;
};
static _Atomic struct pair both;
static_assert(sizeof(int) == 4, "int");

#pragma agglom task inout(x[0:n], y[0:n])
static void f(int n, double *x, float *y) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    x[i] = sqrt(x[i]) + pow(x[i], 2) + fmax(x[i], 3);
    y[i] = cos(y[i]) + fabs(y[i]) + ldexp(y[i], 2);
  }
}

#if ATOMIC_INT_LOCK_FREE == 2
#pragma agglom task in(x[0:n]) device(cpu)
static void g(int n, const double *x) {
  atomic_fetch_add(&count, n);
  (void)x;
}
#endif

int main(void) {
  double x[4] = {1, 2, 3, 4};
  float y[4] = {0};
  f(4, x, y);
  g(4, x);
#pragma agglom wait
  bool ok = true;
  int expected = 4;
  ok &= atomic_compare_exchange_strong(&count, &expected, 7);
  expected = 6;
  ok &= !atomic_compare_exchange_weak(&count, &expected, 8) && expected == 7;
  atomic_init(&d, 1.5);
  atomic_store(&d, atomic_load(&d) + 1);
  ok &= !atomic_flag_test_and_set(&flag);
  ok &= atomic_flag_test_and_set_explicit(&flag, memory_order_acquire);
  atomic_flag_clear(&flag);
  struct pair q = {1, 2};
  atomic_store(&both, q);
  q = atomic_exchange(&both, ((struct pair){3, 4}));
  text = "abc";
  char *c = atomic_load(&text);
  unsigned u = 5;
  double complex z = sqrt(-1.0 + 0 * I);
  atomic_thread_fence(memory_order_seq_cst);
  double sums[2];
  _mm_storeu_pd(sums, _mm_add_pd(_mm_set_pd(1, 2), _mm_set1_pd(6)));
  printf("%g %g %d %d %g %d %d %s %g %g %g, %g %d\n", x[3], (double)y[1], (int)ok, atomic_load(&count), (double)d, q.b,
         atomic_is_lock_free(&count), c, sqrt(u), cimag(z), carg(z), sums[0], (int)sizeof(max_align_t));
  return 0;
}
