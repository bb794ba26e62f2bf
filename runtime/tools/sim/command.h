/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What agglom-sim and agglom-sim tasks have in common as commands: how options are gone through, the file of
 * --map, and how the output ends. */
#ifndef AG_SIM_COMMAND_H
#define AG_SIM_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

/* Values of --help and --version in the table of options; all others are larger. */
enum { SIM_O_HELP = 256, SIM_O_VERSION, SIM_O_FIRST };

struct sim_options_of {
  const char *name; /* "agglom-sim", or with its subcommand */
  const struct option *options;
  const struct option *others; /* those without, or with, the subcommand */
  const char *of_others;       /* what to say of one of these */
  void (*help)(void);
  bool (*understood)(int option, const char *text, void *command);
  const char *no_operands; /* what to say when there are none */
};

/* The tables of agglom-sim and of agglom-sim tasks. */
extern const struct option sim_loop_options[], sim_task_options[];

/* -1 when all options are understood and there are operands, which begin at optind; else the exit status. */
int sim_command(int argc, char **argv, const struct sim_options_of *of, void *command);

/* Opens the file of --map, unless path is NULL. 0 or the exit status. */
int sim_map_open(const char *path, FILE **map);

/* Closes the map unless it is NULL, and writes out standard output. The exit status: result, when that is not
 * 0. */
int sim_end(int result, const char *path, FILE *map);

#endif /* AG_SIM_COMMAND_H */
