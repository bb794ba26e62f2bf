// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recursion in device code: trees, sorting, functions that call each other, a task that calls itself; in threads, blocks
// and warps. A depth that the device's stack does not have ends the launch, and the CPU gives the serial result.
// RUN: %compare %s %t -Wno-agglom-recursion
// RUN: FileCheck %s < %t.report
// CHECK: 0 failed
// RUN: %agglomcc -w --emit-cuda %s -o - | FileCheck %s --check-prefix=TEXT
// RUN: %agglomcc -w -fagglom-report -fagglom-arch=sm_90 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: task 'sorted': kernel, mapping thread: {{.*}}; recursive: its threads get 16384 bytes of stack more
// TEXT: AG_FUNC int weigh(const struct node *t, int at)
// TEXT: { AG_STACK_CHECK();
// TEXT: AG_KERNEL weigh_all__agglom_kernel(const struct agglom_launch ag_launch) {
// TEXT-NEXT: AG_STACK_BEGIN();
// TEXT: AG_KERNEL plain__agglom_kernel(const struct agglom_launch ag_launch) {
// TEXT-NOT: AG_STACK_BEGIN
// RUN: %agglomcc -w --emit-c %s -o - | FileCheck %s --check-prefix=HOST
// HOST: .flags = AGGLOM_TASK_RECURSES
//
// Too deep for a device: everything else of the run is as it was.
// RUN: %agglomcc -w -O1 -ffp-contract=off %s -o %t.agglom
// RUN: %t.agglom deep > %t.deep
// RUN: %run-software %t.agglom deep > %t.gpu 2> %t.log
// RUN: FileCheck %s --check-prefix=DEEP < %t.log
// DEEP: warning: cuda:0 {{.*}} failed: {{.*}} it is not used any more and its units run elsewhere
// RUN: cmp %t.deep %t.gpu
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value, left, right;
};
enum { NODES = 500, TREES = 40 };

static int weigh(const struct node *t, int at) {
  return at < 0 ? 0 : t[at].value + 3 * weigh(t, t[at].left) - weigh(t, t[at].right) % 1000;
}
#pragma agglom task in(t[0:NODES]) out(w[0:8])
static void weigh_all(const struct node *t, int *w) {
#pragma agglom loop
  for (int i = 0; i < 8; i++)
    w[i] = weigh(t, i * 3);
}

static void sort(int *x, int from, int to) {
  if (from >= to)
    return;
  int pivot = x[(from + to) / 2], i = from, j = to;
  while (i <= j) {
    while (x[i] < pivot)
      i++;
    while (x[j] > pivot)
      j--;
    if (i <= j) {
      int t = x[i];
      x[i++] = x[j];
      x[j--] = t;
    }
  }
  sort(x, from, j);
  sort(x, i, to);
}
#pragma agglom task inout(x[0:n])
static void sorted(int n, int *x) { sort(x, 0, n - 1); }

// Not a tail call, and a frame of some size: depth is what it costs.
static long below(int n, long sum);
static long above(int n, long sum) {
  volatile long part[4] = {n, sum, n ^ sum, 1};
  long rest = n > 0 ? below(n - 1, sum + part[0]) : 0;
  return rest + part[n & 3];
}
static long below(int n, long sum) { return n > 0 ? above(n - 1, sum * 3) + n : sum; }
#pragma agglom task out(r[0:4])
static void both(int n, long *r) {
#pragma agglom loop map(warp)
  for (int i = 0; i < 4; i++)
    r[i] = above(n + i, i);
}

// Plain calls in a unit; each call has its own loop, which one thread runs.
#pragma agglom task inout(x[0:n])
static void halved(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] += i;
  if (n > 1)
    halved(n / 2, x);
}

#pragma agglom task inout(x[0:1])
static void plain(int *x) { x[0]++; }

int main(int argc, char **argv) {
  static struct node t[TREES][NODES];
  static int w[TREES][8], x[TREES][100], count;
  static long r[TREES][4];
  int depth = argc > 1 && argv[1][0] == 'd' ? 20000 : 20;
  for (int k = 0; k < TREES; k++)
    for (int i = 0; i < NODES; i++) {
      int left = 2 * i + 1, right = 2 * i + 2 + k % 3;
      t[k][i] = (struct node){i * 7 % 100 + k, left < NODES ? left : -1, right < NODES ? right : -1};
      x[k][i % 100] = (i * 7919 + k * 31) % 1009;
    }
  for (int k = 0; k < TREES; k++) {
    weigh_all(t[k], w[k]);
    sorted(100 - k, x[k]);
    both(k == 7 ? depth : k, r[k]);
    halved(90 - k, x[k]);
    plain(&count);
  }
#pragma agglom wait
  for (int k = 0; k < TREES; k++) {
    for (int i = 0; i < 8; i++)
      printf("%d ", w[k][i]);
    for (int i = 0; i < 100; i += 11)
      printf("%d ", x[k][i]);
    printf("%ld %ld\n", r[k][0], r[k][3]);
  }
  printf("%d\n", count);
  return 0;
}
