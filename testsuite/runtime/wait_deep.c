// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks that wait for tasks that wait, deeper than the stack of a thread: they go on in another one. And tasks that
// create tasks, more than are let in at a time.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 200 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 timeout 200 %t | FileCheck %s
// RUN: ulimit -s 256; env AGGLOM_DEVICES=emulated timeout 200 %t | FileCheck %s
#include <stdatomic.h>
#include <stdio.h>

static atomic_long n;

#pragma agglom task device(cpu)
void deep(int depth, int width) {
  atomic_fetch_add(&n, 1);
  if (!depth)
    return;
  deep(depth - 1, width);
  for (int i = 0; i < width; ++i)
    deep(0, 0);
#pragma agglom wait
}

#pragma agglom task device(cpu)
void fan(int depth, int waits) {
  atomic_fetch_add(&n, 1);
  for (int i = 0; depth && i < 8; ++i)
    fan(depth - 1, waits);
  if (waits) {
#pragma agglom wait
  }
}

int main(void) {
  deep(60000, 3);
#pragma agglom wait
  // CHECK: deep 240001
  printf("deep %ld\n", atomic_exchange(&n, 0));
  for (int waits = 0; waits < 2; ++waits) {
    fan(6, waits);
#pragma agglom wait
    // CHECK-NEXT: fan 299593
    // CHECK-NEXT: fan 299593
    printf("fan %ld\n", atomic_exchange(&n, 0));
  }
  return 0;
}
