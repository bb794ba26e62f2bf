// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of which each iteration has a copy: scalars, arrays, structures without a name, pointers into them.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: copies: 30 units in
#include <stdio.h>
#include <string.h>

static void reverse(int n, int *v) {
  for (int i = 0; i < n / 2; i++) {
    int t = v[i];
    v[i] = v[n - 1 - i];
    v[n - 1 - i] = t;
  }
}

#pragma agglom task in(x[0:n]) out(y[0:n])
void copies(int n, const int *x, long *y, int scratch) {
  int t, many[5], i = 3;
  double *end, work[4];
  struct {
    short a;
    long b[2];
  } s;
  long sum = 0;
  for (int round = 0; round < 2; round++) {
#pragma agglom loop private(t, many) private(s, end) private(work, scratch) reduction(+: sum)
    for (i = 0; i < n; i++) {
      t = x[i];
      for (int k = 0; k < 5; k++)
        many[k] = t + k * round;
      reverse(5, many);
      memset(&s, 0, sizeof s);
      s.b[1] = many[1];
      end = work;
      for (scratch = 0; scratch < 4; scratch++)
        *end++ = scratch * 0.5;
      while (end > work)
        s.b[0] += (long)(4 * *--end);
      y[i] = s.b[0] + s.b[1] + many[0] + s.a;
      sum += y[i];
    }
  }
#pragma agglom loop private(t)
  for (int k = 0; k < n; k++) {
    t = (int)(sum % 1000);
    y[k] += t + i;
  }
}

int main(void) {
  static int x[200];
  static long y[30][200];
  for (int k = 0; k < 200; k++)
    x[k] = k * k % 61;
  for (int u = 0; u < 30; u++)
    copies(1 + u * 6, x, y[u], u);
#pragma agglom wait
  for (int u = 0; u < 30; u++) {
    for (int k = 0; k < 1 + u * 6; k++)
      printf("%ld ", y[u][k]);
    printf("\n");
  }
  return 0;
}
