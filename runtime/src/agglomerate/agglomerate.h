/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which units of a FIFO go into one launch, and in which chains.
 *
 * The FIFO is scanned from its front. A unit is taken when each incomplete predecessor is already in the
 * batch; otherwise it is left for the next one. Then, for block and warp mapping:
 *
 *   no predecessor in the batch            -> a new chain
 *   it can follow the last unit of a chain -> appended there; predecessors in lower chains become flags
 *   else                                   -> a new chain that waits for flags
 *
 * so that a wavefront spreads over blocks, many updates of one cell form one chain, and a predecessor is
 * always in the same chain or in one of a lower index. In thread mapping there are no flags at first: a unit
 * whose predecessors lie in one chain is appended to it, and one with predecessors in several is left. Where
 * that makes long chains of units that need not follow one another, or leaves units, the batch is placed with
 * flags after all: then each thread must be alone in its block, for threads of a warp cannot be relied on to
 * wait for one another.
 *
 * Chains that wait for no flags may be begun in any order: the policy may want the dear ones first. In thread
 * mapping they stay as they are, for neighbours read neighbouring memory.
 *
 * A batch may grow until it is launched: what has arrived meanwhile is put behind what is there, by the same
 * rules. So is what joins it from the FIFOs of other workers: units of different workers never follow one
 * another. Edges are looked at under the lock of the worker that they belong to, while its units are taken.
 */
#ifndef AG_AGGLOMERATE_H
#define AG_AGGLOMERATE_H

#include "fifo/fifo.h"
#include "observe/observe.h"
#include "policy/launch/decide.h"
#include "policy/policy.h"

/* What one launch can take, and on what. */
struct ag_caps {
  size_t bytes;     /* of a device slot */
  uint64_t units;   /* by policy and application */
  uint64_t free;    /* units of a batch for a CPU that follow no other; 0: any number */
  uint64_t skip;    /* units at the front of the FIFO that are left for others */
  unsigned fill;    /* blocks that fill the device: long units are split up to it; 0 = do not split */
  unsigned threads; /* threads of a block */
  enum ag_map_choice map;
  bool dear_first; /* dear chains are begun before cheap ones */
};

/* A chain while its batch may grow: units linked by chain_next. */
struct ag_link {
  struct ag_unit *head, *tail;
  unsigned units;
  unsigned first; /* once it is laid out: the index of the head, */
  double cost;    /* and the cost of all its units */
};

/* A batch: formed by ag_agglomerate(), staged, launched, committed. Its arrays are kept from use to use. */
struct ag_batch {
  struct agglom_task *task;
  uint64_t stamp;
  /* Units in chain order; this is a program order for units that conflict. */
  struct ag_unit **units;
  unsigned n_units, n_calls;  /* calls that these are made of */
  uint64_t most;              /* most units that it may have, */
  size_t most_bytes;          /* and most bytes, also when others join it */
  double cost;                /* cost of its units, in all */
  struct ag_footprint memory; /* device memory that all its units need */
  bool flags;                 /* a unit may wait inside the kernel */
  bool crossed;               /* a unit waits in its chain for a unit that it does not follow */
  bool left;                  /* one was not taken, for it follows several chains */
  struct ag_link *links;
  unsigned *order; /* the chains (links) in the order of the launch */
  unsigned n_links;
  struct ag_unit **waits; /* units whose flags others wait for; see waits_at and n_waits of each unit */
  unsigned n_waits;
  /* Chain entries, in the order in which they are begun: those of a split unit stand in a row. */
  unsigned *start, *end, *part, *parts;
  unsigned n_chains;
  unsigned n_split; /* entries that are shares of split units */
  unsigned map;     /* who runs a chain: AGGLOM_MAP_THREAD, _BLOCK or _WARP */
  struct ag_map_view view;
  /* Flags: unit k waits for pred[pred_start[k]] .. pred[pred_start[k + 1] - 1]; none when n_preds is 0. */
  unsigned *pred_start, *pred;
  unsigned n_preds;
  const void **args; /* CPU: the argument structures of all calls, in order */
  struct ag_batch_record record;
  struct ag_decided asked;        /* for a device: what was decided when it was formed */
  uint64_t formed_ns, formed_seq; /* when, and how many units the first one's worker had submitted */
  /* Capacities of the arrays above: that of pred is that of waits. */
  unsigned cap_units, cap_args, cap_links, cap_chains, cap_preds;
  /* CPU: the arrays of a batch of one unit, where there is no memory for others. */
  struct ag_unit *last_unit[1];
  const void *last_args[AG_MOST_CALLS];
};

/* Device memory the launch arrays need at most for a batch of these numbers, beyond the footprints. */
size_t ag_batch_overhead(uint64_t units, uint64_t preds, const struct ag_caps *caps);

/* Whether a unit of this footprint fits into a slot of caps->bytes by itself. */
bool ag_batch_fits_alone(size_t footprint, const struct ag_caps *caps);

/* Moves units from the FIFO into the batch, which is empty or has been used before: 0, -EAGAIN when no
 * unit can be taken before others are complete, -ENOMEM (nothing is taken). Fewer are taken where there is
 * memory for fewer. For the device; it is to be laid out when all units are in. The caller holds the lock of
 * the FIFO's worker. stamp: no other batch has it. */
int ag_agglomerate(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps, uint64_t stamp);

/* Whether units of other workers' FIFOs may join the batch. They have chains of their own, each of which
 * would be worth a warp where units wait for flags in thread mapping. */
bool ag_batch_mixes(const struct ag_batch *batch);

/* Takes more units of its task into a batch that has been formed and not launched, from the FIFO that it
 * began with or from that of another worker. Returns how many; the batch is to be laid out anew then. The
 * caller holds the lock of the FIFO's worker. */
unsigned ag_batch_join(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps);

/* ag_batch_grow(): as ag_batch_join(), and takes units that could not enter the FIFO because they follow
 * units of the FIFO or of the batch. For the latter ag_batch_follow() is called first, with from = 0 and then
 * with what it returns, until that is n_units: it lets successors of units[from], and of the units behind
 * that are of the same queue, enter their FIFO, and returns the index of the first unit of another queue. The
 * caller holds the lock of the queue's worker. */
unsigned ag_batch_follow(const struct ag_batch *batch, unsigned from);
unsigned ag_batch_grow(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps);

/* Lays the chains out as launch arrays. No lock: the units that each one waits for were noted when it was
 * taken. */
void ag_batch_lay_out(struct ag_batch *batch, const struct ag_caps *caps);

/* ag_agglomerate() for the CPU, which runs the units one after another: caps->units counts, nothing else.
 * Never -ENOMEM: one unit needs no memory. */
int ag_agglomerate_for_cpu(struct ag_batch *batch, struct ag_fifo *fifo, const struct ag_caps *caps,
                           uint64_t stamp);

/* What is known of its mappings. */
struct ag_task_mapping *ag_task_mapping_new(void);
void ag_task_mapping_reset(struct ag_task_mapping *mapping);
void ag_task_mapping_free(struct ag_task_mapping *mapping);

/* A batch is complete: the time of its kernel tells which mapping suits later ones. */
void ag_batch_measured(const struct ag_batch *batch);

void ag_batch_free(struct ag_batch *batch); /* its arrays */

#endif /* AG_AGGLOMERATE_H */
