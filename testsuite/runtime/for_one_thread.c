// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread alone does not cut a loop, not even the first time: floating-point sums are those of the serial program.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SPLIT=cpu AGGLOM_WORKERS=1 timeout 60 %t
#include <stdio.h>

static double serial(int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i)
    sum += 1.0 / i;
  return sum;
}

static int same(const char *what, int n, double sum) {
  if (sum != serial(n))
    printf("%s, %d: %.17g, not %.17g\n", what, n, sum, serial(n));
  return sum == serial(n);
}

int main(void) {
  int right = 0, runs = 0;
  for (int n = 10; n <= 1000000; n *= 10)
    for (int k = 0; k < 3; ++k, runs += 4) {
      double sum = 0;
#pragma agglom for reduction(+ : sum)
      for (int i = 1; i <= n; ++i)
        sum += 1.0 / i;
      right += same("auto", n, sum);
      sum = 0;
#pragma agglom for device(cpu) reduction(+ : sum)
      for (int i = 1; i <= n; ++i)
        sum += 1.0 / i;
      right += same("device(cpu)", n, sum);
      sum = 0;
#pragma agglom for schedule(static) reduction(+ : sum)
      for (int i = 1; i <= n; ++i)
        sum += 1.0 / i;
      right += same("static", n, sum);
      sum = 0;
#pragma agglom for schedule(oracle, 0.5) reduction(+ : sum)
      for (int i = 1; i <= n; ++i)
        sum += 1.0 / i;
      right += same("oracle", n, sum);
    }
  return right != runs;
}
