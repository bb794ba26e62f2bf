/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AG_TEST_INSTRUMENTED_H
#define AG_TEST_INSTRUMENTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A sanitizer's notes lie all over the program's memory, so nothing of it is hidden then. */
static inline void skip_if_instrumented(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  print_message("skipped: a program that a sanitizer has instrumented hides no memory from kernels\n");
  skip();
#endif
}

#endif /* AG_TEST_INSTRUMENTED_H */
