/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frame around the policies of loops: who has been granted what. Work that a lost unit left comes first,
 * then the unit's own share, then the shares of lost units, then the pool. */
#include "policy/loop/state.h"

#include <string.h>

static size_t padded(size_t size) { return ag_align_up(size, _Alignof(max_align_t)); }

/* Where the policy's own bytes begin. */
static size_t own_at(unsigned units) {
  return padded(sizeof(struct ag_loop)) + padded(units * sizeof(struct ag_loop_unit));
}

size_t ag_loop_state_bytes(const struct ag_loop_view *view) {
  const struct ag_loop_policy *policy = ag_loop_policy(view->kind);
  return own_at(ag_loop_units(&view->machine)) + padded(policy->bytes ? policy->bytes(view) : 0);
}

/* Pointers are set anew each time: the memory may have moved. */
struct ag_loop *ag_loop_begin(void *state, const struct ag_loop_view *view) {
  struct ag_loop *loop = state;
  const struct ag_loop_policy *policy = ag_loop_policy(view->kind);
  unsigned units = ag_loop_units(&view->machine);
  size_t before_mine = own_at(units);
  const struct ag_loop_view *last = &loop->view;
  bool fresh = loop->policy != policy || last->machine.cpus != view->machine.cpus ||
               last->machine.devices != view->machine.devices;
  if (fresh)
    memset(state, 0, ag_loop_state_bytes(view));
  else if (policy->by_items && (last->n != view->n || last->chunk != view->chunk)) {
    memset((char *)state + before_mine, 0, ag_loop_state_bytes(view) - before_mine);
    fresh = true;
  }
  struct ag_loop_unit *unit = (void *)((char *)state + padded(sizeof *loop));
  unsigned executions = loop->executions + 1;
  for (unsigned u = 0; u < units; ++u) {
    const struct ag_loop_unit was = unit[u];
    unit[u] = (struct ag_loop_unit){.rate = was.rate,
                                    .span = was.span,
                                    .done_before = was.done ? was.done : was.done_before,
                                    .ns_before = was.done ? was.ns : was.ns_before};
  }
  *loop = (struct ag_loop){.policy = policy,
                           .view = *view,
                           .units = units,
                           .executions = executions,
                           .high = view->n,
                           .unit = unit,
                           .mine = (char *)state + before_mine};
  if (policy->begin)
    policy->begin(loop, fresh);
  loop->planned = loop->low == loop->high;
  return loop;
}

/* --- Granting --------------------------------------------------------------------------------------------
 */

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t most_of(const struct ag_loop *loop, unsigned u) {
  const uint64_t *most = loop->view.machine.most;
  if (!most || !ag_loop_is_device(loop, u) || !most[u - loop->view.machine.cpus])
    return UINT64_MAX;
  return most[u - loop->view.machine.cpus];
}

/* Work of lost units is for all the others, so each takes a part of what there is. */
static uint64_t part_of_lost(const struct ag_loop *loop, unsigned u, uint64_t size) {
  uint64_t alive = loop->units - loop->lost;
  return least(most_of(loop, u), ag_ceil(size, alive));
}

static bool take_given_back(struct ag_loop *loop, unsigned u, uint64_t *from, uint64_t *to) {
  for (unsigned other = 0; other < loop->units && loop->given_back; ++other)
    for (unsigned i = 0; i < AG_LOOP_IN_FLIGHT; ++i) {
      struct ag_loop_unit *unit = &loop->unit[other];
      if (unit->slot[i].state != AG_LOOP_GIVEN_BACK)
        continue;
      *from = unit->slot[i].from;
      *to = *from + part_of_lost(loop, u, unit->slot[i].to - *from);
      unit->slot[i].from = *to;
      if (*to == unit->slot[i].to) {
        unit->slot[i].state = AG_LOOP_FREE;
        --loop->given_back;
      }
      return true;
    }
  return false;
}

static bool take_share(struct ag_loop *loop, unsigned owner, unsigned taker, uint64_t *from, uint64_t *to) {
  struct ag_loop_share *s = &loop->unit[owner].share;
  if (s->next >= s->end && !(loop->policy->refill && loop->policy->refill(loop, owner)))
    return false;
  uint64_t piece = least(s->size, s->end - s->next), left = piece - s->taken;
  uint64_t size = owner == taker ? least(left, most_of(loop, taker)) : part_of_lost(loop, taker, left);
  *from = s->next + s->taken;
  *to = *from + size;
  s->taken += size;
  if (s->taken == piece) {
    s->next = s->step < s->end - s->next ? s->next + s->step : s->end;
    s->taken = 0;
  }
  return true;
}

