// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of a task is said once, though units of high priority have a queue of their own.
// RUN: %build-program %agglomcc %s -o %t
// RUN: env AGGLOM_DEVICES=none %t 2> %t.none
// RUN: grep -c "task 'wants_gpu' is device(gpu), but there is no device to use" %t.none | grep -x 1
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=1MB %t 2> %t.small
// RUN: grep -c "task 'large': the sections of a unit are" %t.small | grep -x 1
#pragma agglom task inout(x[0:1]) device(gpu) priority(p)
static void wants_gpu(int p, int *x) { *x += p; }

#pragma agglom task inout(x[0:n]) priority(p)
static void large(int p, int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] += p;
}

int main(void) {
  enum { MANY = 1 << 20 };
  static int x[MANY];
  for (int p = -2; p <= 2; ++p) {
    wants_gpu(p, x);
    large(p, MANY, x);
  }
#pragma agglom wait
  return x[0] || x[MANY - 1];
}
