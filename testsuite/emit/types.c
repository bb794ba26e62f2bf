// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of every origin reach the kernel text, once, in order.
// RUN: %agglomcc -c %s -o %t.o
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COUNT = 3 };
typedef struct { int8_t tag; uint16_t v[COUNT]; } packed_t, *packed_p;
struct outer { struct inner { double d; } in; union { int i; float f; } u; struct outer *self; } some_object;
typedef float real;
struct bits { unsigned a : 3, b : 5; bool flag; };

#pragma agglom task inout(p[0:n], o[0:1]) in(b[0:1])
void f(size_t n, packed_p p, struct outer *o, const struct bits *b) {
  struct local { real r; } l = {1.5f};
  real r = (real)sizeof(struct inner) + offsetof(struct outer, u);
  for (size_t i = 0; i < n; i++)
    p[i].v[COUNT - 1] += (uint16_t)(l.r + r);
  o->u.i = (struct inner){2.0}.d + b->a + (b->flag ? 1 : 0);
}
// CHECK-NOT: some_object
// CHECK: AG_FUNC void f__agglom_unit

// An enumeration that is only declared stays one.
enum later;
#pragma agglom task inout(x[0:1])
void g(enum later *p, int *x) {
  enum later *same = p;
  x[0] += same == p;
}
// CHECK: struct g__agglom_args {
// CHECK-NEXT: enum later *p;
