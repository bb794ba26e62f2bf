// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a call accumulates and also uses otherwise, which only the addresses tell: one sentence, and that unit
// does not run. Sections of one operation may overlap.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none %t 2>&1 | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated %t 2>&1 | FileCheck %s
#include <stdio.h>

#pragma agglom task in(x[0:n]) accumulate(+: y[0:n], z[0:n]) accumulate(max: *most)
void sum(int n, const int *x, int *y, int *z, int *most) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    y[i] += x[i];
    z[i] += 2 * x[i];
    *most = x[i] > *most ? x[i] : *most;
  }
}

int main(void) {
  int x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {0}, z[8] = {0}, most = 0;
  sum(4, x, y, z, &most);
  sum(4, x, x + 3, z, &most);
  sum(0, x, x, z, &most);
  sum(4, x, y, z, y + 2);
  sum(4, x, y, y + 2, &most);
  sum(4, x, x + 4, z, &most);
#pragma agglom wait
  for (int i = 0; i < 8; i++)
    printf("%d %d %d,", x[i], y[i], z[i]);
  printf(" %d\n", most);
  return 0;
}
// CHECK: agglom: error: {{.*}}accumulate_bad.c:9: task 'sum': section 'accumulate(+: y[0:n])' overlaps section 'in(x[0:n])' of the same call; memory that a unit accumulates can have no other use in it
// CHECK-NEXT: agglom: error: {{.*}}accumulate_bad.c:9: task 'sum': section 'accumulate(+: y[0:n])' overlaps section 'accumulate(max: *most)' of the same call; memory that a unit accumulates can have no other use in it
// CHECK-NEXT: {{^}}1 2 4,2 4 8,3 8 12,4 12 16,6 6 0,8 8 0,10 0 0,12 0 0, 4
