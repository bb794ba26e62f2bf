// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch prints 3 MB, more than a GPU's driver has room for unless it is asked: no line is lost.
// RUN: %compare %s %t
#include <stdio.h>

#pragma agglom task inout(x[0:1])
static void report(int lines, int *x) {
  for (int k = 0; k < lines; k++)
    printf("line %d of a long protocol that says about everything there is to say: %d\n", k, *x += k);
}

int main(void) {
  int x = 7;
  report(20000, &x);
  report(20000, &x);
#pragma agglom wait
  printf("%d\n", x);
  return 0;
}
