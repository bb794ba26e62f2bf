// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parameter and a local variable with the name of the task or of what a task calls.
// RUN: %compare %s %t
#include <stdio.h>

static long twice(long twice) { return twice * 2; }

#pragma agglom task in(x[0:n]) inout(sum[0:1])
void sum(int n, const int *x, long *sum) {
  long total = 0;
#pragma agglom loop reduction(+: total)
  for (int total_i = 0; total_i < n; total_i++)
    total += x[total_i] + twice(total_i);
  *sum += total;
}

int main(void) {
  int x[50];
  long s[5] = {0};
  for (int i = 0; i < 50; i++)
    x[i] = i * i - 7;
  for (int k = 0; k < 5; k++)
    sum(10 * k, x, &s[k]);
#pragma agglom wait
  for (int k = 0; k < 5; k++)
    printf("%ld\n", s[k]);
  return 0;
}
