/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the host does about memory while units are in flight: `wait on`, `update`, `data`.
 *
 * Host memory is current whenever no unit in flight writes it. So each of these directives waits for the
 * units that are in the way, and forgets the copies on devices that the host may make stale. It looks at the
 * units of all host threads, or of one context. An incomplete unit is in the list of its context, also an
 * `independent` one, or in a stream; what the children of a unit use is covered by the unit's own
 * sections. */
#include "device/device.h"
#include "graph/sections.h"
#include "launch/coherence.h"
#include "shared/life.h"
#include "shared/runtime.h"
#include "sys/log.h"
#include "sys/thread.h"
#include "wait/wait.h"
#include "workers/make.h"
#include "workers/streams.h"
#include <agglom/rt.h>

#include <errno.h>
#include <stdlib.h>

enum { MOST_SECTIONS_HERE = 8 }; /* more than these take memory from the heap */

/* Sections of a directive as bytes. mode as in struct agglom_section. */
struct uses {
  unsigned n;
  const struct agglom_section *at; /* NULL: one INOUT */
  const struct ag_access *access;
};

static unsigned mode_of(const struct uses *uses, unsigned i) {
  return uses->at ? uses->at[i].mode : AGGLOM_INOUT;
}

static bool writes(unsigned mode) { return (mode & (AGGLOM_OUT | AGGLOM_ACCUMULATE)) != 0; }

/* Whether the host must not use the memory so before a unit with these accesses is complete. */
static bool in_the_way(const struct agglom_task *task, const struct ag_access *access, void *context) {
  const struct uses *uses = context;
  for (unsigned i = 0; i < task->n_sections; ++i)
    for (unsigned k = 0; k < uses->n; ++k)
      if ((writes(task->sections[i].mode) || writes(mode_of(uses, k))) &&
          ag_access_overlap(&access[i], &uses->access[k]))
        return true;
  return false;
}

/* Where add() puts goals, and the worker of their units. */
struct found {
  struct ag_goals *goals;
  struct ag_worker *of;
};

static int add(struct ag_unit *u, void *context) {
  const struct found *to = context;
  const struct ag_goal *last = to->goals->n ? &to->goals->at[to->goals->n - 1] : NULL;
  if (last && last->kind == AG_GOAL_UNIT && last->unit == u) /* many pieces of one unit */
    return 0;
  bool fine = ag_goals_add(to->goals,
                           (struct ag_goal){.of = to->of, .unit = u, .number = u->seq, .kind = AG_GOAL_UNIT});
  return fine ? 0 : -ENOMEM;
}

/* Adds goals for the units of domain d, of worker w, that are in the way. 0 or -ENOMEM. */
static int find(struct ag_worker *w, struct ag_domain *d, struct uses *uses, struct ag_goals *goals) {
  struct found to = {goals, w};
  int err = 0;
  if (ag_worker_idle_now(w))
    return 0;
  ag_lock(&w->lock);
  ag_make_from_streams(w, true);
  for (unsigned t = 0; t < w->n_queues && !err; ++t) {
    const struct ag_task_queue *q = w->queues[t];
    uint64_t end = q && q->stream.open ? ag_stream_end_of(q, d, in_the_way, uses) : 0;
    struct ag_goal goal = {.of = w, .task = t, .number = end, .kind = AG_GOAL_STREAM};
    if (end && (q->stream.to_fifo || !ag_goals_add(goals, goal))) /* to_fifo: no memory for units */
      err = -ENOMEM;
  }
  for (struct ag_unit *u = d->independent ? d->live : NULL; u && !err; u = u->live_next)
    if ((u->task->flags & AGGLOM_TASK_INDEPENDENT) && in_the_way(u->task, u->access, uses))
      err = add(u, &to);
  for (unsigned k = 0; k < uses->n && !err; ++k)
    for (size_t i = 0; i < ag_access_pieces(&uses->access[k]) && !err; ++i) {
      struct ag_interval piece = ag_access_piece(&uses->access[k], i);
      err = ag_graph_users(&d->graph, piece.lo, piece.hi, !writes(mode_of(uses, k)), add, &to);
    }
  ag_unlock(&w->lock);
  return err;
}

/* Whose units a directive waits for. */
enum whose { OF_ALL, OWN };

/* The calling thread's worker, or NULL when there is nothing to wait for. In a task *whose becomes OWN: only
 * the task's own children are waited for. */
static struct ag_worker *waiter(enum whose *whose) {
  struct ag_worker *w = ag_worker_here();
  if (w && w->running)
    *whose = OWN;
  if (*whose == OF_ALL && !w)
    ag_wait_begins(&w);
  return w && !w->plain && w->current ? w : NULL;
}

static void wait_for_whole(struct ag_worker *w, enum whose whose) {
  if (whose == OF_ALL)
    ag_wait_all(w);
  else
    ag_wait_domain(w, w->current);
}

static void wait_for(struct uses *uses, enum whose whose) {
  struct ag_worker *w = waiter(&whose);
  struct ag_goals goals = {0};
  if (!w)
    return;
  int err = 0;
  for (struct ag_worker *v = whose == OF_ALL ? atomic_load(&w->rt->hosts) : NULL; v && !err; v = v->next_host)
    if (v != w)
      err = find(v, &v->root, uses, &goals);
  if (!err)
    err = find(w, w->current, uses, &goals);
  if (!err) {
    ag_wait_goals(w, &goals, whose == OWN ? w->current : NULL);
    return;
  }
  ag_goals_free(&goals);
  wait_for_whole(w, whose); /* no memory: all is more than enough */
}

