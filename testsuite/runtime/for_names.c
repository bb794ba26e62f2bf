// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// '#pragma agglom for' means by a name what C means by it there, and evaluates things when C does.
// RUN: %compare %s %t
// RUN: env AGGLOM_SCHEDULE=static:3 AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=4 %t.agglom > %t.threes && cmp %t.threes %t.serial.out
// RUN: env AGGLOM_SCHEDULE=dynamic:1 AGGLOM_DEVICES=emulated AGGLOM_BATCH=single %t.agglom > %t.ones && cmp %t.ones %t.serial.out
#include <stdio.h>

enum { K = 7 };
static int count = 5, limit = 40;
static double weight = 0.25;
struct S {
  int z, n, a[6];
  struct S *next;
};
struct m {
  double *at;
};
/* What the generated code might have called its own. */
static int enumerators_for_31_run = 1, enumerators__for_31 = 2;

static double enumerators(int n, double *x) {
  double agglom_first = 1, agglom_to = 2, env = 3, slot = 4;
  {
    enum { K = 3 };
    x[0] += K;
  }
#pragma agglom for inout(x[i]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    x[i] += K + agglom_first + agglom_to + env + slot;
  {
    enum { K = 9 };
#pragma agglom for inout(x[i]) schedule(runtime)
    for (int i = 0; i < n; ++i)
      x[i] *= K;
  }
  enum { LATER = K };
  return x[0] + LATER + enumerators_for_31_run + enumerators__for_31;
}

/* Divide and conquer, without a declaration before it. */
static int conquer(int n, int *x) {
  int s = 0;
  if (n <= 2) {
    for (int i = 0; i < n; ++i)
      s += x[i];
    return s;
  }
#pragma agglom for inout(x[0:n]) reduction(+: s) device(cpu)
  for (int half = 0; half < 2; ++half)
    s += half ? conquer(n - n / 2, x + n / 2) : conquer(n / 2, x);
  return s;
}

static void unset(int n, int *x) {
  int i, later, t[4];
  if (n > 1000)
    later = 3;
#pragma agglom for inout(x[i]) private(t) schedule(runtime)
  for (i = x[0]; i < n; ++i) {
    t[i % 4] = x[i];
    x[i] = t[i % 4] * 2 + i;
    if (n > 1000)
      x[i] += later;
  }
  printf("i %d x %d %d\n", i, x[0], x[n - 1]);
}

static void of_the_file(double *q) {
  struct m m = {q}, *at = &m;
#pragma agglom for inout(q[i]) schedule(runtime)
  for (int i = 0; i < limit; ++i)
    q[i] += weight * i;
#pragma agglom for inout(at->at[i * count : count]) schedule(static, count)
  for (int i = 0; i < limit / count; ++i)
    at->at[i * count] += at->at[(i + 1) * count - 1];
#pragma agglom for inout(q[i]) accumulate(+: count) schedule(runtime)
  for (int i = 0; i < limit; ++i) {
    count += i & 1;
    q[i] += 1;
  }
  printf("file %d\n", count);
}

/* Sections of no element at one end, and with strides. */
static void triangle(int n, double *p) {
#pragma agglom for inout(p[i * n + i + 1 : n - i - 1]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      p[i * n + j] += i + j;
#pragma agglom for inout(p[i * n : i]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      p[i * n + j] -= i * j;
#pragma agglom for inout(p[j : n : n]) schedule(runtime)
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      p[i * n + j] *= 1 + j % 3;
}

#pragma agglom task inout(t[0]->a[0:6], t[0]->next->n)
static void behind(struct S **t) {
  for (int i = 0; i < 6; ++i)
    t[0]->a[i] += i + 1;
  t[0]->next->n += 5;
}

int main(void) {
  enum { N = 40 };
  double x[N], p[16 * 16], s = 0;
  int y[N];
  for (int i = 0; i < N; ++i)
    x[i] = y[i] = i % 7 + 1;
  printf("%g\n", enumerators(N, x));
  printf("%d\n", conquer(N, y));
  unset(N, y);
  of_the_file(x);
  for (int i = 0; i < 256; ++i)
    p[i] = i;
  triangle(16, p);
  for (int i = 0; i < 256; ++i)
    s = s * 1.001 + p[i];
  for (int i = 0; i < N; ++i)
    s = s * 1.001 + x[i] + y[i];
  printf("%.17g\n", s);
  struct S two = {1, 2, {3, 4}, 0}, one = {5, 6, {1, 2}, &two}, *t[1] = {&one};
  behind(t);
  behind(t);
#pragma agglom wait
  for (int i = 0; i < 6; ++i)
    printf("%d ", one.a[i]);
  printf("%d %d %d %d\n", one.z, one.n, two.z, two.n);
  return 0;
}
