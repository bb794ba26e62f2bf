// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Impossible sections at run time: one sentence each with file, line, task, section and value; the unit does not run,
// the others do, and the program goes on to its own exit status.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none not %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --implicit-check-not=agglom: < %t.err
// RUN: env AGGLOM_DEVICES=emulated not %t > %t.emulated.out 2> %t.emulated.err
// RUN: cmp %t.out %t.emulated.out
// RUN: FileCheck %s --implicit-check-not=agglom: < %t.emulated.err
// RUN: env AGGLOM_DEVICES=none %t ok 2>&1 | FileCheck %s --check-prefix=OK --implicit-check-not=agglom:
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#pragma agglom task in(a[0:n]) inout(b[lo:m])
void plus(long long n, const int *a, long long lo, long long m, int *b) {
#pragma agglom loop
  for (long long i = 0; i < n; i++)
    b[i] += a[i];
}
#pragma agglom task device(cpu) out(x[0:n]) name(on_one_core)
void only_cpu(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = i;
}

#pragma agglom task inout(m[0:n][lo:len:step])
void block(int n, int lo, int len, int step, double (*m)[4]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < len; j++)
      m[i][lo + j * step]++;
}
#pragma agglom task inout(v[at[0:n]])
void scatter(int n, const long *at, double *v) {
  (void)n;
  (void)at;
  v[0]++;
}

struct cell {
  double of[8];
};
/* Whose last element lies 2^128 bytes behind the first. */
#pragma agglom task inout(c[0:n:step])
void apart(long long n, long long step, struct cell *c) {
  (void)n;
  (void)step;
  c[0].of[0]++;
}

int main(int argc, char **argv) {
  (void)argv;
  int a[4] = {1, 2, 3, 4}, b[4] = {0};
  double x[2] = {0};
  plus(4, a, 0, 4, b);
  if (argc < 2) {
    plus(-3, a, 0, 4, b);
    plus(4, a, 0, LLONG_MIN, b);
    plus(4, NULL, 0, 4, b);
    plus(4, a, 1, 4, NULL);
    plus(4, a, LLONG_MAX - 2, 4, b);
    plus(1, a, 0, LLONG_MAX / 2, b);
    only_cpu(-1, x);
    only_cpu(2, NULL);
    double m[2][4] = {{0}};
    long at[2] = {0, LONG_MAX / 4};
    block(-2, 0, 1, 1, m);
    block(2, 0, -1, 1, m);
    block(2, 0, 2, 0, m);
    block(2, 0, 1, 1, NULL);
    scatter(1, NULL, x);
    scatter(-1, at, x);
    scatter(2, at, x);
    block(2, 1, 0, 1, NULL);
    struct cell cell = {{0}};
    apart((1LL << 62) + 1, 1LL << 60, &cell);
  }
  only_cpu(2, x);
  plus(4, a, 0, 4, b);
#pragma agglom wait
  printf("%d %d %d %d %g\n", b[0], b[1], b[2], b[3], x[1]);
  return argc < 2 ? 3 : 0;
}
// OUT: {{^}}2 4 6 8 1{{$}}
// OK: {{^}}2 4 6 8 1{{$}}
// CHECK: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'in(a[0:n])' has length -3; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'inout(b[lo:m])' has length -9223372036854775808; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'in(a[0:n])' has length 4 but its pointer is NULL; pass memory of that length, or length 0{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'inout(b[lo:m])' has length 4 but its pointer is NULL; pass memory of that length, or length 0{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'inout(b[lo:m])' starts at element 9223372036854775805 and has length 4, which reaches beyond all memory; check both values{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'plus': section 'inout(b[lo:m])' starts at element 0 and has length 4611686018427387903, which reaches beyond all memory; check both values{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'on_one_core': section 'out(x[0:n])' has length -1; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}bad_sections.c:{{[0-9]+}}: task 'on_one_core': section 'out(x[0:n])' has length 2 but its pointer is NULL; pass memory of that length, or length 0{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'block': section 'inout(m[0:n][lo:len:step])' has length -2 in dimension 1; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'block': section 'inout(m[0:n][lo:len:step])' has length -1 in dimension 2; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'block': section 'inout(m[0:n][lo:len:step])' has stride 0 in dimension 2; a stride must be 1 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'block': section 'inout(m[0:n][lo:len:step])' has length 2 but its pointer is NULL; pass memory of that length, or length 0{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'scatter': section 'inout(v[at[0:n]])' takes 1 indexes from NULL; pass the indexes, or length 0{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'scatter': section 'inout(v[at[0:n]])' has length -1; a length must be 0 or more{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'scatter': section 'inout(v[at[0:n]])' has index 2305843009213693951 at place 1, which reaches beyond all memory{{$}}
// CHECK-NEXT: agglom: error: {{.*}}: task 'apart': section 'inout(c[0:n:step])' starts at element 0 and has length 4611686018427387905, which reaches beyond all memory; check both values{{$}}
