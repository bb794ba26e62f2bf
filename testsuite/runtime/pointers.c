// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointer arithmetic: walking pointers, differences, comparisons, pointers to const, void and char views of memory,
// two parameters that point into the same array, negative indexes.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: walk: 44 units in
// CHECK: scan: 44 units in
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#pragma agglom task in(s[0:n]) out(d[0:n], found[0:2])
void walk(size_t n, const short *s, int *d, ptrdiff_t *found) {
  const short *p = s, *end = s + n, *best = p;
  int *q = d + n;
  while (p != end) {
    if (*p > *best)
      best = p;
    *--q = *p++ * 2;
  }
  found[0] = best - s;
  found[1] = p > s ? (end - p) + p[-1] : -1;
}

#pragma agglom task in(from[-3:n + 3], bytes[0:n]) inout(to[0:n])
void scan(int n, const float *from, float *to, const unsigned char *bytes) {
  const void *view = bytes;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    const float *f = &from[i];
    const unsigned char *b = (const unsigned char *)view + i;
    float copy;
    memcpy(&copy, f - 3, sizeof copy);
    *(to + i) += f[-1] + *(f - 2) * copy + (float)(*b & 0x1f);
    to[i] += (float)(f == from) + (float)(&to[i] - to);
  }
}

int main(void) {
  static short s[44][60];
  static int d[44][60];
  static ptrdiff_t found[44][2];
  static float f[44][63], t[44][60];
  for (int u = 0; u < 44; u++)
    for (int i = 0; i < 60; i++)
      s[u][i] = (short)((i * 7919 + u * 104729) % 2003 - 1000), f[u][i] = (float)i / 3 + (float)u;
  for (int u = 0; u < 44; u++) {
    walk((size_t)(u + 1), s[u], d[u], found[u]);
    scan(60, f[u] + 3, t[u], (const unsigned char *)s[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 44; u++) {
    printf("%td %td:", found[u][0], found[u][1]);
    for (int i = 0; i < 60; i++)
      printf(" %d %a", d[u][i], (double)t[u][i]);
    printf("\n");
  }
  return 0;
}
