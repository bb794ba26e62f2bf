// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Library functions by their __builtin_ names are those of the device, too.
// RUN: %compare %s %t
// RUN: %agglomcc -w --emit-ptx %s -o %t.ptx && not grep 'extern.*memcmp' %t.ptx
#include <stdio.h>

#pragma agglom task in(x[0:n]) out(y[0:6])
static void by_builtin(int n, const double *x, double *y) {
  y[0] = __builtin_fmod(x[0], 3) + __builtin_pow(x[1], 2) + __builtin_ldexp(x[2], 2);
  y[1] = __builtin_memcmp(x, x + 1, n * sizeof *x / 2) > 0;
  y[2] = __builtin_sqrt(x[1]) + __builtin_strlen("abc");
  y[3] = __builtin_memcmp(x, x + 1, 4) > 0;
  double z[2];
  __builtin_memcpy(z, x, sizeof z);
  y[4] = z[1];
  y[5] = __builtin_fmodf((float)x[0], 2);
}

int main(void) {
  double x[4] = {7.5, 4, 3, 0.5}, y[6];
  by_builtin(4, x, y);
#pragma agglom wait
  for (int i = 0; i < 6; ++i)
    printf("%.4f ", y[i]);
  puts("");
  return 0;
}
