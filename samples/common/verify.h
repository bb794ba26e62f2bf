/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What makes a result a verified one: quantities and the bounds within which they must be, a line each, and
 * one line at the end, "verified         yes" or "verified         NO", which scripts look for. */
#ifndef SAMPLES_VERIFY_H
#define SAMPLES_VERIFY_H

#include <stdbool.h>

struct verdict {
  const char *program;
  int checks, wrong;
};

/* Prints "NAME  VALUE (at most LIMIT)". A value above the limit, or that is not a number, is wrong, and said
 * on stderr with what to do about it: `advice` is a sentence, or null. */
void verify_at_most(struct verdict *v, const char *name, double value, double limit, const char *advice);

/* The same for what is true or false; `sentence` says what is wrong where it is false. Prints nothing else.
 */
void verify_that(struct verdict *v, bool holds, const char *sentence);

/* Prints the last line. Returns the exit status: 0, or 1 where something was wrong or nothing was checked. */
int verify_end(const struct verdict *v);

#endif
