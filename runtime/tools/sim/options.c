/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "sys/env.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_bounded(double x) { return x == 0 || (x >= 1 / SIM_LARGEST && x <= SIM_LARGEST); }

static char accepted[160]; /* by what was asked last, if that was not it */

static bool expect(bool fine, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (!fine)
    (void)vsnprintf(accepted, sizeof accepted, format, list);
  va_end(list);
  return fine;
}

bool sim_form(bool fine, const char *form) { return expect(fine, "%s", form); }

static bool number(const char *text, double *x) {
  char *end;
  *x = strtod(text, &end);
  return end != text && !*end && sim_bounded(*x);
}

bool sim_real(const char *text, double *x) {
  return expect(number(text, x), "0 or a number from %g to %g", 1 / SIM_LARGEST, SIM_LARGEST);
}

bool sim_above_0(const char *text, double *x) {
  return expect(number(text, x) && *x > 0, "a number from %g to %g", 1 / SIM_LARGEST, SIM_LARGEST);
}

bool sim_between(const char *text, double least, double most, double *x) {
  return expect(number(text, x) && *x >= least && *x <= most, "a number from %g to %g", least, most);
}

bool sim_whole(const char *text, uint64_t least, uint64_t most, uint64_t *x) {
  return expect(!ag_parse_unsigned(text, least, most, x), "a whole number from %llu to %llu",
                (unsigned long long)least, (unsigned long long)most);
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
  bool fine = end != text && *end == separator && sim_bounded(*a) && number(end + 1, b);
  return expect(fine, "two numbers with a '%c' between them, each 0 or from %g to %g", separator,
                1 / SIM_LARGEST, SIM_LARGEST);
}

int sim_wrong(const char *command, const char *option, const char *text) {
  (void)fprintf(stderr, "agglom-sim: error: --%s=%s is not understood; accepted is %s (%s --help)\n", option,
                text, accepted, command);
  return 2;
}

int sim_unknown(const char *command, int found, const char *option, const char *why) {
  const char *what = found == ':'                                       ? "needs a value"
                     : !strncmp(option, "--", 2) && strchr(option, '=') ? "is not an option, or has no value"
                                                                        : "is not an option";
  if (why)
    (void)fprintf(stderr, "agglom-sim: error: %s %s\n", option, why);
  else
    (void)fprintf(stderr, "agglom-sim: error: %s %s; %s --help shows all of them\n", option, what, command);
  return 2;
}
