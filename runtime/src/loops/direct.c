/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "loops/direct.h"

#include "loops/crew.h"
#include "loops/hybrid_state.h"
#include "loops/look.h"
#include "measure/meter.h"
#include "policy/loop/fork.h"
#include "sys/clock.h"
#include "wait/wait.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

/* A loop is known by its function. Entries are added, and never go while the runtime runs. */
struct known {
  alignas(AG_CACHE_LINE) void (*submit)(const void *env, unsigned long long from, unsigned long long to,
                                        void *slot);
  struct known *next;
  atomic_flag busy; /* a thread uses what follows: others do without */
  alignas(AG_CACHE_LINE) struct ag_fork_memory memory;
};

struct ag_direct {
  struct known *_Atomic at[BUCKETS];
};

struct ag_direct *ag_direct_new(void) { return calloc(1, sizeof(struct ag_direct)); }

void ag_direct_free(struct ag_direct *all) {
  for (unsigned i = 0; all && i < BUCKETS; ++i)
    for (struct known *k = atomic_load(&all->at[i]), *next; k; k = next) {
      next = k->next;
      free(k);
    }
  free(all);
}

static struct known *_Atomic *bucket(struct ag_direct *all, const struct ag_for *call) {
  return &all->at[(uintptr_t)call->submit * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

static struct known *find(struct known *first, const struct ag_for *call) {
  while (first && first->submit != call->submit)
    first = first->next;
  return first;
}

/* What is known of the loop, or something new. NULL: no memory. */
static struct known *remember(struct ag_direct *all, const struct ag_for *call) {
  struct known *_Atomic *at = bucket(all, call);
  struct known *first = atomic_load(at), *k = find(first, call);
  if (k || !(k = aligned_alloc(alignof(struct known), sizeof *k)))
    return k;
  memset(k, 0, sizeof *k);
  k->submit = call->submit;
  do {
    struct known *other = find(first, call);
    if (other) {
      free(k);
      return other;
    }
    k->next = first;
  } while (!atomic_compare_exchange_weak(at, &first, k));
  return k;
}

void ag_direct_learn(struct ag_runtime *rt, const struct ag_for *call, uint64_t iterations, uint64_t ns,
                     bool in_turn) {
  struct known *k = rt->loops.direct && iterations ? remember(rt->loops.direct, call) : NULL;
  if (!k || atomic_flag_test_and_set(&k->busy))
    return;
  ag_fork_learn(&k->memory, AG_FORK_DEALT, iterations, ns);
  ag_fork_in_turn(&k->memory, in_turn);
  atomic_flag_clear(&k->busy);
}

/* Threads that a short loop's shares are for. */
static unsigned threads_of(const struct ag_runtime *rt) { return rt->staying > 1 ? rt->staying : rt->cpus; }

void ag_direct_learn_units(struct ag_worker *w, const struct ag_for *call, uint64_t ns) {
  struct ag_runtime *rt = w->rt;
  struct known *k = rt->loops.direct ? remember(rt->loops.direct, call) : NULL;
  if (!k || atomic_flag_test_and_set(&k->busy))
    return;
  ag_fork_learn(&k->memory, AG_FORK_DEALT, call->n, ns * threads_of(rt)); /* or less */
  if (w->running || w->pool) /* this is what is in place of a crew, which only host threads lead */
    ag_fork_learn(&k->memory, AG_FORK_CREW, call->n, ns);
  ag_fork_in_turn(&k->memory, false);
  atomic_flag_clear(&k->busy);
}

/* Threads of the pool that are awake, about. */
static unsigned awake(const struct ag_runtime *rt) {
  unsigned asleep = atomic_load_explicit(&rt->sleepers, memory_order_relaxed);
  return asleep + 1 < rt->cpus ? rt->cpus - 1 - asleep : 0;
}

/* What a schedule leaves to the runtime. */
enum kind {
  ASKED,  /* nothing: it is asked, however short the loop is */
  FREE,   /* who runs what, where the loop is short */
  BLOCKS, /* there, whether threads that sleep are woken: each has one block */
  CHUNKS  /* who runs which of the chunks, which have one size */
};

static bool uses_devices(const struct ag_runtime *rt, const struct ag_for *call) {
  return !call->cpus && ag_runtime_uses_devices(rt);
}

/* Where there are devices all are asked but `auto`. Where there are none, those that find out how to share a
 * loop with devices have nothing to find out. */
static enum kind kind_of(const struct ag_runtime *rt, const struct ag_for *call) {
  if (call->schedule == AGGLOM_SCHEDULE_AUTO)
    return call->chunk ? ASKED : FREE;
  if (uses_devices(rt, call))
    return ASKED;
  switch (call->schedule) {
  case AGGLOM_SCHEDULE_DYNAMIC:
    return call->chunk ? CHUNKS : FREE;
  case AGGLOM_SCHEDULE_LOGFIT:
  case AGGLOM_SCHEDULE_CONCORD:
  case AGGLOM_SCHEDULE_HDSS:
  case AGGLOM_SCHEDULE_ORACLE:
    return FREE;
  case AGGLOM_SCHEDULE_STATIC:
    return call->chunk ? CHUNKS : BLOCKS;
  case AGGLOM_SCHEDULE_STATIC_PCF:
    return BLOCKS;
  default:
    return ASKED;
  }
}

static void tell(const struct ag_for *call, const struct ag_run_result *result) {
  if (!result->task || !result->task->state)
    return;
  struct ag_observe_task *observe = result->task->state->observe;
  ag_observe_loop(observe, ag_loop_name(call->schedule),
                  ag_loop_argument(call->schedule, call->chunk, call->ratio));
  ag_observe_pieces(observe, result->pieces, call->n, result->ns);
}

/* *now: the time, where that matters. */
static struct ag_fork_view view_of(const struct ag_runtime *rt, const struct ag_for *call, uint64_t *now) {
  struct ag_fork_view view = {.n = call->n,
                              .cpus = threads_of(rt),
                              .awake = awake(rt),
                              .lingers = rt->staying > 1,
                              .devices = uses_devices(rt, call),
                              .since_ns = UINT64_MAX,
                              .wanted_ns = UINT64_MAX};
  if (rt->loops.crew && !view.awake) { /* else it makes no difference */
    *now = ag_clock_ns();
    view.since_ns = ag_crew_since(rt->loops.crew, *now);
    view.wanted_ns = ag_crew_wanted_since(rt->loops.crew, *now);
  }
  return view;
}

/* What to do with the loop: DEALT where another thread asks at this moment. */
static struct ag_fork_choice choose(const struct ag_runtime *rt, struct known *k, const struct ag_for *call) {
  uint64_t now = 0;
  struct ag_fork_choice choice = {.way = AG_FORK_DEALT, .piece = call->n};
  if (atomic_flag_test_and_set(&k->busy))
    return choice;
  struct ag_fork_view view = view_of(rt, call, &now);
  choice = ag_fork_choose(&k->memory, &view);
  if (choice.wanted && now)
    ag_crew_wanted(rt->loops.crew, now);
  atomic_flag_clear(&k->busy);
  return choice;
}

/* lingers: threads of a crew do, so that what one that has been woken took tells little of the next. */
static void learn(struct known *k, const struct ag_fork_choice *choice, uint64_t n, int err, bool lingers,
                  const struct ag_run_result *result) {
  if ((err && err != -EDEADLK) || atomic_flag_test_and_set(&k->busy))
    return;
  if (err)
    ag_fork_refused(&k->memory, n);
  else if (choice->way == AG_FORK_ALONE || !lingers || (!choice->wake && result->helped))
    ag_fork_learn(&k->memory, choice->way, n, result->ns); /* else it says nothing of a crew that is awake */
  atomic_flag_clear(&k->busy);
}

/* The loop has been run, and this is what came of it. */
static void over(struct ag_worker *w, const struct ag_for *call, const struct ag_run_result *result) {
  if (result->err)
    ag_domain_fail(w->current, result->err);
  if (result->linger_ns)
    ag_hybrids_linger(w->rt, result->linger_ns);
  tell(call, result);
  if (result->task && result->task->state)
    ag_runtime_miss_device(w->rt, result->task);
}

/* A loop of chunks of one size, by a crew. */
static bool run_chunks(struct ag_worker *w, const struct ag_for *call) {
  struct ag_runtime *rt = w->rt;
  struct known *k = remember(rt->loops.direct, call);
  uint64_t now;
  struct ag_fork_view view = view_of(rt, call, &now);
  struct ag_run_result result = {0};
  struct ag_crew_deal deal = {call->schedule == AGGLOM_SCHEDULE_STATIC ? AG_CREW_TURNS : AG_CREW_CHUNKS,
                              call->chunk, view.awake == 0};
  if (!k)
    return false;
  if (call->n <= call->chunk) {
    if (!ag_is_one_unit(w, call) || !ag_run_alone(w, call, true, &result))
      return false;
    over(w, call, &result);
    return true;
  }
  if (deal.wake && !atomic_flag_test_and_set(&k->busy)) {
    deal.wake = ag_fork_wakes(&k->memory, &view);
    atomic_flag_clear(&k->busy);
  }
  if (ag_crew_run(w, call, &deal, &result))
    return false;
  struct ag_fork_choice choice = {.way = result.helped ? AG_FORK_CREW : AG_FORK_ALONE, .wake = deal.wake};
  learn(k, &choice, call->n, 0, view.lingers, &result);
  over(w, call, &result);
  return true;
}

/* A loop that goes as the last time, by its thread alone. It may take no longer than what is known of it
 * takes to come from a cache that is farther away, so this looks at little. */
static bool run_again(struct ag_worker *w, const struct ag_for *call, struct known *k) {
  struct ag_run_result result = {0};
  if (atomic_flag_test_and_set(&k->busy))
    return false;
  bool again = ag_fork_again(&k->memory, call->n);
  atomic_flag_clear(&k->busy);
  if (!again || !ag_run_alone(w, call, false, &result))
    return false;
  if (result.err)
    ag_domain_fail(w->current, result.err);
  else if (result.task && result.task->state)
    ag_observe_again(result.task->state->observe, call->n);
  return true;
}

static bool run_freely(struct ag_worker *w, const struct ag_for *call, struct known *k, bool blocks) {
  struct ag_fork_choice choice = choose(w->rt, k, call);
  struct ag_run_result result = {0};
  int err = 0;
  if (choice.way == AG_FORK_DEALT || (blocks && choice.refused))
    return false;
  if (blocks)
    choice.way = AG_FORK_CREW;
  struct ag_crew_deal deal = {blocks ? AG_CREW_BLOCKS : AG_CREW_SHARES, choice.piece, choice.wake};
  if (choice.way == AG_FORK_CREW)
    err = ag_crew_run(w, call, &deal, &result);
  else if (!ag_run_alone(w, call, true, &result))
    err = -ENOMEM;
  learn(k, &choice, call->n, err, w->rt->staying > 1, &result);
  result.ns *= choice.stands_for;
  if (!err)
    over(w, call, &result);
  return !err;
}

bool ag_direct_run(struct ag_worker *w, const struct ag_for *call) {
  enum kind kind = kind_of(w->rt, call);
  if (kind == ASKED || !w->rt->loops.direct || w->team)
    return false;
  if (!ag_worker_idle_now(w))
    ag_wait_domain(w, w->current); /* the loop may use what units in flight write */
  if (kind == CHUNKS)
    return run_chunks(w, call);
  /* One thread alone does not cut a loop, so that it computes what the program does without the pragma. */
  bool only = threads_of(w->rt) == 1 && !uses_devices(w->rt, call);
  struct known *k =
      only ? remember(w->rt->loops.direct, call) : find(atomic_load(bucket(w->rt->loops.direct, call)), call);
  return k && ((kind == FREE && run_again(w, call, k)) || run_freely(w, call, k, kind == BLOCKS));
}
