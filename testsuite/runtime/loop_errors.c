// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop is a statement and returns no error: that of a unit before it, or of a chunk, is there at the next wait.
// RUN: %agglomcc -w %s -o %t
// RUN: AGGLOM_DEVICES=none %t 2>&1 | FileCheck %s
// RUN: AGGLOM_DEVICES=emulated %t 2>&1 | FileCheck %s
#include <agglom.h>
#include <stdio.h>
static int a[10], k = -1;
#pragma agglom task inout(x[0:n])
static void inc(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i]++;
}
static void loop(int n) {
#pragma agglom for inout(a[i])
  for (int i = 0; i < n; ++i)
    a[i]++;
}
static void on_cpus(int n) {
#pragma agglom for inout(a[i]) device(cpu)
  for (int i = 0; i < n; ++i)
    a[i]++;
}
static void impossible(void) {
#pragma agglom for inout(a[i : k])
  for (int i = 0; i < 10; ++i)
    a[i]++;
}
#define SHOW(name, loop) inc(-1, a); loop; printf(name " %d", agglom_wait()); printf(" then %d\n", agglom_wait())
int main(void) {
  setbuf(stdout, NULL);
  SHOW("loop", loop(10));       // CHECK: loop -22 then 0
  SHOW("on CPUs", on_cpus(10)); // CHECK: on CPUs -22 then 0
  SHOW("empty", loop(0));       // CHECK: empty -22 then 0
  impossible();
  printf("chunk %d\n", agglom_wait()); // CHECK: chunk -22
}
