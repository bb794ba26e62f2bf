/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A compute unit of several cores: a worker and some threads that help it with one unit's loops, each with
 * its share of the iterations. They run the body that is made for devices, on host memory. */
#ifndef AG_TEAM_H
#define AG_TEAM_H

#include "sys/binding.h"
#include <agglom/abi.h>

struct ag_team;

/* A team of `cores` threads, 2 or more, the caller of ag_team_run() among them. The others are bound to the
 * cores after `first`, unless binding is NULL. NULL when a thread cannot be started. */
struct ag_team *ag_team_new(unsigned cores, const struct ag_binding *binding, unsigned first);
void ag_team_free(struct ag_team *team); /* NULL is fine */

unsigned ag_team_cores(const struct ag_team *team);

/* Runs one unit of a task that has AGGLOM_TASK_SPLITTABLE and a body for the emulated device; returns when
 * all have done their share. One caller at a time. */
void ag_team_run(struct ag_team *team, const struct agglom_task *task, const void *args);

#endif /* AG_TEAM_H */
