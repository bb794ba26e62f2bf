/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The streams of a worker: who claims records of them, and when they are complete. */
#ifndef AG_STREAMS_H
#define AG_STREAMS_H

#include "fifo/fifo.h"

struct ag_runtime;

/* Opens the stream of a queue if its task's units can go that way. */
void ag_stream_init(const struct ag_runtime *rt, struct ag_task_queue *queue);

/* The thread that submits looks whether a launch is due after n more units; or with its next unit. For that
 * thread. */
void ag_stream_look_after(struct ag_stream *stream, uint64_t n);
void ag_stream_look_again(struct ag_stream *stream);

/* Hands the unclaimed records of a stream to take(), one after another, until that returns false. Records
 * that it takes are done with for the stream. Lock held. */
void ag_stream_move(struct ag_worker *of, struct ag_task_queue *queue,
                    bool (*take)(struct ag_worker *of, struct ag_task_queue *queue,
                                 const struct ag_record *record, const void *args,
                                 const struct agglom_range *ranges));

/* Whether w's unclaimed records are worth another thread's while, if they take as long as units of the
 * queue. */
bool ag_stream_worth(const struct ag_worker *w, const struct ag_task_queue *queue);

/* Claims some units of `of` for the thread of w; false when there are none, or too few to be worth its while.
 */
bool ag_stream_claim(struct ag_worker *w, struct ag_worker *of, struct ag_claim *claim);

/* Fills args with the argument structures of a claim. */
void ag_stream_args(const struct ag_claim *claim, const void **args);

/* The units of a claim have run. Calls each() with runs of units of one domain. Lock held. */
void ag_stream_done(const struct ag_claim *claim,
                    void (*each)(struct ag_domain *domain, unsigned n, void *context), void *context);

/* Whether units of the stream are not complete. Lock held. */
bool ag_stream_busy(const struct ag_stream *stream);

/* Returns how many units observe/ has not been told of, and counts them as told. Lock held. */
uint64_t ag_stream_tell(struct ag_stream *stream);

/* ag_stream_end(): the number of records so far. ag_stream_done_to(): whether the first n records are
 * complete. ag_stream_sleep_for(): a thread sleeps until the first n records are. Lock held. */
uint64_t ag_stream_end(const struct ag_stream *stream);
static inline bool ag_stream_done_to(const struct ag_stream *stream, uint64_t n) {
  return (stream->first ? stream->first->from
                        : atomic_load_explicit(&stream->claimed, memory_order_relaxed)) >= n;
}
static inline void ag_stream_sleep_for(struct ag_stream *stream, uint64_t n) {
  if (!stream->waited_to || n < stream->waited_to)
    stream->waited_to = n;
}

/* Whether the records are complete for which a thread sleeps, which is to be woken then; says so once. Lock
 * held. */
bool ag_stream_wakes(struct ag_stream *stream);

/* The number of first records among which are all incomplete units of the domain for which test() is true; 0:
 * there is none. test() is shown the sections of each as accesses. Lock held. */
uint64_t ag_stream_end_of(const struct ag_task_queue *queue, const struct ag_domain *d,
                          bool (*test)(const struct agglom_task *task, const struct ag_access *access,
                                       void *context),
                          void *context);

#endif /* AG_STREAMS_H */
