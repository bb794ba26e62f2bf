/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Values of options. Numbers are bounded, so that nothing becomes infinite that is computed from them. */
#ifndef AG_SIM_OPTIONS_H
#define AG_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_LARGEST 1e15 /* of all numbers: ns in eleven days */

/* 0, or from the inverse of that to that. */
bool sim_bounded(double x);

/* Each returns whether the text is such a value, and if not, remembers for sim_wrong() what would be. */
/* 0 to SIM_LARGEST, and those that are not 0 at least its inverse. */
bool sim_real(const char *text, double *x);
bool sim_above_0(const char *text, double *x);
bool sim_between(const char *text, double least, double most, double *x);
bool sim_whole(const char *text, uint64_t least, uint64_t most, uint64_t *x);
bool sim_count(const char *text, uint64_t least, uint64_t most, unsigned *x);
/* Two numbers as of sim_real(). */
bool sim_two(const char *text, char separator, double *a, double *b);
/* For values of other forms: `fine`, and if it is not that is what would be. */
bool sim_form(bool fine, const char *accepted);

/* Say so, and return the exit status. `command`: "agglom-sim", or with its subcommand. `found`: what
 * getopt_long() returned. `why`: NULL, or what is the matter with this option. */
int sim_wrong(const char *command, const char *option, const char *text);
int sim_unknown(const char *command, int found, const char *option, const char *why);

#endif /* AG_SIM_OPTIONS_H */
