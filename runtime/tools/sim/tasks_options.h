/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of agglom-sim tasks. */
#ifndef AG_SIM_TASKS_OPTIONS_H
#define AG_SIM_TASKS_OPTIONS_H

#include "tasks.h"

struct sim_tasks_command {
  struct sim_shape_of_program shape;
  struct sim_task_machine machine;
  const char *program, *trace, *map;
  int shaped; /* the first option that describes the program; 0: none does */
  bool speed_given, cpus_given, devices_given, launch_given, host_given, bytes_given, fill_given, ask_given,
      commit_given;
};

/* -1 when the options say what is to be run, with policies from optind on; else the exit status. */
int sim_tasks_options(int argc, char **argv, struct sim_tasks_command *command);

#endif /* AG_SIM_TASKS_OPTIONS_H */
