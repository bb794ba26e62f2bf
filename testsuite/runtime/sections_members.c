// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that are kept in structures: in memory, by value, in the file, in arrays of pointers. The device follows them
// to its own copies; afterwards the host's pointers are the host's.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: member: {{[0-9]+}} units in {{[0-9]+}} launch{{(es)?}} on emulated:0
// CHECK-DAG: lists: {{[0-9]+}} units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>

struct mesh {
  int n;
  double *p;
  int tag;
  struct {
    int k;
    long *q;
  } in;
  short fixed[6];
};
struct view {
  const double *v[2];
  int n;
};
struct list {
  struct list *next;
  int n, *values;
};
static struct mesh file_mesh;
static double *file_pointer;

static double twice(const struct mesh *m, int i) { return 2 * m->p[i]; }

#pragma agglom task inout(s->p[0:s->n])
static void member(struct mesh *s) {
#pragma agglom loop
  for (int i = 0; i < s->n; i++)
    s->p[i] = twice(s, i) + 1;
}
#pragma agglom task inout(s->in.q[0:s->in.k], s->tag, s->fixed[1:3])
static void nested(struct mesh *s, int x) {
  const struct mesh *alias = s;
  for (int i = 0; i < s->in.k; i++)
    alias->in.q[i] += x;
  s->tag += x;
  for (int i = 1; i < 4; i++)
    s->fixed[i] += i * x;
}
/* The structure is written, and its pointer with it: it must come back as it was. */
#pragma agglom task inout(*s, s->p[2:3])
static void whole(struct mesh *s, int x) {
  s->tag -= x;
  s->in.k = 2;
  for (int i = 2; i < 5; i++)
    s->p[i] -= x;
}
#pragma agglom task in(v.v[0][0:v.n], v.v[1][0:2]) out(*sum)
static void by_value(struct view v, double *sum) {
  double t = 0;
  for (int i = 0; i < v.n; i++)
    t += v.v[0][i];
  *sum = t * v.v[1][1];
}
#pragma agglom task inout(file_mesh.p[1:2], file_pointer[0:3])
static void of_file(double x) {
  file_mesh.p[1] += x;
  file_mesh.p[2] += file_mesh.tag;
  for (int i = 0; i < 3; i++)
    file_pointer[i] -= x;
}
#pragma agglom task inout(rows[i][0:n])
static void pointers(double **rows, int i, int n) {
  for (int j = 0; j < n; j++)
    rows[i][j] += 100 * i;
}
#pragma agglom task inout(a[k].next->values[0:a[k].next->n]) in(a[k].values[1:a[k].n - 1])
static void lists(struct list *a, int k) {
  for (int i = 1; i < a[k].n; i++)
    a[k].next->values[i - 1] += a[k].values[i];
}

int main(void) {
  double buf[10], other[10], sum, fm[3] = {1, 2, 3}, fp[3] = {4, 5, 6};
  long q[5];
  struct mesh s = {10, buf, 3, {5, q}, {1, 2, 3, 4, 5, 6}}, t = {10, other, 5, {2, q}, {0}};
  for (int i = 0; i < 10; i++)
    buf[i] = i, other[i] = -i;
  for (int i = 0; i < 5; i++)
    q[i] = i;
  for (int k = 0; k < 5; k++) {
    member(&s);
    member(&t);
    nested(&s, k);
  }
  whole(&t, 3);
  by_value((struct view){{buf, fp}, 10}, &sum);
  file_mesh = (struct mesh){3, fm, 7, {0, 0}, {0}};
  file_pointer = fp;
  of_file(0.5);
  of_file(0.25);
  double r0[3] = {1, 2, 3}, r1[3] = {4, 5, 6}, *rows[2] = {r0, r1};
  for (int k = 0; k < 3; k++) {
    pointers(rows, 0, 3);
    pointers(rows, 1, 2);
  }
  int v0[3] = {1, 2, 3}, v1[2] = {10, 20}, v2[2] = {5, 7};
  struct list l[3] = {{&l[1], 3, v0}, {&l[2], 2, v1}, {0, 2, v2}};
  lists(l, 0);
  lists(l, 1);
  lists(l, 0);
#pragma agglom wait
  for (int i = 0; i < 10; i++)
    printf("%g %g ", buf[i], other[i]);
  printf("| %g %d %d %d %d %d\n", sum, s.p == buf, t.p == other, s.tag, t.tag, t.in.k);
  for (int i = 0; i < 5; i++)
    printf("%ld %d ", q[i], s.fixed[i]);
  printf("%d %d\n", t.in.q == q, s.in.q == q);
  for (int i = 0; i < 3; i++)
    printf("%g %g %g %g %d|", fm[i], fp[i], r0[i], r1[i], v0[i]);
  printf("%d %d %d %d\n", v1[0], v1[1], v2[0], v2[1]);
  printf("%d %d %d %d\n", rows[0] == r0, rows[1] == r1, file_mesh.p == fm, l[0].next == &l[1]);
  return 0;
}