static bool take_share_of_lost(struct ag_loop *loop, unsigned u, uint64_t *from, uint64_t *to) {
  for (unsigned other = 0; other < loop->units && loop->lost; ++other)
    if (loop->unit[other].lost && take_share(loop, other, u, from, to))
      return true;
  return false;
}

/* Releases `size` of the iterations that are kept for the unit; then, of all units, those kept that the pool
 * no longer has. */
static void unreserve(struct ag_loop *loop, struct ag_loop_unit *unit, uint64_t size) {
  uint64_t off = least(size, unit->reserved);
  unit->reserved -= off;
  loop->reserved -= off;
  for (unsigned u = 0; u < loop->units && loop->reserved > ag_loop_pool(loop); ++u) {
    off = least(loop->unit[u].reserved, loop->reserved - ag_loop_pool(loop));
    loop->unit[u].reserved -= off;
    loop->reserved -= off;
  }
}

/* Iterations in a ns of some units together, over this execution and the last one, which small chunks at the
 * end tell little of; 0: not known of all. */
static double speed_of(const struct ag_loop *loop, unsigned from, unsigned to) {
  double sum = 0;
  for (unsigned u = from; u < to; ++u) {
    const struct ag_loop_unit *unit = &loop->unit[u];
    double ns = (double)unit->ns + (double)unit->ns_before;
    if (unit->lost)
      continue;
    if (!(ns > 0))
      return 0;
    sum += (double)(unit->done + unit->done_before) / ns;
  }
  return sum;
}

/* Who is to work for the objective. Now and then both are, for what is known of a side that never works
 * becomes old. */
static enum ag_sides sides_of(const struct ag_loop *loop) {
  enum { BOTH_EVERY = 32, TELLS = 8 };
  if (!loop->view.objective.known || loop->executions % BOTH_EVERY == 0)
    return AG_SIDES_BOTH;
  if (loop->executions == 1 && loop->done < loop->view.n / TELLS)
    return AG_SIDES_BOTH; /* the first chunks are small */
  double cpus = speed_of(loop, 0, loop->view.machine.cpus),
         devices = speed_of(loop, loop->view.machine.cpus, loop->units);
  return cpus > 0 && devices > 0 ? ag_objective_sides(&loop->view.objective, 1 / cpus, 1 / devices)
                                 : AG_SIDES_BOTH;
}

/* A side that is not to work waits as long as the other one does. When nothing is under way at the moment a
 * CPU unit takes a little, for the devices may not come. */
static struct ag_loop_want want_of(struct ag_loop *loop, unsigned u, uint64_t now) {
  enum { LITTLE = 256 };
  loop->sides = sides_of(loop);
  if (!ag_loop_works(loop, u)) {
    if (ag_loop_is_device(loop, u) && ag_loop_cpus_alive(loop))
      return (struct ag_loop_want){AG_LOOP_NONE, 0};
    if (!ag_loop_is_device(loop, u))
      return (struct ag_loop_want){loop->in_flight ? AG_LOOP_LATER : AG_LOOP_RUN,
                                   ag_loop_pool(loop) / LITTLE + 1};
  }
  return loop->policy->want ? loop->policy->want(loop, u, now) : (struct ag_loop_want){AG_LOOP_RUN, 0};
}

static enum ag_loop_answer take_pool(struct ag_loop *loop, unsigned u, uint64_t now, uint64_t *from,
                                     uint64_t *to) {
  uint64_t left = ag_loop_pool(loop);
  if (!left)
    return AG_LOOP_NONE;
  struct ag_loop_want want = want_of(loop, u, now);
  if (want.what == AG_LOOP_LATER && loop->in_flight)
    return AG_LOOP_LATER;
  if (want.what == AG_LOOP_NONE && ag_loop_is_device(loop, u) && ag_loop_cpus_alive(loop))
    return AG_LOOP_NONE;
  /* Nobody else would come. */
  if (want.what != AG_LOOP_RUN || !want.size)
    want.size = part_of_lost(loop, u, left);
  uint64_t size = least(least(want.size, left), most_of(loop, u));
  *from = loop->low;
  *to = loop->low += size;
  unreserve(loop, &loop->unit[u], size);
  return AG_LOOP_RUN;
}

