// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not annotated; calls what axpy.c is with -DMAIN=other, and plain.c.
#include <stdio.h>
int other(void);
int plain(const char *s);
int main(void) {
  printf("plain %d\n", plain("abc"));
  return other();
}
