/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How the iterations of a loop are dealt out to CPU units and devices (schedule(...), AGGLOM_SCHEDULE). Like
 * all policies a pure state machine: it is told the time and what took how long, and says what runs next. The
 * runtime, agglom-sim and the unit tests drive the same object files. Nothing here allocates, blocks or
 * fails; callers synchronise access to a state themselves.
 *
 * Whatever the policies compute from whatever times they are told, the frame around them (deal.c) sees
 * to it that each iteration is granted once, no grant is empty, and somebody gets something as long as
 * anything is left. */
#ifndef AG_LOOP_H
#define AG_LOOP_H

#include "policy/model/objective.h"
#include <agglom/abi.h> /* enum agglom_schedule */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Units have numbers: 0 .. cpus-1 are the CPU units, cpus .. cpus+devices-1 the devices. */
struct ag_loop_machine {
  unsigned cpus, devices; /* one at least in all */
  const unsigned *lanes;  /* compute units of each device (multiprocessors); NULL: 1 each */
  const uint64_t *most;   /* iterations that one chunk on each device can have; NULL or 0: any */
};
static inline unsigned ag_loop_units(const struct ag_loop_machine *m) { return m->cpus + m->devices; }

struct ag_loop_view {
  struct ag_loop_machine machine;
  uint64_t n;     /* iterations */
  unsigned kind;  /* enum agglom_schedule; RUNTIME and unknown ones are AUTO */
  uint64_t chunk; /* iterations in a chunk; 0: the schedule chooses */
  double ratio;   /* what the schedule is told, see the .c file of each; 0: it finds out or has a default */
  struct ag_objective objective; /* all zero: time. Else one side may get all that no plan gives away */
  const double *cost; /* relative sizes of the n iterations, or NULL. Nonsense (< 0, NaN, inf) counts as 0 */
};

enum ag_loop_answer {
  AG_LOOP_NONE = 0, /* nothing for this unit in this execution, unless ag_loop_lost() gives something back */
  AG_LOOP_LATER,    /* ask again when some chunk of this execution is done */
  AG_LOOP_RUN       /* run the iterations from .. to - 1 */
};
struct ag_loop_grant {
  enum ag_loop_answer what;
  uint64_t from, to;
};

/* Chunks that one unit may have been granted and not done; beyond, it is told LATER, unless all is planned.
 */
enum { AG_LOOP_IN_FLIGHT = 4 };

struct ag_loop;

/* Bytes of memory for the state of this loop, to be aligned as malloc() does and zeroed at first. What
 * policies remember from one execution to the next ("time step") is in there, so keep it with the loop. When
 * kind or machine change, the next ag_loop_begin() forgets it all. When n changes, ask again for the bytes,
 * and move the content to the larger memory, the rest of which is zeroed: policies that do not hang on n keep
 * what they know. */
size_t ag_loop_state_bytes(const struct ag_loop_view *view);

/* An execution begins. What view points to must stay until ag_loop_end(). */
struct ag_loop *ag_loop_begin(void *state, const struct ag_loop_view *view);

/* True: what each unit gets in this execution is fixed already. LATER does not occur, and all grants may be
 * taken before anything runs; those beyond AG_LOOP_IN_FLIGHT of one unit stay its own when it is lost: the
 * caller sees to them and reports them done for it all the same. False: each grant begins where the last one
 * ended, whoever it is for; only what a lost unit gives back comes out of turn. */
bool ag_loop_planned(const struct ag_loop *loop);

/* A unit asks for work. Units are numbers: who serves them may change from chunk to chunk. Some CPU unit must
 * go on asking until it is told NONE, where there are CPU units: devices may be told NONE while iterations
 * are left that are better done there. */
struct ag_loop_grant ag_loop_next(struct ag_loop *loop, unsigned unit, uint64_t now_ns);

/* How long single iterations of a chunk took, to be told right before its ag_loop_done(): ns[i] is that of
 * from + i. Policies that want it spread the time of the chunk evenly, or by cost, when they are not told. */
void ag_loop_items(struct ag_loop *loop, uint64_t from, uint64_t to, const double *ns);

/* A granted chunk is done; it took ns from its grant on, transfers included. 0 and nonsense are put up with.
 * False: it was not this unit's, so its results must not count; after ag_loop_lost() others have got it. */
bool ag_loop_done(struct ag_loop *loop, unsigned unit, uint64_t from, uint64_t to, uint64_t ns);

/* A unit is gone for the rest of this execution. What it had been granted and had not done goes to others.
 * True: something is to be given away, so units that were told NONE must ask again. */
bool ag_loop_lost(struct ag_loop *loop, unsigned unit);

/* Iterations that are not done; 0: the execution is complete. */
uint64_t ag_loop_left(const struct ag_loop *loop);

/* The execution is over (complete or given up): policies learn from it. */
void ag_loop_end(struct ag_loop *loop);

/* An adaptive schedule has found what it looked for: executions to come are cut alike. Always true for
 * others. */
bool ag_loop_settled(const struct ag_loop *loop);

/* --- Between runs of a program -------------------------------------------------------------------- */

/* What a schedule has measured of one unit: a few numbers under a word that says what they are. */
struct ag_loop_memo {
  const char *what;
  unsigned unit, n;
  const double *x; /* n numbers, AG_LOOP_MEMO_MOST at most */
};
enum { AG_LOOP_MEMO_MOST = 128 };

/* Tells all that a later run can begin with, if the state was ever used. Not during an execution. */
void ag_loop_keep(const void *state, void (*put)(void *to, const struct ag_loop_memo *memo), void *to);

/* Makes zeroed memory the state of a loop of which these memos are known. False: some made no sense, and were
 * left out. */
bool ag_loop_seed(void *state, const struct ag_loop_view *view, const struct ag_loop_memo *memos, unsigned n);

/* What a schedule is called, "logfit"; never NULL. */
const char *ag_loop_name(unsigned kind);

/* The number behind a schedule's name as the user writes it ("dynamic:64", "oracle:30"); below 0: none. */
double ag_loop_argument(unsigned kind, uint64_t chunk, double ratio);

/* The first iteration of part i of n iterations in `parts` parts whose sizes differ by one at most; n for
 * parts. */
uint64_t ag_loop_part(uint64_t n, uint64_t parts, uint64_t i);

#endif /* AG_LOOP_H */
