/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
enum { N = 200, PART = 10 };
static void twice(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] / 2 + 1;
}
static void mix(int n, const double *a, double *b) {
  for (int i = 0; i < n; ++i)
    b[i] = b[i] / 2 + a[i];
}
void show(const double *x, int n);
static double total(int n, const double *x) {
  double sum = 0;
  for (const double *end = x + n; x < end; ++x)
    sum += *x;
  return sum;
}
int main(int argc, char **argv) {
  (void)argv;
  int n = argc * N;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *third = x + 3, t = 0, most = 0;
  for (int s = 0; s < 5; ++s) {
    if (s % 2) /* what the last iteration has submitted */
      for (int i = 0; i < n; ++i)
        most = y[i] > most ? y[i] : most;
    for (int i = 0; i < n; i += PART) {
      if (i % 7 == 3)
        continue;
      twice(PART, x + i);
    }
    for (int i = 0; i < n; i += PART)
      mix(PART, x + i, y + i);
    double *other = x;
    x = y;
    y = other;
  }
  t = third[2]; /* by another name */
  for (int i = 0; i < n; i += PART)
    twice(PART, x + i);
  show(x, n); /* a function of another file */
  for (int i = 0; i < n; i += PART)
    twice(PART, y + i);
  if (most > t) /* perhaps */
    printf("%g %g\n", total(n, y), t);
  for (int i = 0; i < n; i += PART)
    twice(PART, x + i);
  for (int i = 0; i < n; ++i) /* what is not the first element of a section */
    t += (n - i) * x[n - 1 - i];
  printf("%g %g\n", t, most);
  free(x);
  free(y);
  return 0;
}
