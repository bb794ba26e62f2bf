/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Learns what power each side of the machine (its CPU units, each device) takes while it works and while it
 * does not, for AGGLOM_OBJECTIVE. CPU units are as busy as the process's CPU time says, devices while a batch
 * is on them. With the objective time nothing here does anything. Has a lock of its own, which is taken after
 * all others but that of AGGLOM_MODELS and of the meters. */
#ifndef AG_METER_H
#define AG_METER_H

#include "policy/model/objective.h"

struct ag_runtime;

/* To be called after the meters and AGGLOM_MODELS were started. If some power cannot be read, one warning
 * says so. */
void ag_meter_start(struct ag_runtime *rt);

/* To be called when a batch is formed, when one is complete, and when a loop begins and ends. Meters are read
 * ten times a second. */
void ag_meter_tick(const struct ag_runtime *rt);

/* The objective, with the powers that are known by now. Any thread. */
struct ag_objective ag_meter_objective(void);

/* Why the objective had no effect, and time was minimised instead; "" where it had, and where it is time. */
enum { AG_POWERS_WHY = 352 };
void ag_meter_why_not(char text[AG_POWERS_WHY]);

/* What was learnt goes to AGGLOM_MODELS. */
void ag_meter_keep(void);

void ag_meter_stop(void);

/* In a child after fork(). */
void ag_meter_forsake(void);

#endif /* AG_METER_H */
