/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses the runtime without agglomcc: compiled by any C compiler. */
#include <agglom.h>
#include <agglom/abi.h>
#include <stdio.h>

int main(void) {
  printf("wait %d\n", agglom_wait());
  return 0;
}
