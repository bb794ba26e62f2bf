// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C23's null pointer and its type: as a parameter, as a variable that a loop takes along, in a typedef, by typeof.
// RUN: %compare %s %t -w -std=c2x
#include <stddef.h>
#include <stdio.h>
#if !defined __clang__ && __GNUC__ < 13
// It has none, and runs the program serially.
#define nullptr ((void *)0)
typedef void *nullptr_t;
#endif

enum { UNITS = 7, N = 16 };
typedef __typeof__(nullptr) none;

#pragma agglom task inout(x[0:n])
static void units(int n, int *x, nullptr_t given) {
  const none own = nullptr;
  const int *to = given;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    __typeof__(nullptr) each = own;
    const int *from = each;
    x[i] += (to == from) + 2 * (from == given) + 4 * (to ? 1 : 0) + (int)sizeof(none);
  }
}

int main(void) {
  int x[UNITS][N] = {{0}};
  for (int u = 0; u < UNITS; u++)
    units(N, x[u], nullptr);
#pragma agglom wait
  nullptr_t kept = nullptr;
  none other = kept;
#pragma agglom for inout(x[u])
  for (int u = 0; u < UNITS; u++) {
    int *to = kept;
    x[u][u] += (to == other) + (int)sizeof kept;
  }
#pragma agglom wait
  int sum = 0;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      sum += x[u][i] * (u + 1);
  printf("%d\n", sum);
}
