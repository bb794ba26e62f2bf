/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What CPU units have to do: who says it, and who asks. */
#ifndef AG_WORKERS_LOAD_H
#define AG_WORKERS_LOAD_H

#include "shared/load.h"

struct ag_fifo;
struct ag_runtime;
struct ag_worker;

/* Whether anybody wants to know. */
bool ag_load_wanted(const struct ag_runtime *rt);

/* The worker's thread does this from now on, for so long as is believed. What it did until now is to be
 * handed back when that is over, and goes on then. */
struct ag_load_before {
  int doing;
  uint64_t until_ns;
};
struct ag_load_before ag_load_begin(struct ag_worker *w, enum ag_doing doing, uint64_t ns);
void ag_load_end(struct ag_worker *w, struct ag_load_before before);

/* A CPU-only unit of high or low class begins; and it has ended, with what the first has returned. */
struct ag_load_unit {
  struct ag_load_before before;
  uint64_t begun_ns; /* 0: nobody wants to know */
};
struct ag_load_unit ag_load_unit_begins(struct ag_worker *w, bool high);
void ag_load_unit_ends(struct ag_worker *w, bool high, struct ag_load_unit unit);

/* What is in this FIFO of `of` for devices has changed, or what a CPU unit takes for an item of it. The lock
 * of `of` is held. */
void ag_load_queued(struct ag_worker *of, struct ag_fifo *fifo, double item_ns);

/* Threads that run units which a device could have had: they will soon look after FIFOs, and devices. */
unsigned ag_load_sharers(const struct ag_runtime *rt);

/* Threads that have time to, or soon will have: these, and those that sleep. */
unsigned ag_load_lookers(const struct ag_runtime *rt);

/* What CPU units have to do besides some of what is in FIFOs, which takes them so long and which
 * ag_load_queued() has been told of; `self`: the thread that asks, where
 * that has time, or NULL. Any thread. */
struct ag_split_cpus ag_load_show(struct ag_runtime *rt, double here_ns, const struct ag_worker *self);

#endif /* AG_WORKERS_LOAD_H */
