// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables at file scope, and pointers in memory, that no clause names: what a task, or each iteration of a loop, uses of them is proposed, and
// --fix writes it.
// RUN: not %agglomcc -fsyntax-only -fno-caret-diagnostics -ferror-limit=0 %s 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: cp %s %t.c && not %agglomcc --fix %t.c >/dev/null 2>&1; FileCheck %s < %t.c
static double x[100], y[100], dt = .5, grid[50][50], next[50][50];
static int n = 100, count, idx[100];
static double *p, *q;
static struct box {
  double length;
} box;
struct domain {
  double *a, *b;
} *d;
// CHECK: {{^}}#pragma agglom task in(n) inout(y[0:n]) in(dt) in(x[0:n]) in(box) inout(count)
#pragma agglom task
static void update(void) {
  for (int i = 0; i < n; i++)
    y[i] += dt * x[i] * box.length;
  count++;
}
// CHECK: {{^}}#pragma agglom task out(p[i]) in(q[i - 1:3])
#pragma agglom task
static void one(int i) { p[i] = q[i - 1] + q[i + 1]; }

int run(struct domain *d) {
  update();
  one(3);
// CHECK: {{^}}#pragma agglom for out(y[i]) in(x[i - 1:3])
#pragma agglom for
  for (int i = 1; i < 99; i++)
    y[i] = x[i - 1] + x[i + 1];
// CHECK: {{^}}#pragma agglom for out(next[i]) in(grid[i - 1:3])
#pragma agglom for
  for (int i = 1; i < 49; i++)
    for (int j = 1; j < 49; j++)
      next[i][j] = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1];
// CHECK: {{^}}#pragma agglom for out(p[i]) in(q[i])
#pragma agglom for
  for (int i = 1; i < 99; i++)
    p[i] = dt * q[i];
// CHECK: {{^}}#pragma agglom for out(d->b[i]) in(d->a[i - 1:2])
#pragma agglom for
  for (int i = 1; i < 99; i++)
    d->b[i] = d->a[i - 1] + d->a[i];
// Not the same in each: all of y would make one chunk wait for the other.
// SAID: :[[@LINE+5]]:{{.*}} error: 'y' is a variable outside the task and not const; name it in a data clause, such as out(y[lo:len])
// SAID: :[[@LINE+4]]:{{.*}} error: 'idx' is a variable outside the task and not const; name it in a data clause, such as in(idx[i])
// CHECK: {{^}}#pragma agglom for in(idx[i])
#pragma agglom for
  for (int i = 1; i < 99; i++)
    y[idx[i]] = i;
// SAID: error: 'late' is a variable outside the task and not const; name it in a data clause, such as in(late)
#pragma agglom wait
  return 0;
}
#pragma agglom task out(r[0])
void before(double *r);
static double late = 1;
void before(double *r) { r[0] = late; }
