// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// '#pragma agglom for' among tasks: order with other units, nowait, loops of device(cpu) tasks, calls of tasks in it.
// RUN: %compare %s %t
#include <stdio.h>

#pragma agglom task inout(x[0:n])
static void twice(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

#pragma agglom task inout(x[0:1])
static void add_one(int *x) { *x += 1; }

static int host_only(int i) {
  static int calls;
  return (void)__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED), i * 3;
}

/* A task that creates work by a loop. */
#pragma agglom task device(cpu) inout(x[0:n])
static void produce(int n, int *x) {
#pragma agglom for inout(x[i])
  for (int i = 0; i < n; ++i)
    x[i] += i;
  for (int i = 0; i < n; ++i)
    x[i] -= 1;
#pragma agglom for inout(x[i]) nowait
  for (int i = 0; i < n; ++i)
    x[i] *= 3;
}

static int depth(int n) {
  int left = 0, a[4] = {1, 2, 3, 4};
  if (n > 0)
    left = depth(n - 1);
#pragma agglom for in(a[i]) reduction(+: left)
  for (int i = 0; i < 4; ++i)
    left += a[i] * n;
  return left;
}

int main(void) {
  enum { N = 100 };
  int x[N], y[N];
  for (int i = 0; i < N; ++i)
    x[i] = y[i] = i;
  twice(N, x);
#pragma agglom for inout(x[i]) nowait
  for (int i = 0; i < N; ++i)
    x[i] += 1;
  twice(N, x);
#pragma agglom for inout(x[i]) nowait schedule(static, 9)
  for (int i = 0; i < N; ++i)
    x[i] += 1;
  twice(N, y);
#pragma agglom for in(x[i]) inout(y[N - 1 - i])
  for (int i = 0; i < N; ++i)
    y[N - 1 - i] += x[i];
  long s = 0;
  for (int i = 0; i < N; ++i)
    s = s * 31 % 1000003 + x[i] * 3 + y[i];
  printf("%ld\n", s);

  /* In a body for a device a call of a task is a plain call; on CPU cores it is a unit. */
#pragma agglom for inout(x[i])
  for (int i = 0; i < N; ++i) {
    add_one(&x[i]);
    x[i] *= 2;
  }
#pragma agglom for device(cpu) inout(x[i]) name(on_cores)
  for (int i = 0; i < N; ++i) {
    x[i] += host_only(i);
    add_one(&x[i]);
  }
  produce(N, x);
  produce(N, x);
#pragma agglom wait
  for (int i = 0; i < N; ++i)
    s = s * 31 % 1000003 + x[i];
  printf("%ld %d\n", s, depth(5));
  return 0;
}
