// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// return from the middle of a task, of its helpers, of nested statements, before and after parallel loops; void and valued.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 20, N = 24 };

static int first_negative(const int *x, int n) {
  for (int i = 0; i < n; i++) {
    switch (x[i] % 4) {
    case 3:
      continue;
    default:
      if (x[i] < 0)
        return i;
    }
  }
  return -1;
}
static void clamp(int *v, int low, int high) {
  if (*v < low) {
    *v = low;
    return;
  } else if (*v > high) {
    *v = high;
    return;
  }
  *v = -*v;
}
static int deep(int v) {
  do {
    while (1) {
      for (;;)
        if (v > 10) {
          if (v > 20)
            return 20;
          return v--, v;
        } else
          return v < 0 ? ({ -v; }) : v;
    }
  } while (0);
}

#pragma agglom task inout(x[0:n]) out(o[0:2])
static void ends(int n, int *x, int *o) {
  o[0] = -7, o[1] = 0;
  if (n == 0)
    return;
  int at = first_negative(x, n);
  if (at < 0) {
#pragma agglom loop
    for (int i = 0; i < n; i++)
      x[i] = -1 - x[i];
    o[0] = -1;
    return;
  }
  {
    if (at > n / 2) {
      o[0] = at;
      for (int i = at; i < n; i++) {
        x[i] += 100;
        if (x[i] > 104) {
          o[1] = i;
          return;
        }
      }
    }
  }
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    clamp(x + i, -5, 5);
    x[i] = x[i] * 100 + deep(x[i] + i);
  }
  switch (at) {
  case 0:
    o[0] = 0;
    return;
  case 1:
    return;
  }
  o[0] = at * 10;
  return;
}

int main(void) {
  static int x[UNITS][N], o[UNITS][2];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = u % 4 == 0 ? i : i == (u * 5) % N ? -8 : i % 7 + u % 3;
  for (int u = 0; u < UNITS; u++)
    ends(u == 7 ? 0 : N - u % 5, x[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i++)
      printf("%d ", x[u][i]);
    printf("%d %d\n", o[u][0], o[u][1]);
  }
  return 0;
}
