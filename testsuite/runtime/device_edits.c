// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernel text has otherwise than the source, for device code has it not: functions of the host in
// selections made at compile time, types defined in heads of functions and with objects, types of objects of
// the file, static assertions about the host, declarations in functions.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report --check-prefix=REPORT
// REPORT: work: 5 units in
// RUN: %agglomcc -w --emit-cuda %s -o - | FileCheck %s
// CHECK: struct apart { int a; };
// CHECK: struct inside { int b; long c; };
// CHECK: enum mood { BAD = -2, GOOD };
// CHECK: struct ag_type_1 { char code; struct { short from, to; } range; };
// CHECK: struct ag_type_2 {int v;};
// CHECK: struct uses {
// CHECK-NEXT: __typeof__(int) c;
// CHECK-NEXT: __typeof__(int[4]) all;
// CHECK-NEXT: {{^ *;$}}
// CHECK-NEXT: __typeof__(double) d;
// CHECK: AG_CONST const struct ag_type_1 rules[2] = {{[{][{]}}'a', {1, 5}}, {.range.to = 7}};
// CHECK: AG_CONST const struct ag_type_2 one = {5};
// CHECK: AG_CONST const unsigned int level = HIGH;
// CHECK: AG_FUNC struct inside twice(struct inside x);
// CHECK: AG_FUNC enum mood judge(enum mood m);
// CHECK: AG_FUNC counter_t plus(__typeof__(int) a, __typeof__(a) b);
// CHECK: AG_FUNC void work__agglom_unit(
// CHECK-NEXT: # {{.*}}device_edits.c"
// CHECK-NEXT: {
// CHECK-NEXT: {{^ *;$}}
// CHECK-NEXT: {{^ *;$}}
// CHECK-NEXT: {{^ *;$}}
// CHECK-NEXT: __typeof__((*ag_g_hits)[0]) h = (*ag_g_hits)[1];
// CHECK-NEXT: __typeof__((*ag_g_counter)) k = (*ag_g_counter) + (int)sizeof (*ag_g_hits);
// CHECK: (sqrt)(x[i]) + (sqrtf)((float)x[i]) + (fabsf)((float)x[i])
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int counter, hits[4] = {1, 2, 3, 4};
struct apart { int a; } make(int a);
struct apart make(int a) { return (struct apart){a}; }
static struct inside { int b; long c; } twice(struct inside x) { x.b *= 2; return x; }
static enum mood { BAD = -2, GOOD } judge(enum mood m) { return m == BAD ? GOOD : BAD; }
static const struct { char code; struct { short from, to; } range; } rules[2] = {{'a', {1, 5}}, {.range.to = 7}};
static const struct{int v;}one = {5};
static const enum { LOW = 3, HIGH = 9 } level = HIGH;
struct uses {
  __typeof__(counter) c;
  __typeof__(hits) all;
  _Static_assert(sizeof(long double) > 8, "not on the device");
  __typeof__(strtod("", 0)) d;
  enum { INNER = 6 } e;
};
typedef __typeof__(counter) counter_t;
static counter_t plus(__typeof__(counter) a, __typeof__(a) b) { return a + b; }
static int mean(int a, int b) { return (a + b) / 2; }
#define ROOT(x) _Generic((x), long double: sqrtl, float: sqrtf, default: sqrt)(x)
#define SIZE(x) __builtin_choose_expr(sizeof(x) == 4, fabsf, fabsl)(x)

#pragma agglom task inout(x[0:n]) in(hits[0:4], counter)
void work(int n, double *x, struct uses u, enum mood m) {
  extern int mean(int, int);
  int abs(int);
  _Static_assert(sizeof(long double) > 8, "not on the device");
  __typeof__(hits[0]) h = hits[1];
  __typeof__(counter) k = counter + (int)sizeof hits;
  struct { int q; } local = {3};
  __typeof__(local) other = local;
  struct inside in = twice((struct inside){h, k});
  enum mood now = judge(m);
  struct apart ap = make(4);
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = ROOT(x[i]) + ROOT((float)x[i]) + SIZE((float)x[i]) + mean(h, k) + abs(-3) + in.b + ap.a + now +
           rules[i & 1].range.to + one.v + level + u.c + u.all[i & 3] + u.d + u.e + other.q + plus(1, 2);
}

int main(void) {
  static double x[5][10];
  struct uses u = {7, {1, 2, 3, 4}, .5, INNER};
  counter = 4;
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < 10; i++)
      x[k][i] = i * 1.5 + k;
    work(10, x[k], u, k & 1 ? GOOD : BAD);
  }
#pragma agglom wait
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 10; i++)
      printf("%.17g\n", x[k][i]);
  return 0;
}
