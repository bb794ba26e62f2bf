/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void ag_futex_wait(_Atomic uint32_t *at, uint32_t value, const struct timespec *until) {
  int before = errno;
  syscall(SYS_futex, at, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value, until, NULL, FUTEX_BITSET_MATCH_ANY);
  errno = before;
}

unsigned ag_futex_wake(_Atomic uint32_t *at, int most) {
  int before = errno;
  long woken = syscall(SYS_futex, at, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, most, NULL, NULL, 0);
  errno = before;
  return woken > 0 ? (unsigned)woken : 0;
}
