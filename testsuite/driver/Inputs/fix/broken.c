// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything here has a fix-it; with them applied it is a correct program.
#include "broken.h"
#include <stdio.h>

#pragma agglom task in(x[0:n])
static void scale(int n, double *x, double f) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] *= f;
}

#pragma agglom task in(a[0:n], b[0:n], c[0:n]) // größer
static void add(int n, const double *a, const double *b, double *c) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

#pragma agglom tsk inot(y[0:n]) \
    prority(n)
static void smooth(int n, const double *x, double *y) {
  for (int i = 1; i < n - 1; ++i)
    y[i] = (x[i - 1] + x[i + 1]) / 2;
}

#pragma agglom task in(left[0:1]) out(s[0:1])
static void sum(int n, const double *x, double *s, const double *left) {
  double t = 0;
#pragma agglom loop reduction(+: t)
  for (int i = 0; i < n; ++i)
    t += x[i];
  *s = t;
  (void)n;
}

int main(int argc, char **argv) {
  double a[8], b[8], c[8] = {0}, d[8] = {0}, s = 0;
  for (int i = 0; i < 8; ++i)
    a[i] = i, b[i] = 8 - i * i;
  scale(8, a, 2);
  add(8, a, b, c);
  smooth(8, c, d);
  negate(8, d);
  sum(8, d, &s, a);
  if (argc > 0 && argv)
#pragma agglom wait
  printf("%g %g %g\n", s, d[1], c[7]);
  return 0;
}
