// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// %compare notices another output, another message, another exit status, and a program that uses no device.
// RUN: %compare %s %t
// RUN: env DIFFER=output not %compare %s %t 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: compare: the cpu run's output differs from the serial run's
// RUN: env DIFFER=message not %compare %s %t 2>&1 | FileCheck %s --check-prefix=MESSAGE
// MESSAGE: compare: the cpu run's messages differ
// RUN: env DIFFER=status not %compare %s %t 2>&1 | FileCheck %s --check-prefix=STATUS
// STATUS: compare: cpu run ended with status 7, the serial run with 0
// RUN: env COMPARE_RUN=AGGLOM_SPLIT=cpu not %compare %s %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: compare: no unit ran on the emulated device
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma agglom task out(x[0:1])
void set(int *x) { *x = 4; }

int main(void) {
  const char *how = getenv("DIFFER") && getenv("AGGLOM_DEVICES") ? getenv("DIFFER") : "";
  int x = 0;
  set(&x);
#pragma agglom wait
  printf("%d\n", x + !strcmp(how, "output"));
  if (!strcmp(how, "message"))
    fprintf(stderr, "differs\n");
  return strcmp(how, "status") ? 0 : 7;
}
