// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf, puts and putchar in device code: every conversion, once a unit outside loops, in chain order.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: conversions: 9 units in
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static const char row[] = "row %3d of %s: %zu\n";
static const char *const colours[] = {"red", "green", "blue"};

static void tell(int i, double x) { printf("tell %d %.3f\n", i, x); }

#pragma agglom task in(x[0:n]) inout(count[0:1])
static void conversions(int n, const double *x, int *count) {
  int i = *count;
  char c = (char)('a' + i);
  short h = (short)(i * 1000);
  float f = (float)x[i] / 3;
  printf("%d %i %u %o %x %X %c %% [%s]\n", -i, i, 3u * (unsigned)i, i * 9, i * 77, i * 77, c, "text\t\"quoted\"");
  printf("%hd %hu %hhd %hhu %ld %lu %lld %llu\n", h, (unsigned short)h, i + 250, i + 250, -7L * i, 7UL, -9LL * i, 9ULL);
  printf("%zu %zd %jd %ju %td\n", sizeof x, (ptrdiff_t)-i, (intmax_t)i, (uintmax_t)i, &x[n] - &x[i]);
  printf("%f %e %E %g %G %a %A %.2f %10.3e|%-12g|%+d|% d|%08.3f|%#x|\n", x[i], x[i], x[i], f, x[i], x[i], x[i], f, x[i],
         x[i], i, i, x[i], i);
  printf("%*d|%-*s|%.3s|%5s|%c%c\n", 4 + i, i, 8, colours[i % 3], "abcdef", "ab", 'x', 'y');
  printf("%s: %lu\n", __func__, (unsigned long)sizeof __func__);
  printf(row, i, colours[(i + 1) % 3], sizeof row);
  puts("a line of its own");
  putchar('0' + i);
  putchar('\n');
  tell(i, x[i]);
  (void)printf("no arguments, and a ?\?= of nine characters\n");
  if (i == 2)
    printf("two: %f %f %d\n", (double)INFINITY, -INFINITY, i), ++*count;
  else
    ++*count;
}

/* Block mapping: the code around the loop prints once a unit; one iteration prints. */
#pragma agglom task in(x[0:n]) inout(total[0:1])
static void around(int n, const double *x, double *total) {
  printf("around %d\n", n);
  double s = 0;
#pragma agglom loop reduction(+: s)
  for (int i = 0; i < n; ++i) {
    if (i == n / 2)
      printf("in the middle: %g\n", x[i]);
    s += x[i];
  }
  *total += s;
  printf("total %g\n", *total);
}

int main(void) {
  enum { N = 9 };
  double x[N], total = 0;
  int count = 0;
  for (int i = 0; i < N; ++i)
    x[i] = i * 1.25 - 3;
  for (int i = 0; i < N; ++i)
    conversions(N, x, &count);
#pragma agglom wait
  for (int i = 0; i < N; ++i)
    around(N - i, x, &total);
#pragma agglom wait
  printf("%d %g\n", count, total);
  return 0;
}
