// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerators and sizeof in types that other types are made of.
// RUN: %compare %s %t -w
#include <stdio.h>
enum { A = 4 };
enum { B = A * 2, C };
typedef double vec[B];
struct big {
  int x;
};
struct q {
  char c[sizeof(struct big)];
};
#pragma agglom task inout(p[0 : 1]) inout(w[0 : 1])
void f(vec *p, struct q *w) {
  (*p)[B - 1] = C;
  w->c[0]++;
}
int main(void) {
  vec v = {0};
  struct q w = {{1}};
  f(&v, &w);
#pragma agglom wait
  printf("%g %d\n", v[7], w.c[0]);
  return 0;
}
