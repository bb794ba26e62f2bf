/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "verify.h"
#include <math.h>
#include <stdio.h>

void verify_at_most(struct verdict *v, const char *name, double value, double limit, const char *advice) {
  ++v->checks;
  printf("%-16s %.3g (at most %g)\n", name, value, limit);
  if (value <= limit)
    return;
  ++v->wrong;
  fflush(stdout);
  if (isnan(value))
    fprintf(stderr, "%s: %s is no number%s%s\n", v->program, name, advice ? ": " : ".", advice ? advice : "");
  else
    fprintf(stderr, "%s: %s is %.3g, above %g%s%s\n", v->program, name, value, limit, advice ? ": " : ".",
            advice ? advice : "");
}

void verify_that(struct verdict *v, bool holds, const char *sentence) {
  ++v->checks;
  if (holds)
    return;
  ++v->wrong;
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", v->program, sentence);
}

int verify_end(const struct verdict *v) {
  bool yes = v->checks > 0 && !v->wrong;
  printf("%-16s %s\n", "verified", yes ? "yes" : "NO");
  return !yes;
}
