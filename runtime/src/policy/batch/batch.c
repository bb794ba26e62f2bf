/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/batch/batch.h"
#include "policy/model/numbers.h"
#include "policy/turn/turn.h"

/* Steps take between half and twice as long as the one before: so early the last units are looked for, and so
 * late they come no more. */
#define OFF_PACE 2
/* ns: where it is not known how many are to come it is looked so often whether all have. */
#define UNKNOWN_NS 100e3
/* Where CPUs are to do all that is looked into again when so much more waits, in parts of what does. */
#define GROWN 4

const struct ag_batch_policy *ag_batch_policy(enum ag_batch_rule rule) {
  static const struct ag_batch_policy *const policies[AG_N_BATCH_RULES] = {
      [AG_BATCH_MAXIMAL] = &ag_batch_maximal,     [AG_BATCH_SINGLE] = &ag_batch_single,
      [AG_BATCH_STATIC] = &ag_batch_static,       [AG_BATCH_COUNT] = &ag_batch_count,
      [AG_BATCH_OCCUPANCY] = &ag_batch_occupancy, [AG_BATCH_AUTO] = &ag_batch_auto};
  return policies[rule < AG_N_BATCH_RULES ? rule : AG_BATCH_MAXIMAL];
}

uint64_t ag_batch_due(const struct ag_batch_choice *choice) {
  uint64_t due = ag_batch_policy(choice->rule)->due;
  return due ? due : choice->n;
}

static uint64_t own_patience(uint64_t patience, unsigned active) {
  uint64_t own = active > 1 ? patience / active : patience;
  return own < AG_ASK_AGAIN && patience >= AG_ASK_AGAIN ? AG_ASK_AGAIN : own;
}

double ag_batch_least_patience(const struct ag_batch_state *s) {
  double gap = (double)ag_gaps_quantile(&s->gaps, 0.5);
  return gap > 0 ? ag_most(AG_ASK_AGAIN, ag_least(AG_ASK_NS / gap, AG_ASK_LATEST)) : AG_ASK_AGAIN;
}

struct ag_batch_decision ag_batch_ask(const struct ag_batch_policy *policy,
                                      const struct ag_batch_choice *choice, struct ag_batch_state *state,
                                      const struct ag_batch_view *view) {
  struct ag_batch_decision d = {.reason = AG_REASON_POLICY};
  if (view->waiting) {
    d = policy->decide(choice, state, view);
  } else {
    d.of_waiting = true;
    double grown = (double)(view->waiting + view->for_cpus) / GROWN;
    d.patience = (uint64_t)ag_most(ag_batch_least_patience(state), ag_least(grown, AG_ASK_LATEST));
  }
  d.patience = own_patience(d.patience, view->active);
  state->nothing_ns[view->event] = d.units ? 0 : view->now_ns;
  return d;
}

bool ag_batch_asked(const struct ag_batch_policy *policy, const struct ag_batch_state *state,
                    enum ag_batch_event event, uint64_t now_ns) {
  uint64_t since = state->nothing_ns[event];
  bool again = event == AG_ON_LOOK || event == AG_ON_NO_HIGH || event == AG_ON_BURST || event == AG_ON_WHOLE;
  return policy->timed && policy->common && again && since && (double)(int64_t)(now_ns - since) < AG_ASK_NS;
}

void ag_batch_look(struct ag_batch_state *state) {
  if (state->looked != state->arrivals)
    state->looks = 0;
  state->looked = state->arrivals;
  ++state->looks;
}

void ag_batch_tick(struct ag_batch_state *s, uint64_t waiting, uint64_t now_ns) {
  uint64_t n = s->arrivals - s->timed;
  if (n) {
    uint64_t gap = s->timed && now_ns > s->last_ns ? (now_ns - s->last_ns) / n : 0;
    bool first = s->timed == s->phase.begun;
    if (first) { /* before them was the pause */
      s->phase.first = s->arrivals;
      s->phase.first_ns = now_ns;
    } else {
      ag_gaps_learn(&s->gaps, gap, n);
    }
    s->longest_ns = gap > s->longest_ns ? gap : s->longest_ns;
    s->timed = s->arrivals;
    s->last_ns = now_ns;
  }
  if (!waiting)
    s->oldest_ns = 0;
  else if (!s->oldest_ns)
    s->oldest_ns = now_ns;
}

