/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "sys/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bounded(double x) { return x == 0 || (x >= 1 / SIM_LARGEST && x <= SIM_LARGEST); }

bool sim_real(const char *text, double *x) {
  char *end;
  *x = strtod(text, &end);
  return end != text && !*end && bounded(*x);
}

bool sim_whole(const char *text, uint64_t least, uint64_t most, uint64_t *x) {
  return !ag_parse_unsigned(text, least, most, x);
}

bool sim_count(const char *text, uint64_t least, uint64_t most, unsigned *x) {
  uint64_t v;
  if (!sim_whole(text, least, most, &v))
    return false;
  *x = (unsigned)v;
  return true;
}

bool sim_two(const char *text, char separator, double *a, double *b) {
  char *end;
  *a = strtod(text, &end);
  return end != text && *end == separator && bounded(*a) && sim_real(end + 1, b);
}

int sim_wrong(const char *option, const char *text) {
  (void)fprintf(stderr, "agglom-sim: error: --%s=%s is not understood; agglom-sim --help shows what is\n",
                option, text);
  return 2;
}

int sim_unknown(int found, const char *option) {
  const char *what = found == ':'                                       ? "needs a value"
                     : !strncmp(option, "--", 2) && strchr(option, '=') ? "is not an option, or has no value"
                                                                        : "is not an option";
  (void)fprintf(stderr, "agglom-sim: error: %s %s; agglom-sim --help shows all of them\n", option, what);
  return 2;
}
