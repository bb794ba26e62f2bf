// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section that reaches beyond the memory that there is: an isolated device says so, and its unit runs on a CPU.
// RUN: %agglomcc %s -o %t
// RUN: AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_EMULATE=isolate=on %t >%t.out 2>%t.err
// RUN: FileCheck %s < %t.out && FileCheck %s --check-prefix=SAID < %t.err
// CHECK: 1 2 4 6 8 10 12 6
// SAID: beyond_memory.c:[[@LINE+5]]: task 'around': section 'in(a[i-1:3])' of a unit names the memory from {{0x[0-9a-f]+}} to {{0x[0-9a-f]+}}, which the process does not have; name what is there, in the first and the last unit, too
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

#pragma agglom task in(a[i-1:3]) out(b[i])
static void around(int i, const double *a, double *b) { b[i] = (i > 0 ? a[i - 1] : 0) + (i < 7 ? a[i + 1] : 0); }

int main(void) {
  const size_t page = 4096;
  char *memory = mmap(0, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_READ | PROT_WRITE))
    return 1;
  double *a = (double *)(memory + page), b[8];
  for (int i = 0; i < 8; ++i)
    a[i] = i;
  for (int i = 0; i < 8; ++i)
    around(i, a, b);
#pragma agglom wait
  for (int i = 0; i < 8; ++i)
    printf("%g ", b[i]);
}
