// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of a task's function are compiled once, where units are run, too: the function is called, not inlined. What is short is inlined, and a
// function that nothing else calls, and a C99 inline one, which may be nowhere else. The loop over units is not unrolled: mostly there is one.
// RUN: %agglomcc -O3 -S %s -o %t.clang.s
// RUN: %agglomcc -O3 -S -fagglom-host-compiler=gcc %s -o %t.gcc.s
// RUN: for s in %t.clang.s %t.gcc.s; do for n in "looped 1" "short 2" "static 1"; do set -- $n; grep -c ${1}_mark $s | grep -x $2 || exit 1; done; done
// RUN: %agglomcc -O3 -S -emit-llvm %s -o - | grep -c 'add .*, 1234567$' | grep -x 2
// RUN: %agglomcc -O2 %s -o %t && env AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: %agglomcc -O2 -fagglom-host-compiler=gcc %s -o %t && env AGGLOM_DEVICES=none %t | FileCheck %s
// CHECK: 45 7 9 4
#include <stdio.h>

#pragma agglom task device(cpu) inout(a[0:n])
void looped(int n, double *a) {
  __asm__ volatile("# looped_mark");
  for (int i = 0; i < n; ++i)
    a[i] += i;
}

#pragma agglom task device(cpu) inout(a[0:1])
void shorter(double *a) {
  *a += 7;
  __asm__ volatile("# short_mark");
}

#pragma agglom task device(cpu) inout(a[0:1])
void plain(long *a) { *a += 1234567; }

#pragma agglom task device(cpu) inout(a[0:1])
static void local(int n, double *a) {
  __asm__ volatile("# static_mark");
  while (n-- > 0)
    *a += 3;
}

#pragma agglom task device(cpu) inout(a[0:1])
inline void nowhere_else(int n, double *a) {
  do
    *a += 1;
  while (--n > 0);
}

int main(void) {
  double a[10] = {0}, b = 0, c = 0, d = 0, sum = 0;
  looped(10, a);
  shorter(&b);
  local(3, &c);
  nowhere_else(4, &d);
#pragma agglom wait
  for (int i = 0; i < 10; ++i)
    sum += a[i];
  printf("%g %g %g %g\n", sum, b, c, d);
  return 0;
}
