// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with few units and no device takes little memory of its own: what the runtime keeps for devices and for
// thousands of units is not touched.
// RUN: %agglomcc -O1 %s -o %t && env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 %t | FileCheck %s
// CHECK: 4950, less than 800 kB
#include <stdio.h>

#pragma agglom task in(a[0:1]) inout(sum[0:1])
void add(const int *a, int *sum) { *sum += *a; }

int main(void) {
  int a[100], sum = 0, kb = -1;
  char line[200];
  for (int i = 0; i < 100; i++) {
    a[i] = i;
    add(&a[i], &sum);
  }
#pragma agglom wait
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "RssAnon: %d", &kb) == 1)
      break;
  printf("%d, ", sum);
  if (kb > 0 && kb < 800)
    printf("less than 800 kB\n");
  else
    printf("%d kB\n", kb);
  return 0;
}
