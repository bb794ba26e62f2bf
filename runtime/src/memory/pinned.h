/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of agglom_alloc(). Its larger pieces are page-locked when a batch first reads from them, and
 * from then on devices read it where it is: its bytes do not go through a staging buffer. That never matters
 * to a result: what cannot be page-locked is staged like any other memory.
 *
 * One device registers a piece, for all of its kind. The table outlives devices and runtimes, so memory may
 * be older and younger than both. A piece that a lost device has read is never given back: nobody can ask
 * that device whether it still reads.
 *
 * Any thread. Its lock is taken after all others, and never held while a device is called. */
#ifndef AG_PINNED_H
#define AG_PINNED_H

#include "device/device.h"
#include "memory/interval.h"

/* Fewest bytes that are worth a copy of their own. Asking for one costs the host some microseconds, and so
 * does another copy for what stands behind it in the staging buffer; in that time it packs about as many
 * bytes. */
enum { AG_DIRECT_LEAST = 64 << 10 };

/* Aligned to 256 bytes. NULL: no memory, or 0 bytes. */
void *ag_pinned_alloc(size_t bytes);
void ag_pinned_free(void *memory);

/* What of the n merged pieces dev can read in place: up to `most` parts of AG_DIRECT_LEAST bytes or more,
 * sorted. Returns their number. Registers memory that is used for the first time, which may take long. */
size_t ag_pinned_parts(struct ag_device *dev, const struct ag_interval *pieces, size_t n,
                       struct ag_interval *parts, size_t most);

/* Memory that dev has read in place is never given back: dev may still read it, as some of its work cannot be
 * waited for. */
void ag_pinned_hold(struct ag_device *dev);

/* To be called before the device is closed: it gives up all memory that it has registered or read. */
void ag_pinned_close(struct ag_device *dev);

/* Around fork(). Where the parent writes afterwards it may get another page than the one that is locked, so
 * what was locked is read in place no more. The child's devices are gone. */
void ag_pinned_before_fork(void);
void ag_pinned_after_fork(bool child);

#endif /* AG_PINNED_H */
