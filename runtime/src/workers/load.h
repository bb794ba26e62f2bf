/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much work CPU units have: what threads say of it, and what policies ask. */
#ifndef AG_WORKERS_LOAD_H
#define AG_WORKERS_LOAD_H

#include "shared/load.h"

struct ag_fifo;
struct ag_runtime;
struct ag_worker;

/* Whether a policy asks for the load of CPU units: AGGLOM_SPLIT=auto, with a device. */
bool ag_load_wanted(const struct ag_runtime *rt);

/* The worker's thread does `doing` from now on, for ns by its estimate, 0: unknown. Returns what it did
 * before, which ag_load_end() makes it do again. */
struct ag_load_before {
  int doing;
  uint64_t until_ns;
};
struct ag_load_before ag_load_begin(struct ag_worker *w, enum ag_doing doing, uint64_t ns);
void ag_load_end(struct ag_worker *w, struct ag_load_before before);

/* A CPU-only unit of the high or the low class begins; and it ends: `unit` is what its begin has returned. */
struct ag_load_unit {
  struct ag_load_before before;
  uint64_t begun_ns; /* 0: no policy asks for it */
};
struct ag_load_unit ag_load_unit_begins(struct ag_worker *w, bool high);
void ag_load_unit_ends(struct ag_worker *w, bool high, struct ag_load_unit unit);

/* Tells that the content of this FIFO of `of` for devices has changed, or item_ns, the time of a CPU unit for
 * an item of it. Lock of `of` held. */
void ag_load_queued(struct ag_worker *of, struct ag_fifo *fifo, double item_ns);

/* Threads that run units which a device could have had, or spin: they will soon look after FIFOs, and
 * devices.
 */
unsigned ag_load_back_soon(const struct ag_runtime *rt);

/* Number of threads that look after FIFOs and devices now or soon: these, and those that sleep. */
unsigned ag_load_lookers(const struct ag_runtime *rt);

/* The load of all CPU units besides the units that a split decides about. here_ns: the time of CPU units for
 * those, which ag_load_queued() has counted in. self: the asking thread's worker if that has time, else NULL.
 * Any thread. */
struct ag_split_cpus ag_load_show(struct ag_runtime *rt, double here_ns, const struct ag_worker *self);

#endif /* AG_WORKERS_LOAD_H */
