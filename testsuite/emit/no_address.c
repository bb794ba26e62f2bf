// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of tasks with loops whose address cannot be taken, or that -fsanitize=cfi lets nobody call by it; and one that has a name of the
// generated text's kind. Units call them as the program does.
// RUN: %agglomcc -O2 -std=c11 -pedantic-errors %s -o %t && env AGGLOM_DEVICES=none %t | FileCheck %s
// RUN: %agglomcc -O2 -w -S -emit-llvm %s -o - | grep -E 'call.* @old\(double'
// CHECK: 7 14 21 28
#include <stdio.h>

__attribute__((overloadable)) void f(double x);

#pragma agglom task inout(x[0:n]) device(cpu)
__attribute__((overloadable)) void f(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] += i;
}

#pragma agglom task inout(x[0:n]) device(cpu)
void sized(int n, int *const x __attribute__((pass_object_size(0)))) {
  for (int i = 0; i < n; ++i)
    x[i] += 2 * i;
}

#pragma agglom task inout(x[0:8]) device(cpu)
void old(double by, int *x);
void old(by, x)
double by;
int *x;
{
  for (int i = 0; i < 8; ++i)
    x[i] += by * i;
}

#pragma agglom task inout(x[0:n])
void ag_run(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] += 4 * i;
}

int main(void) {
  int x[4][8] = {{0}};
  f(8, x[0]);
  sized(8, x[1]);
  old(3, x[2]);
  ag_run(8, x[3]);
#pragma agglom wait
  printf("%d %d %d %d\n", x[0][7], x[1][7], x[2][7], x[3][7]);
  return 0;
}
