// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sizeof of expressions whose types have no name of their own, and pointers that library functions return.
// RUN: %compare %s %t
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum colour { RED, BLUE };

#pragma agglom task in(x[0:n]) out(y[0:8])
static void sizes(int n, const double *x, double *y) {
  enum colour c = BLUE;
  y[0] = sizeof(&x[n] - x) + x[0];
  y[1] = sizeof(sizeof(int));
  y[2] = sizeof((size_t)1 + n);
  y[3] = sizeof(&x[n] - &x[1] + 1L);
  y[4] = sizeof(c);
  y[5] = sizeof(c + 1);
  y[6] = sizeof 'a';
  y[7] = _Alignof(ptrdiff_t) + sizeof(x[0] > 1);
}

#pragma agglom task in(x[0:n]) inout(h[0:32])
static void put(int n, const char *x, char *h) {
  char *e = strcpy(h, x);
  e[n - 2] = '!';
  e = strncpy(h + 8, x, 4);
  e[1] = '?';
  e = memcpy(h + 16, x, (size_t)n);
  e[0] = '.';
}

int main(void) {
  double x[4] = {1, 2, 3, 4}, y[8];
  char h[32] = "";
  sizes(4, x, y);
  put(5, "abcd", h);
#pragma agglom wait
  for (int i = 0; i < 8; ++i)
    printf("%g ", y[i]);
  printf("%s %.4s %s\n", h, h + 8, h + 16);
  return 0;
}
