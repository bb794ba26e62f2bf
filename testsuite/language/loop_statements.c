// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// while, do and for with every part missing, comma in the heads, break and continue at several depths, empty bodies, bodies
// that are loops, variables declared in heads that hide others.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 12, OUT = 14 };

static unsigned gcd(unsigned a, unsigned b) {
  while (b) {
    unsigned t = a % b;
    a = b, b = t;
  }
  return a;
}

#pragma agglom task out(o[0:OUT])
static void loops(int n, int *o) {
  int i = 7, j, s = 0, k = 0;
  for (;;)
    if (++s > n)
      break;
  o[k++] = s;
  for (i = 0, j = n; i < j; i++, j -= 2)
    s += i * j;
  o[k++] = s, o[k++] = i - j;
  do
    s -= 3;
  while (s > 0 && --j);
  o[k++] = s;
  for (int i = 0, s = 100; i < 3; i++) { // hide
    int i = s++;
    o[k] = i;
  }
  o[++k] = i, k++;
  while (i-- > 0)
    while (j++ < 20)
      if (j % 2)
        continue;
      else if (j % 5 == 0)
        break;
      else
        for (int q = j; q; q /= 2)
          s += q;
  o[k++] = s, o[k++] = j;
  s = 0;
  for (unsigned u = 10; u-- > 0;) {
    for (int v = 0;; v++) {
      if (v == n)
        break;
      if ((v + (int)u) % 3)
        continue;
      s += v;
      if (s > 1000)
        goto full;
    }
    s += (int)u;
  }
full:
  o[k++] = s;
  for (s = 0; s * s < n * 10; ++s)
    ;
  o[k++] = s;
  {
    ;
    ;
    int a[4] = {1, 2, 3, 4}, *p = a;
    do {
      int t = *p;
      *p++ = s;
      s = t;
    } while (p < a + 4);
    o[k++] = a[0] * 27 + a[1] * 9 + a[2] * 3 + a[3] + s;
  }
  o[k++] = (int)gcd((unsigned)n * 84, 126);
  do {
    if (n < 100)
      continue;
    s = 5;
  } while (0);
  for (int d = 1; d <= n; d <<= 1, s++) {
    if (d == 4)
      continue;
    s += d;
  }
  o[k++] = s;
  o[k] = k;
}

int main(void) {
  static int o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    loops(u * u - 2, o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%d%c", o[u][k], k == OUT - 1 ? '\n' : ' ');
  return 0;
}
