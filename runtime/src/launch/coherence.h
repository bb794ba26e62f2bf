/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Data that is on a device already is not sent again. Host memory is the truth: what a batch writes reaches
 * it at the batch's commit, so copies on devices are only ever read by batches, and can be forgotten at any
 * time.
 *
 * A copy holds bytes that units were declared to use, no others, so nobody writes these while units that are
 * in flight use them. A copy is forgotten when its bytes change:
 *   - a batch writes them: at its launch, on all devices, but for the copy that it writes in place;
 *   - a unit writes them on the CPU: before it runs. A CPU-only unit may also hand on, free and reuse
 *     whatever it names, so copies of all that are forgotten;
 *   - the host writes them: it must have waited before, so each wait forgets all copies, and a wait for some
 *     memory the copies of that memory. Under `data`, copies of resident memory are kept until
 *     `update device` or the end of the block.
 *
 * A batch may use a copy while the batch that brings it is in flight. Its stream then follows that batch's
 * stream; it is committed after that batch, and fails with it. */
#ifndef AG_COHERENCE_H
#define AG_COHERENCE_H

#include "graph/sections.h"
#include "shared/slot.h"
#include <pthread.h>

struct ag_runtime;

/* Finds places on the slot's device for the batch whose bytes ag_stage_collect() has found, arranges it,
 * and reserves all that it needs: *block is its memory. What it writes is no longer current elsewhere. 0 or a
 * negative errno. The slot holds what was reserved, also after an error, until ag_slot_release(). */
int ag_coherence_place(struct ag_runtime *rt, struct ag_slot *slot, void **block);

/* Whether others may use what the batch brings before it is complete: they follow the milestone of its
 * stream. */
bool ag_coherence_followed(const struct ag_runtime *rt, const struct ag_slot *slot);

/* The batch is on its way: others may use what it brings. Before its slot is RUNNING. */
void ag_coherence_publish(struct ag_runtime *rt, struct ag_slot *slot);

/* Whether the batch, which is complete, may be committed: 0; -EAGAIN while one that it relies on is in
 * flight; -ESTALE when such a one has failed. */
int ag_coherence_settled(struct ag_runtime *rt, struct ag_slot *slot);

/* The batch has failed: what its device holds is not to be trusted. */
void ag_coherence_failed(struct ag_runtime *rt, struct ag_slot *slot);

/* To be called before these units, all of one task, run on the CPU: forgets copies that they make stale. */
void ag_coherence_on_cpu(struct ag_runtime *rt, struct ag_unit *const *units, size_t n);

/* The unit that is running, or is to, or NULL, may write what it names: all copies are forgotten where that
 * is not known (union ag_call). */
void ag_coherence_running(struct ag_runtime *rt, struct ag_unit *running);

/* The host may have written anything but resident memory. running: the CPU-only unit that has waited, or
 * NULL: it may have written what it is declared to write, resident or not. */
void ag_coherence_waited(struct ag_runtime *rt, struct ag_unit *running);

/* The host may have written these bytes: forgets their copies, those of resident memory only with
 * `resident`. */
void ag_coherence_written(struct ag_runtime *rt, const struct ag_access *access, size_t n, bool resident);

/* Whether a device has any copies. */
bool ag_coherence_keeps(const struct ag_runtime *rt);

/* No copy is kept. */
void ag_coherence_forget(struct ag_runtime *rt);

/* Memory that is resident as long as the block under `data` lasts; the structure and its accesses belong to
 * that block. */
struct ag_resident {
  const struct ag_access *access;
  size_t n;
  bool known; /* it counts; without memory nothing of it does, which is always right */
};
void ag_coherence_resident(struct ag_runtime *rt, struct ag_resident *block);
void ag_coherence_not_resident(struct ag_runtime *rt, struct ag_resident *block);

#endif /* AG_COHERENCE_H */
