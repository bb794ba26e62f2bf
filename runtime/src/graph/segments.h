/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who uses what of a line: memory by its addresses, or rows by their numbers. For disjoint segments of the
 * line the last writer and the readers since are remembered; see graph.h. */
#ifndef AG_SEGMENTS_H
#define AG_SEGMENTS_H

#include "graph/graph.h"

/* How an access uses memory: reads, writes, or else the operation it accumulates with, as the mode of its
 * section has it. Units with the same use share the memory, unless that is AG_WRITES. */
enum { AG_READS = 0, AG_WRITES = 1 };

/* Readers do not cut segments, as long as a segment has few: whether such a one uses a part, its sections
 * say. AG_PART: u reads some columns only. AG_EXACTLY: sections of many pieces, which are not to be asked. */
enum { AG_WHOLE, AG_PART, AG_EXACTLY };
enum { AG_TOO_MANY = 1 };

/* section: its number, for sections of one number mostly use what is near to each other. */
struct ag_use {
  unsigned how, extent, section;
};

/* u uses lo .. hi-1 in this way: it follows the incomplete units it conflicts with. 0 or -ENOMEM; with
 * AG_PART AG_TOO_MANY: u is to be recorded once more, of all columns. */
int ag_segments_use(struct ag_segments *of, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                    uintptr_t hi, const struct ag_use *use);

/* u uses the n pieces, sorted and disjoint, to read or write, and is recorded elsewhere: it follows the
 * incomplete units it conflicts with. 0; -ENOMEM; 1: there are some that accumulate, after which u is to be
 * recorded here. */
int ag_segments_follow(const struct ag_segments *of, struct ag_graph_store *store, struct ag_unit *u,
                       const struct ag_interval *pieces, size_t n, unsigned how);

/* Whether incomplete units accumulate in lo .. hi-1. */
bool ag_segments_accumulate(const struct ag_segments *of, uintptr_t lo, uintptr_t hi);

/* As ag_graph_users(); near: quickly where the section's memory is near what it was last. It gives up with
 * AG_TOO_MANY, which other users' each() may not return, where it would have to look at many segments. */
int ag_segments_users_near(struct ag_segments *of, unsigned section, uintptr_t lo, uintptr_t hi, bool writers,
                           int (*each)(struct ag_unit *unit, void *context), void *context);
int ag_segments_users(const struct ag_segments *of, uintptr_t lo, uintptr_t hi, bool writers,
                      int (*each)(struct ag_unit *unit, void *context), void *context);

/* Takes the records of lo .. hi-1 away: each segment of it, cut at both ends, is passed to take(), which may
 * add it elsewhere. Ends when that returns something else than 0, and returns that; or -ENOMEM. */
int ag_segments_take(struct ag_segments *of, struct ag_graph_store *store, uintptr_t lo, uintptr_t hi,
                     int (*take)(const struct ag_segment *segment, void *context), void *context);

/* Adds lo .. hi-1, which no segment overlaps, with the records of another segment. 0 or -ENOMEM. */
int ag_segments_copy(struct ag_segments *to, struct ag_graph_store *store, const struct ag_segment *from,
                     uintptr_t lo, uintptr_t hi);

/* Adds copies of all segments of another line, of which `to` has none. 0, or -ENOMEM: it has none. */
int ag_segments_copy_all(struct ag_segments *to, struct ag_graph_store *store, struct ag_segments *from);

/* Drops the records of complete units. */
void ag_segments_sweep(struct ag_segments *of, struct ag_graph_store *store);

/* Forgets all records. */
void ag_segments_clear(struct ag_segments *of, struct ag_graph_store *store);

/* Frees the array of readers that a segment has, or has kept when it was given back to the pool. It is to be
 * given back, or not to be used again. */
void ag_segments_free_readers(struct ag_graph_store *store, struct ag_segment *segment);

/* The bytes that a segment takes in the pool, and where it lies: from lo to hi - 1. */
size_t ag_segment_size(void);
struct ag_interval ag_segment_place(const struct ag_segment *segment);

#endif /* AG_SEGMENTS_H */
