// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerators in array sizes and bit-field widths of structures.
// RUN: %compare %s %t -w
#include <stdio.h>
enum { N = 16 };
struct s {
  double v[N];
  int k : N;
};
#pragma agglom task inout(p[0 : 1])
void f(struct s *p) {
  for (int i = 0; i < 16; i++)
    p->v[i] += i;
}
int main(void) {
  struct s s = {{1}};
  f(&s);
#pragma agglom wait
  printf("%g\n", s.v[3]);
  return 0;
}
