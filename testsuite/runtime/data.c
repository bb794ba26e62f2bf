// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 'data' and 'update': whichever way a block is left, what its units wrote is in host memory.
// RUN: %compare %s %t
// RUN: %agglomcc -O1 -fagglom-host-compiler=gcc %s -o %t.gcc
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:50 %t.gcc > %t.gcc.out
// RUN: cmp %t.serial.out %t.gcc.out
// RUN: %agglomcc -O0 %s -o %t.w
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=4 AGGLOM_BATCH=maximal %t.w > %t.w.out
// RUN: cmp %t.serial.out %t.w.out
#include <stdio.h>

#pragma agglom task inout(x[0:n])
static void step(int n, int by, long *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * 3 + by;
}

enum { N = 10 };

static long returns(int how, long *x) {
  for (int round = 0; round < 4; ++round) {
#pragma agglom data resident(x[0:N])
    {
      step(N, how, x);
#pragma agglom data resident(x[0:2]) resident(x[4:2])
      {
        step(2, round, x);
        if (how == 1)
          break;
        if (how == 2)
          continue;
        if (how == 3)
          return 30;
        if (how == 4)
          goto out;
        if (how == 5)
          goto again;
      }
#pragma agglom update host(x[0:2])
      if (x[1] > 100000)
        x[1] = 5;
#pragma agglom update device(x[1])
    again:
      step(N, 1, x);
    }
    x[3] += x[2] % 7;
  }
  return 10;
out:
  return 40 + x[0];
}

#define DATA(Text) _Pragma(Text)
#define BEGIN {

/* In a switch, in an expression, around a whole loop, of a variable-sized array, with other signs for braces. */
static void places(int n) {
  long local[n];
  for (int i = 0; i < n; ++i)
    local[i] = i;
  switch (n) {
  case 3:
    printf("three\n");
  default:
#pragma agglom data resident(local)
  {
    for (int i = 0; i < 5; ++i) {
      step(n, i, local);
      switch (i) {
      case 2:
        step(n - 1, 7, local + 1);
      }
    }
  }
  }
  printf("%ld %ld\n", local[0], local[n - 1]);
#pragma agglom data resident(local[0:2])
  <%step(n, 9, local); %>
  DATA("agglom data resident(local)") BEGIN step(n, 4, local); }
  printf("%ld\n", local[1]);
  if (n)
#pragma agglom data resident(local[0:n])
  {
    step(n, -1, local);
  }
  else
    printf("none\n");
  printf("%ld\n", ({
           long last = 0;
#pragma agglom data resident(local[0:n])
           {
             step(n, 2, local);
#pragma agglom update host(local[n - 1])
             last = local[n - 1];
           }
           last;
         }));
}

int main(void) {
  for (int how = 0; how < 6; ++how) {
    long x[N] = {1, 2, 3};
    long result = returns(how, x);
    printf("%d: %ld:", how, result);
    for (int i = 0; i < N; ++i)
      printf(" %ld", x[i]);
    printf("\n");
  }
  places(3);
  places(7);
  return 0;
}
