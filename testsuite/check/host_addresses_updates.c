// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host addresses that come into a variable by operators that also read it, and by atomic operations.
// RUN: %agglomcc -fsyntax-only -Wno-agglom -Wno-int-conversion -ferror-limit=0 -Xclang -verify %s
#include <stdint.h>
struct m { int n; double *p, *q; };

#pragma agglom task in(s[0:2]) out(*y)
void added(struct m *s, double *y) {
  uintptr_t k = 0;
  k += (uintptr_t)s->q;
  *y = *(double *)k; // expected-error {{no section names what 's->q' points to}}
}
#pragma agglom task in(s[0:2]) out(*y)
void mixed(struct m *s, double *y) {
  uintptr_t k = 0, l = 0, a[2] = {0};
  k |= (uintptr_t)s->q;
  l ^= (uintptr_t)s->p;
  a[1] += (uintptr_t)s[1].p;
  y[0] = *(double *)k; // expected-error {{no section names what 's->q' points to}}
  y[0] = *(double *)l; // expected-error {{no section names what 's->p' points to}}
  y[0] = *(double *)a[1]; // expected-error {{no section names what 's[1].p' points to}}
}
#pragma agglom task in(s[0:2]) out(*y)
void atomics(struct m *s, double *y) {
  double *z, *w = y;
  _Atomic(double *) v;
  uintptr_t k = 0;
  __atomic_store_n(&z, s->q, 0);
  *y = *z; // expected-error {{no section names what 's->q' points to}}
  __atomic_exchange_n(&w, s->p, 0);
  *y = *w; // expected-error {{no section names what 's->p' points to}}
  __atomic_fetch_add(&k, (uintptr_t)s[1].p, 0);
  *y = *(double *)k; // expected-error {{no section names what 's[1].p' points to}}
  __c11_atomic_store(&v, s[1].q, 0);
  *y = *v; // expected-error {{no section names what 's[1].q' points to}}
}
#pragma agglom task in(s[0:2]) out(*y)
void compared(struct m *s, double *y) {
  double *e = y, *other = y;
  __atomic_compare_exchange_n(&e, &other, s->q, 0, 0, 0);
  *y = *e; // expected-error {{no section names what 's->q' points to}}
}
#pragma agglom task in(s[0:2]) out(*y)
void stored(struct m *s, double *y) {
  double *a;
  __atomic_store(&a, &s->q, 0);
  *y = *a; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void got(struct m *s, double *y) {
  double *a;
  __atomic_load(&s->p, &a, 0);
  *y = *a; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void exchanged(struct m *s, double *y) {
  double *a = y, *b;
  __atomic_exchange(&a, &s->p, &b, 0);
  *y = *a; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void given_back(struct m *s, double *y) {
  double *a = y, *b;
  __atomic_exchange(&s->p, &a, &b, 0);
  *y = *b; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void replaced(struct m *s, double *y) {
  double *a = y, *b = y;
  __atomic_compare_exchange(&a, &b, &s->q, 0, 0, 0);
  *y = *a; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void different(struct m *s, double *y) {
  double *a = y, *b = y;
  __atomic_compare_exchange(&s->p, &b, &a, 0, 0, 0);
  *y = *b; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void different_n(struct m *s, double *y) {
  double *a = y, *b = y;
  __atomic_compare_exchange_n(&s->p, &b, a, 0, 0, 0);
  *y = *b; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
#pragma agglom task in(s[0:2]) out(*y)
void different_c11(struct m *s, double *y) {
  _Atomic(double *) a = s->p;
  double *b = y;
  __c11_atomic_compare_exchange_strong(&a, &b, y, 0, 0);
  *y = *b; // expected-error {{no section names what 's->p' points to}}
}
// What is named may come that way, and numbers that are no addresses.
#pragma agglom task in(s[0:2], s->p[0:2], s->q[0:2]) out(y[0:2])
void named(struct m *s, double *y) {
  uintptr_t k = 0;
  k += (uintptr_t)s->q;
  double *z;
  __atomic_store_n(&z, s->p, 0);
  __atomic_load(&s->q, &z, 0);
  __atomic_store(&z, &s->p, 0);
  k -= (uintptr_t)y;
  int sum = 0, at = 0;
  sum += s->n;
  at |= s[1].n & 1;
  y[at] = *z + sum + (double)(k > 0);
  uintptr_t place = (uintptr_t)y;
  place += sizeof(double) * (unsigned)at;
  *(double *)place += 1;
}
// These take pointers as integers.
#pragma agglom task inout(x[0:n])
void swapped(int n, int *x) {
  int *z = x;
  int *p = __sync_lock_test_and_set(&z, 0);
  x[0] = p[n - 1] + (__sync_val_compare_and_swap(&z, 0, 0) == x);
}
