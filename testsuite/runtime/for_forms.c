// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// '#pragma agglom for': every form of loop gives what the serial program gives, whatever the chunks.
// RUN: %compare %s %t
// RUN: env AGGLOM_SCHEDULE=static:4 AGGLOM_DEVICES=emulated %t.agglom > %t.four && cmp %t.four %t.serial.out
// RUN: env AGGLOM_SCHEDULE=static:1 AGGLOM_DEVICES=none %t.agglom > %t.one && cmp %t.one %t.serial.out
// RUN: env AGGLOM_SCHEDULE=dynamic:3 AGGLOM_DEVICES=none AGGLOM_WORKERS=3 %t.agglom > %t.dyn && cmp %t.dyn %t.serial.out
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { N = 257 };
static int x[N], y[N];

static void show(const char *what) {
  unsigned long h = 5381;
  for (int i = 0; i < N; ++i)
    h = h * 33 + (unsigned)y[i];
  printf("%s %lu\n", what, h);
  memset(y, 0, sizeof y);
}

static void directions(int n) {
  int *p = x, *q = y;
#pragma agglom for in(p[i]) out(q[i])
  for (int i = 0; i < n; i++)
    q[i] = p[i] + i;
  show("up");
#pragma agglom for in(p[i]) out(q[i])
  for (int i = n - 1; i >= 0; --i)
    q[i] = p[i] - i;
  show("down");
#pragma agglom for in(p[i]) out(q[i]) schedule(static, 5)
  for (int i = 2; i <= n - 1; i += 3)
    q[i] = p[i] * 3;
  show("by 3, to the bound");
#pragma agglom for in(p[i]) out(q[i]) schedule(dynamic, 2)
  for (int i = n - 1; i > 4; i -= 7)
    q[i] = p[i] * 7;
  show("down by 7");
#pragma agglom for in(p[i]) out(q[i]) schedule(runtime)
  for (int i = 3; i != n; i++)
    q[i] = p[i] ^ i;
  show("until");
#pragma agglom for in(p[i]) out(q[i]) schedule(runtime)
  for (unsigned char i = 250; i != 3; ++i)
    q[i] = p[i] + 1;
  show("round the end of a narrow type");
#pragma agglom for in(p[i]) out(q[i])
  for (unsigned i = 0; 100u > i; i = i + 9)
    q[i] = (int)i;
  show("bound on the left");
#pragma agglom for in(p[i + 3]) out(q[i + 3]) schedule(static)
  for (signed char i = -3; i < 120; i += 2)
    q[i + 3] = p[i + 3] + i;
  show("from below zero");
#pragma agglom for out(q[i])
  for (int i = n; i < n; ++i)
    q[i] = 1;
  show("nothing");
}

static void extremes(void) {
  int *q = y;
#pragma agglom for out(q[i - (INT_MAX - 9)]) schedule(static, 4)
  for (int i = INT_MAX - 9; i < INT_MAX; ++i)
    q[i - (INT_MAX - 9)] = i & 0xff;
  show("to the largest int");
#pragma agglom for out(q[i - INT_MIN]) schedule(static, 3)
  for (long long i = INT_MIN; i <= (long long)INT_MIN + 10; i += 2)
    q[i - INT_MIN] = (int)(i >> 3);
  show("from the least");
#pragma agglom for out(q[ULLONG_MAX - i]) schedule(dynamic, 1)
  for (unsigned long long i = ULLONG_MAX; i > ULLONG_MAX - 20; i -= 6)
    q[ULLONG_MAX - i] = (int)(i % 1000);
  show("from the largest of all");
}

static void outside(int n) {
  int i, j = 77, *p = x, *q = y;
#pragma agglom for in(p[i]) out(q[i])
  for (i = 5; i < n; i += 4)
    q[i] = p[i];
  printf("i is %d\n", i);
#pragma agglom for in(p[j]) out(q[j])
  for (j = n; j < 3; ++j)
    q[j] = p[j];
  printf("j is %d\n", j);
  show("variables from outside");
}

static void statements(int n) {
  int *p = x, *q = y, kind = 2;
  if (n > 3)
#pragma agglom for in(p[i]) out(q[i])
    for (int i = 0; i < n; ++i)
      q[i] = p[i] + 2;
  else
    kind = 7;
  switch (kind) {
  case 2:
#pragma agglom for in(p[i]) inout(q[i])
    for (int i = 0; i < n; ++i) {
      if (i % 3 == 0)
        continue;
      switch (p[i] % 4) {
      case 0:
        q[i] += 1;
        break;
      default:
        q[i] -= p[i];
      }
      for (int k = 0; k < 10; ++k) {
        if (k == 5)
          break;
        q[i] += k;
      }
    }
  }
  goto label;
label:
#pragma agglom for inout(q[i])
  for (int i = 0; i < n; ++i)
    do
      q[i] += 3;
    while (q[i] < 0);
  show("in statements");
}

static void nests(int n, int m) {
  int (*a)[16] = (int (*)[16])x, (*b)[16] = (int (*)[16])y, t;
#pragma agglom for in(a[i][0:m]) out(b[i][0:m]) collapse(2) private(t)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      t = a[i][j];
      b[i][j] = t * (i + 2 * j);
    }
  show("collapsed");
#pragma agglom for in(a[i][0:m]) out(b[i][0:m]) private(t)
  for (int i = 0; i < n; ++i) {
    t = 0;
#pragma agglom loop
    for (int j = 0; j < m; ++j)
      b[i][j] = a[i][j] + 1;
    t = b[i][0];
    b[i][0] = t + 5;
  }
  show("loop in loop");
  int spare[4], *q = y;
#pragma agglom for in(a[i][0:4]) out(q[i]) private(spare, t)
  for (int i = 0; i < n; ++i) {
    for (t = 0; t < 4; ++t)
      spare[t] = a[i][t] + t;
    q[i] = spare[0] * spare[3] + (int)sizeof spare;
  }
  show("private array");
}

int main(void) {
  for (int i = 0; i < N; ++i)
    x[i] = i * 37 % 101;
  directions(N);
  extremes();
  outside(N);
  statements(N);
  nests(16, 16);
  for (int round = 0; round < 3; ++round) {
#pragma agglom for out(y[i]) name(rounds)
    for (int i = 0; i < N; ++i)
      y[i] = i * round;
    show("again");
  }
  return 0;
}