/* What the host may do after a directive makes copies on devices stale. */
static void written(const struct uses *uses, bool resident) {
  struct ag_worker *w = ag_worker_here();
  struct ag_runtime *held = w ? NULL : ag_life_hold(), *rt = w ? w->rt : held;
  for (unsigned k = 0; rt && k < uses->n; ++k)
    if (writes(mode_of(uses, k)))
      ag_coherence_written(rt, &uses->access[k], 1, resident);
  if (w)
    ag_coherence_running(rt, w->running);
  ag_life_let_go(held);
}

/* Waits for all units, as it is not known which ones are meant. Returns 0 for -ENOMEM, else err, which the
 * context's next wait returns as well. */
static int wait_for_all(int err, enum whose whose) {
  struct ag_worker *w = waiter(&whose);
  if (!w)
    return err == -ENOMEM ? 0 : err;
  wait_for_whole(w, whose);
  ag_coherence_forget(w->rt);
  if (err == -ENOMEM)
    return 0;
  if (err)
    ag_domain_fail(w->current, err);
  return err;
}

static bool in_kernel_unit(void) {
  struct ag_worker *w = ag_worker_here();
  return w && w->plain;
}

/* resident: copies of resident memory are forgotten, too. */
static int wait_for_sections(const struct agglom_directive *at, const struct agglom_range *ranges,
                             bool resident, enum whose whose) {
  AG_UNCANCELLED;
  struct ag_access few[MOST_SECTIONS_HERE], *access = few;
  struct ag_owner of = {.directive = at};
  if (in_kernel_unit())
    return 0;
  if (at->n_sections > MOST_SECTIONS_HERE)
    access = malloc(at->n_sections * sizeof *access);
  int err = access ? ag_sections_check(&of, at->sections, at->n_sections, ranges, access) : -ENOMEM;
  if (err) {
    err = wait_for_all(err, whose);
  } else {
    struct uses uses = {at->n_sections, at->sections, access};
    wait_for(&uses, whose);
    written(&uses, resident);
    ag_sections_release(access, at->n_sections);
  }
  if (access != few)
    free(access);
  return err;
}

int agglom_wait_sections(const struct agglom_directive *at, const struct agglom_range *ranges) {
  return wait_for_sections(at, ranges, false, OF_ALL);
}

int agglom_wait_own_sections(const struct agglom_directive *at, const struct agglom_range *ranges) {
  return wait_for_sections(at, ranges, false, OWN);
}

/* host(...): whoever writes it is complete, and with that its bytes are in host memory. device(...): no unit
 * in flight uses what the host has written; those submitted from now on get the new bytes. */
int agglom_update_sections(const struct agglom_directive *at, const struct agglom_range *ranges) {
  return wait_for_sections(at, ranges, true, OF_ALL);
}

static int wait_on(const char *caller, const void *memory, size_t bytes, enum whose whose) {
  AG_UNCANCELLED;
  struct ag_access access = {(uintptr_t)memory, (uintptr_t)memory, NULL};
  if (in_kernel_unit())
    return 0;
  if ((!memory && bytes) || __builtin_add_overflow(access.lo, bytes, &access.hi)) {
    ag_error("%s(%p, %zu): these are not %zu bytes of memory; all units are waited for", caller, memory,
             bytes, bytes);
    return wait_for_all(-EINVAL, whose);
  }
  struct uses uses = {1, NULL, &access};
  wait_for(&uses, whose);
  written(&uses, false);
  return 0;
}

int agglom_wait_on(const void *memory, size_t bytes) {
  return wait_on("agglom_wait_on", memory, bytes, OF_ALL);
}

int agglom_wait_own_on(const void *memory, size_t bytes) {
  return wait_on("agglom_wait_own_on", memory, bytes, OWN);
}

/* --- Blocks under `data` -------------------------------------------------------------------------- */

/* What is resident in a block, as it was when the block began. */
struct block {
  const struct agglom_directive *at;
  struct ag_resident resident;
  struct ag_access access[];
};

void *agglom_data_begin(const struct agglom_directive *at, const struct agglom_range *ranges) {
  AG_UNCANCELLED;
  struct ag_owner of = {.directive = at};
  if (in_kernel_unit())
    return NULL;
  struct block *b = malloc(sizeof *b + at->n_sections * sizeof *b->access);
  if (!b)
    return NULL;
  b->at = at;
  int err = ag_sections_check(&of, at->sections, at->n_sections, ranges, b->access);
  if (!err && !ag_emulated_here())
    ag_runtime_get(); /* starts it */
  struct ag_runtime *rt = err || ag_emulated_here() ? NULL : ag_life_hold();
  b->resident = (struct ag_resident){b->access, at->n_sections, false};
  if (rt)
    ag_coherence_resident(rt, &b->resident);
  ag_life_let_go(rt);
  if (!err)
    return b;
  free(b);
  struct ag_worker *w = ag_worker_here();
  if (err == -EINVAL && w && w->current)
    ag_domain_fail(w->current, err);
  return NULL;
}

void agglom_data_end(void *block) {
  AG_UNCANCELLED;
  struct block *b = block;
  if (!b) {
    wait_for_all(0, OF_ALL);
    return;
  }
  wait_for(&(struct uses){b->at->n_sections, b->at->sections, b->access}, OF_ALL);
  struct ag_runtime *rt = ag_life_hold();
  if (rt)
    ag_coherence_not_resident(rt, &b->resident);
  ag_life_let_go(rt);
  ag_sections_release(b->access, b->at->n_sections);
  free(b);
}
