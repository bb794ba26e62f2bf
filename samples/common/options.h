/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command line of a sample: a table of options that are read, checked and explained the same way in all
 * of them. */
#ifndef SAMPLES_OPTIONS_H
#define SAMPLES_OPTIONS_H

enum option_kind {
  OPTION_FLAG,    /* to: int, set to 1 */
  OPTION_INTEGER, /* to: long long, lo .. hi; a default below lo means "not given" */
  OPTION_REAL,    /* to: double, lo .. hi */
  OPTION_GRID,    /* to: int[2], "16x16", each lo .. hi */
  OPTION_TEXT,    /* to: const char *, points into argv */
  OPTION_WORD,    /* to: const char *, one of words */
  OPTION_PRESET   /* stands for the options in words, as in "--particles 5000 --steps 50" */
};

struct option {
  const char *name; /* "--particles"; a table ends with a null name */
  enum option_kind kind;
  void *to; /* holds the default before, the value afterwards */
  double lo, hi;
  const char *words; /* of WORD: "auto|static"; of PRESET: what it stands for */
  const char *help;  /* a line for --help, without the default */
};

enum { OPTIONS_GO_ON = -1 };

/* Reads argv by the table; a later option overrides an earlier one. `program` heads all messages, `what` (a
 * line or two) the text of --help. Returns OPTIONS_GO_ON; or the exit status: 0 after --help, 2 after it has
 * said on stderr what is wrong with which option. */
int options_read(const char *program, const char *what, const struct option *table, int argc, char **argv);

#endif
