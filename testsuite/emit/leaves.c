// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that submit nothing on a CPU, wait for nothing that another thread does, and in which no thread is cancelled, are
// leaves; what cannot be seen may wait.
// RUN: %agglomcc --emit-c %s | FileCheck %s
// RUN: %agglomcc --emit-c -D_FORTIFY_SOURCE=2 -O2 %s | FileCheck %s
// RUN: %agglomcc --emit-c -fopenmp %s | FileCheck %s --check-prefixes=CHECK,OPENMP
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int elsewhere(int);
int same(int) __attribute__((const));
static int (*pointer)(int) = abs;
static volatile int flag;
static _Atomic int atomic;
static int plain;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double odd(int n, double x);
static double even(int n, double x) { return n ? odd(n - 1, x) : x; }
static double odd(int n, double x) { return n ? even(n - 1, x) : sqrt(x); }

// CHECK: .name = "computes"
// CHECK: .flags = AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_LEAF
#pragma agglom task device(cpu) inout(x[0:n])
void computes(int n, double *x) {
  _Static_assert(sizeof(double) == 8, "as everywhere");
  assert(n > 0);
  double *copy = malloc((size_t)n * sizeof *copy);
  memcpy(copy, x, (size_t)n * sizeof *copy);
  for (int i = 0; copy && i < n; ++i)
    x[i] = odd(n, pow(copy[i], 2)) + same(i) + __builtin_popcount((unsigned)i);
  free(copy);
}
// CHECK: .name = "sums"
// CHECK: .flags = AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_LEAF
#pragma agglom task device(cpu) inout(x[0:n])
void sums(int n, double *x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i];
  x[0] = sum;
}
// CHECK: .name = "on_devices"
// CHECK: .flags = AGGLOM_TASK_LEAF
#pragma agglom task inout(x[0:n])
void on_devices(int n, double *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = odd(n, pow(x[i], 2));
}
// CHECK: .name = "tells"
// CHECK: .flags = AGGLOM_TASK_PRINTS
#pragma agglom task in(x[0:n])
void tells(int n, const double *x) { printf("%g\n", x[n - 1]); }
// CHECK: .name = "is_elsewhere"
// CHECK-NOT: LEAF
#pragma agglom task device(cpu)
void is_elsewhere(int n) { plain = elsewhere(n); }
#pragma agglom task device(cpu) in(x[0:n])
void prints(int n, const double *x) { printf("%g\n", x[n - 1]); }
#pragma agglom task device(cpu) in(x[0:n])
void prints_to(int n, const double *x) { __builtin_fprintf(stderr, "%g\n", x[n - 1]); }
double cosine(double) __asm__("is_elsewhere");
double tan(double) __asm__("is_elsewhere");
#pragma agglom task device(cpu) inout(x[0:n])
void is_named_so(int n, double *x) { x[n - 1] = tan(x[0]); }
inline int perhaps(int n) { return n; }
#pragma agglom task device(cpu)
void is_inline_elsewhere(int n) { plain = perhaps(n); }
__attribute__((weak)) int replaced(int n) { return n; }
#pragma agglom task device(cpu)
void is_perhaps_elsewhere(int n) { plain = replaced(n); }
#pragma agglom task device(cpu)
void by_pointer(int n) { plain = pointer(n); }
#pragma agglom task device(cpu)
void looks(int n) {
  while (flag < n) {
  }
}
#pragma agglom task device(cpu)
void counts(int n) { atomic += n; }
#pragma agglom task device(cpu)
void takes(void) {
  while (__atomic_exchange_n(&plain, 1, __ATOMIC_ACQUIRE)) {
  }
}
#pragma agglom task device(cpu)
void swaps(void) {
  while (__sync_lock_test_and_set(&plain, 1)) {
  }
}
static void unlock(pthread_mutex_t **m) { pthread_mutex_unlock(*m); }
#pragma agglom task device(cpu)
void cleans(int n) {
  __attribute__((cleanup(unlock))) pthread_mutex_t *m = &mutex;
  plain += n;
}
static void locked(int n) {
  pthread_mutex_lock(&mutex);
  plain += n;
  pthread_mutex_unlock(&mutex);
}
static double with_a_lock(int n, double x) {
  locked(n);
  return x;
}
#pragma agglom task device(cpu) inout(x[0:n])
void locks(int n, double *x) { x[0] = odd(n, with_a_lock(n, x[0])); }
#pragma agglom task device(cpu) inout(x[0:n])
void locks_again(int n, double *x) { x[0] = odd(n, with_a_lock(n, x[0])); }
#pragma agglom task device(cpu) inout(x[0:n])
void submits(int n, double *x) { computes(n, x); }
#pragma agglom task device(cpu) inout(x[0:n])
void submits_itself(int n, double *x) {
  x[0] += n;
  if (n > 1)
    submits_itself(n - 1, x + 1);
}
static void waits(void) {
#pragma agglom wait
}
#pragma agglom task device(cpu) inout(x[0:n])
void waits_below(int n, double *x) {
  x[0] = n;
  waits();
}
#pragma agglom task device(cpu) inout(x[0:n])
void waits_itself(int n, double *x) {
  x[0] = n;
#pragma agglom wait
}
#pragma agglom task device(cpu) inout(x[0:n])
void pauses(int n, double *x) {
  __asm__ volatile("" ::: "memory");
  x[0] = n;
}
static void sized(int n, int m[n][elsewhere(n)]) { plain += n + m[0][0]; }
#pragma agglom task device(cpu)
void sizes(int n) {
  int m[9] = {0};
  sized(n, (void *)m);
}
__attribute__((weak))
#pragma agglom task device(cpu)
void is_weak(int n) { plain += n; }
#ifdef __x86_64__
__attribute__((target("default"))) int version(int n) { return n; }
__attribute__((target("sse4.2"))) int version(int n) { return elsewhere(n); }
#pragma agglom task device(cpu)
void has_versions(int n) { plain = version(n); }
#pragma agglom task device(cpu)
void is_behind_a_barrier(int n) {
  while (plain < n)
    __builtin_ia32_mfence();
}
#endif
double slow(double x, double y) { return elsewhere((int)x) + y; }
double fmin(double, double) __attribute__((alias("slow")));
#pragma agglom task device(cpu) inout(x[0:n])
void is_an_alias(int n, double *x) { x[n - 1] = fmin(x[0], 2); }
struct both {
  int n;
  struct {
    volatile int flag;
  } in[2];
};
#pragma agglom task device(cpu) in(*b)
void copies(const struct both *b) {
  struct both copy;
  do
    copy = *b;
  while (copy.n);
}