static void grant(struct ag_loop *loop, struct ag_loop_unit *unit, uint64_t from, uint64_t to) {
  unsigned i = 0;
  while (i < AG_LOOP_IN_FLIGHT && unit->slot[i].state != AG_LOOP_FREE)
    ++i;
  if (i == AG_LOOP_IN_FLIGHT) {
    unit->untracked += to - from;
    return;
  }
  unit->slot[i].state = AG_LOOP_GRANTED;
  unit->slot[i].from = from;
  unit->slot[i].to = to;
  ++unit->in_flight;
  ++loop->in_flight;
}

struct ag_loop_grant ag_loop_next(struct ag_loop *loop, unsigned u, uint64_t now) {
  struct ag_loop_grant g = {AG_LOOP_NONE, 0, 0};
  if (u >= loop->units || loop->unit[u].lost)
    return g;
  struct ag_loop_unit *unit = &loop->unit[u];
  if (unit->in_flight == AG_LOOP_IN_FLIGHT && !ag_loop_planned(loop))
    g.what = AG_LOOP_LATER;
  else if (take_given_back(loop, u, &g.from, &g.to) || take_share(loop, u, u, &g.from, &g.to) ||
           take_share_of_lost(loop, u, &g.from, &g.to))
    g.what = AG_LOOP_RUN;
  else
    g.what = take_pool(loop, u, now, &g.from, &g.to);
  if (g.what == AG_LOOP_RUN)
    grant(loop, unit, g.from, g.to);
  return g;
}

/* --- What becomes of it ----------------------------------------------------------------------------------
 */

void ag_loop_items(struct ag_loop *loop, uint64_t from, uint64_t to, const double *ns) {
  if (loop->policy->items && from < to && to <= loop->view.n)
    loop->policy->items(loop, from, to, ns);
}

bool ag_loop_done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  if (u >= loop->units || from >= to || to > loop->view.n)
    return false;
  struct ag_loop_unit *unit = &loop->unit[u];
  unsigned i = 0;
  while (i < AG_LOOP_IN_FLIGHT &&
         (unit->slot[i].state != AG_LOOP_GRANTED || unit->slot[i].from != from || unit->slot[i].to != to))
    ++i;
  if (i < AG_LOOP_IN_FLIGHT) {
    unit->slot[i].state = AG_LOOP_FREE;
    --unit->in_flight;
    --loop->in_flight;
  } else if (to - from <= unit->untracked)
    unit->untracked -= to - from;
  else
    return false;
  loop->done += to - from;
  unit->done += to - from;
  unit->ns = ns < UINT64_MAX - unit->ns ? unit->ns + ns : UINT64_MAX;
  double rate = ag_loop_rate(to - from, ns);
  if (rate > 0)
    ag_loop_learn(unit, rate, ns);
  if (loop->policy->done)
    loop->policy->done(loop, u, from, to, ns);
  return true;
}

bool ag_loop_lost(struct ag_loop *loop, unsigned u) {
  if (u >= loop->units || loop->unit[u].lost)
    return false;
  struct ag_loop_unit *unit = &loop->unit[u];
  unit->lost = true;
  ++loop->lost;
  loop->lost_cpus += !ag_loop_is_device(loop, u);
  for (unsigned i = 0; i < AG_LOOP_IN_FLIGHT; ++i)
    if (unit->slot[i].state == AG_LOOP_GRANTED) {
      unit->slot[i].state = AG_LOOP_GIVEN_BACK;
      ++loop->given_back;
    }
  loop->in_flight -= unit->in_flight;
  unit->in_flight = 0;
  unreserve(loop, unit, UINT64_MAX);
  return loop->done < loop->view.n;
}

uint64_t ag_loop_left(const struct ag_loop *loop) { return loop->view.n - loop->done; }

void ag_loop_end(struct ag_loop *loop) {
  if (loop->policy->end && loop->done == loop->view.n && !loop->lost)
    loop->policy->end(loop);
}

bool ag_loop_planned(const struct ag_loop *loop) { return loop->planned; }

bool ag_loop_settled(const struct ag_loop *loop) {
  return !loop->policy->settled || loop->policy->settled(loop);
}
