/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* '#pragma agglom for': a loop of the host program as units, each of them a chunk of its iterations. */
#include "device/device.h"
#include "launch/coherence.h"
#include "loops/direct.h"
#include "loops/hybrid_chunk.h"
#include "shared/runtime.h"
#include "submit/submit.h"
#include "sys/align.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/thread.h"
#include "wait/wait.h"
#include "workers/make.h"
#include <agglom/rt.h>

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

/* From what the program has written to what schedules are told. */
static double ratio_for(unsigned schedule, double ratio) {
  if (!(ratio >= 0))
    return 0;
  if (schedule == AGGLOM_SCHEDULE_ORACLE) /* percent; see policy/loop/oracle.c */
    return ratio == 0 ? -1 : ratio < 100 ? ratio / 100 : 1;
  return ratio;
}

/* For the report: which loop was cut into how many units. */
static void tell(struct ag_worker *w, const struct ag_for *call, uint64_t chunks, void *slot) {
  struct agglom_task *task = ag_runtime_reports(w->rt) && chunks ? ag_chunk_task(w, call, slot) : NULL;
  if (!task || !task->state)
    return;
  ag_observe_loop(task->state->observe, ag_loop_name(call->schedule),
                  ag_loop_argument(call->schedule, call->chunk, call->ratio));
  ag_observe_cut(task->state->observe, chunks, call->n);
}

/* Units that w submits from now on are of a loop that its thread waits for, or no longer. */
static void own_loop(struct ag_worker *w, bool begins) {
  ag_lock(&w->lock);
  ag_make_from_streams(w, true); /* records of streams are older than the loop */
  w->root.loop_from = begins ? w->seq + 1 : 0;
  ag_unlock(&w->lock);
}

/* Waits until all that this context has submitted is complete. Its error stays for the next wait, since a
 * loop is a statement that returns none. */
static int wait_here(struct ag_worker *w) {
  if (!w->current)
    return 0;
  ag_wait_for_own(w);
  return atomic_load(&w->current->error);
}

/* Waits for what iterations have left behind. The host may write what devices have copies of then. */
static void wait_for_left(struct ag_worker *w) {
  if (!ag_worker_idle_now(w))
    ag_wait_domain(w, w->current);
  if (w->rt->n_accelerators)
    ag_coherence_waited(w->rt, w->running);
}

/* The loop as units, which are all submitted at once, in the order of the iterations. */
static int as_units(struct ag_worker *w, const struct ag_for *call, unsigned flags) {
  struct ag_runtime *rt = w->rt;
  struct ag_schedule_view view = {
      .n = call->n, .kind = call->schedule, .chunk = call->chunk, .cpus = rt->cpus, .devices = 0};
  if (rt->config.split != AG_SPLIT_CPU && !call->cpus)
    view.devices = (unsigned)rt->n_accelerators;
  struct ag_schedule_cut cut = ag_schedule_cut(&view);
  size_t size = ag_align_up(call->slot_size, alignof(max_align_t)), all;
  char *slots = NULL;
  if (call->slot_size && (__builtin_mul_overflow(cut.chunks, size, &all) || !(slots = calloc(1, all))))
    return 1;
  tell(w, call, cut.chunks, slots);
  uint64_t begin = ag_clock_ns();
  /* One message says what is wrong with the sections of all chunks. */
  struct ag_domain *d = w->current;
  _Atomic bool said = false, *said_outside = d ? d->said : NULL;
  if (d)
    d->said = &said;
  uint64_t from = 0;
  for (uint64_t i = 0; i < cut.chunks; ++i) {
    uint64_t to = ag_schedule_from(&view, &cut, i + 1);
    call->submit(call->env, from, to, slots ? slots + i * size : NULL);
    from = to;
  }
  if (d)
    d->said = said_outside;
  if (flags & AGGLOM_FOR_NOWAIT)
    return 0;
  int err = wait_here(w);
  if (!err && call->cpus && call->n)
    ag_direct_learn_units(w, call, ag_clock_ns() - begin);
  for (uint64_t i = 0; slots && i < cut.chunks; ++i)
    call->combine(call->env, slots + i * size);
  free(slots);
  return err;
}

void agglom_for_begin(void) {
  struct ag_worker *w = ag_worker_here();
  if (w && (w->plain || (w->running && !w->current))) /* a unit that has submitted nothing */
    return;
  if (w && !w->running && !w->rt->n_accelerators && ag_wait_needless(w)) {
    ++w->waits; /* a short loop's way: no policies to be told, no cancellation to be put off */
    return;
  }
  AG_UNCANCELLED;
  if (w && w->running)
    ag_wait_for_own(w);
  else if (ag_wait_begins(&w), w)
    ag_wait_for_all(w);
}

int agglom_for(void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot),
               void (*combine)(void *env, const void *slot), void *env, unsigned long env_size,
               unsigned long slot_size, unsigned long long n, unsigned schedule, long long chunk,
               double ratio, unsigned flags) {
  (void)env_size; /* for schedules that go on after the return */
  struct ag_worker *w = ag_worker_here();
  struct ag_runtime *rt;
  if (slot_size > SIZE_MAX / 4 || (w && w->plain) || (!w && ag_emulated_here()) || !(rt = ag_runtime_get()) ||
      (!w && !(w = ag_worker_mine(rt))))
    return 1;
  AG_UNCANCELLED;
  struct ag_for call = {submit,
                        combine,
                        env,
                        slot_size,
                        n,
                        schedule,
                        chunk > 0 ? (uint64_t)chunk : 0,
                        ratio_for(schedule, ratio),
                        (flags & AGGLOM_FOR_EVEN) != 0,
                        (flags & AGGLOM_FOR_APART) != 0,
                        (flags & AGGLOM_FOR_CPU) != 0};
  bool waits = !(flags & AGGLOM_FOR_NOWAIT), chunks = n && waits;
  if (schedule == AGGLOM_SCHEDULE_RUNTIME) {
    call.schedule = rt->config.schedule.kind;
    call.chunk = rt->config.schedule.chunk;
    call.ratio = rt->config.schedule.ratio;
  }
  if (chunks && ag_worker_domain(w) && ag_direct_run(w, &call)) {
    if (call.cpus)
      wait_for_left(w);
    return atomic_load(&w->current->error);
  }
  bool outside = waits && !w->running;
  if (outside)
    own_loop(w, true);
  int err = chunks && !call.cpus && ag_worker_domain(w) && ag_hybrid_run(w, &call)
                ? wait_here(w)
                : as_units(w, &call, flags);
  if (err > 0 && waits && w->current) /* the loop will run as it stands */
    ag_wait_domain(w, w->current);
  if (outside)
    own_loop(w, false);
  return err;
}

int agglom_for_exactly(void) {
  const struct ag_worker *w = ag_worker_here();
  if (!w || !w->capture)
    return 1;
  w->capture->asked = true;
  return w->capture->exactly;
}