void ag_batch_pause(struct ag_batch_state *s) {
  uint64_t n = s->arrivals - s->phase.begun, late = s->timed > s->phase.first ? s->timed - s->phase.first : 0;
  if (!n)
    return;
  uint64_t before = s->phase.last;
  bool alike = !before || (n / 4 * 3 <= before && before / 4 * 3 <= n);
  uint64_t fewer = s->phase.most > n ? s->phase.most - n : 0; /* one of them at least is forgotten */
  s->phase.most = n > s->phase.most || !alike ? n : s->phase.most - (fewer < 4 ? fewer > 0 : fewer / 4);
  s->phase.units = alike ? s->phase.most : 0;
  s->phase.exact = !before || n == before;
  s->phase.gap_ns = late ? (double)(s->last_ns - s->phase.first_ns) / (double)late : 0;
  s->phase.last = n;
  s->phase.begun = s->phase.first = s->timed = s->arrivals;
}

double ag_batch_until_pause(const struct ag_batch_state *s, uint64_t now_ns) {
  uint64_t come = s->arrivals - s->phase.begun;
  double since = now_ns > s->phase.first_ns ? (double)(now_ns - s->phase.first_ns) : 0;
  if (!s->phase.units || since > OFF_PACE * s->phase.gap_ns * (double)s->phase.units)
    return -1;
  return s->phase.units > come ? s->phase.gap_ns * (double)(s->phase.units - come) : 0;
}

double ag_batch_waited(const struct ag_batch_state *s, uint64_t now_ns) {
  return s->oldest_ns && now_ns > s->oldest_ns ? (double)(now_ns - s->oldest_ns) : 0;
}

double ag_batch_expected(const struct ag_batch_state *s, uint64_t now_ns) {
  uint64_t come = s->arrivals - s->phase.begun;
  bool more = come && s->phase.units > come && ag_batch_until_pause(s, now_ns) >= 0;
  return more ? (double)(s->phase.units - come) : 0;
}

double ag_batch_until_whole(const struct ag_batch_state *s, uint64_t arrivals) {
  uint64_t come = arrivals - s->phase.begun;
  if (!s->phase.exact || !s->phase.units || come > s->phase.units)
    return UNKNOWN_NS;
  return come < s->phase.units ? ag_most(1, s->phase.gap_ns * (double)(s->phase.units - come) / OFF_PACE) : 0;
}

/* The newest are left. */
void ag_batch_gone(struct ag_batch_state *s, uint64_t waiting) { s->oldest_ns = waiting ? s->last_ns : 0; }

enum ag_batch_event ag_batch_event(const struct ag_batch_state *state, enum ag_batch_event event) {
  bool quiet = state->looked == state->arrivals && state->looks >= AG_QUIET_LOOKS;
  return quiet && (event == AG_ON_SUBMIT || event == AG_ON_NO_HIGH || event == AG_ON_BURST) ? AG_ON_QUIET
                                                                                            : event;
}

struct ag_batch_decision ag_batch_rest(const struct ag_batch_view *view) {
  struct ag_batch_decision all = {.units = view->waiting, .reason = AG_REASON_FULL};
  if (view->full)
    return all;
  all.reason = view->event == AG_ON_QUIET ? AG_REASON_AGE : AG_REASON_FLUSH;
  bool due = view->event == AG_ON_WAIT || view->event == AG_ON_NOTHING || view->event == AG_ON_QUIET;
  return due ? all : (struct ag_batch_decision){.units = 0, .reason = AG_REASON_POLICY};
}