// CHECK: .name = "has_loop"
// CHECK-NOT: LEAF
// CHECK: .name = "has_loop"
// CHECK: .flags = AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_LEAF | AGGLOM_TASK_LOOP
#pragma agglom task device(cpu) inout(x[0:n])
void has_loop(int n, double *x) {
#pragma agglom for device(cpu) inout(x[i])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
// CHECK: .name = "after_all"
// CHECK: .flags = AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_LEAF
#pragma agglom task device(cpu) inout(x[0:n])
void after_all(int n, double *x) { x[0] = even(n, x[0]); }

#ifdef _OPENMP
// OPENMP: .name = "critical"
// OPENMP-NOT: LEAF
#pragma agglom task device(cpu)
void critical(int n) {
#pragma omp critical
  plain += n;
}
static void critical_below(int n) {
#pragma omp critical
  plain += n;
}
#pragma agglom task device(cpu)
void calls_critical(int n) { critical_below(n); }
#pragma agglom task device(cpu)
void flushes(int n) {
  while (plain < n) {
#pragma omp flush
  }
}
#pragma agglom task device(cpu)
void reads(int n) {
  for (int now = 0; now < n;) {
#pragma omp atomic read
    now = plain;
  }
}
// OPENMP: .name = "at_the_end"
// OPENMP: .flags = AGGLOM_TASK_CPU_ONLY | AGGLOM_TASK_LEAF
#pragma agglom task device(cpu)
void at_the_end(int n) { plain += n; }
#endif
