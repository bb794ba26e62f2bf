/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every schedule on random loops and machines, told random nonsense: each iteration is granted once and done
 * once, no grant is empty or larger than a device can take, and the loop comes to its end, whichever units
 * are lost on the way. STRESS_LOOPS says how many executions. */
#include "policy/loop/loop.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
#define AGGLOM_SCHEDULE_KIND(Id, Spelling, Argument) NTH_##Id,
#include "schedules.def"
  LAST_KIND /* of these, and of AGGLOM_SCHEDULE_RUNTIME, which is none of them */
};

/* Only in long loops single iterations are looked for that cost much. */
enum { MOST_UNITS = 12, MOST_ITEMS = 5000, SHORT = 400, LONG_EVERY = 64 };

struct chunk {
  uint64_t from, to;
};

/* One execution, and what is known of each iteration: owner + 1, and DONE. */
struct world {
  struct ag_loop *loop;
  struct ag_loop_view view;
  unsigned units, alive, cpus_alive;
  uint64_t seed, now, left, front;
  unsigned granted[MOST_ITEMS];
  bool done[MOST_ITEMS];
  struct chunk flying[MOST_UNITS][AG_LOOP_IN_FLIGHT];
  unsigned flights[MOST_UNITS], all_flights;
  bool lost[MOST_UNITS];
};

static uint64_t below(uint64_t *seed, uint64_t n) { return next_random(seed) % n; }

/* Times that a broken clock, a suspended machine or a good one would give. */
static uint64_t some_time(struct world *w) {
  switch (below(&w->seed, 8)) {
  case 0:
    return 0;
  case 1:
    return UINT64_MAX - below(&w->seed, 3);
  case 2:
    return next_random(&w->seed);
  case 3:
    return 1;
  default:
    return below(&w->seed, 100000000);
  }
}

static double some_number(uint64_t *seed) {
  static const double odd[] = {0, -1, 1e-300, 1e300, INFINITY, -INFINITY, NAN, 1};
  return below(seed, 3) ? (double)below(seed, 1000) : odd[below(seed, 8)];
}

static void granted(struct world *w, unsigned u, struct ag_loop_grant g) {
  assert_true(g.from < g.to && g.to <= w->view.n);
  if (g.from == w->front)
    w->front = g.to;
  else /* out of turn: planned, or given back */
    assert_true(ag_loop_planned(w->loop) || (w->alive < w->units && g.to <= w->front));
  const uint64_t *most = w->view.machine.most;
  if (most && u >= w->view.machine.cpus && most[u - w->view.machine.cpus])
    assert_true(g.to - g.from <= most[u - w->view.machine.cpus]);
  for (uint64_t i = g.from; i < g.to; ++i) {
    assert_true(!w->granted[i] && !w->done[i]);
    w->granted[i] = u + 1;
  }
  assert_true(w->flights[u] < AG_LOOP_IN_FLIGHT);
  w->flying[u][w->flights[u]++] = (struct chunk){g.from, g.to};
  ++w->all_flights;
}

static bool ask(struct world *w, unsigned u) {
  if (w->flights[u] == AG_LOOP_IN_FLIGHT && ag_loop_planned(w->loop))
    return false; /* more would be lost with the unit: whole_plans() does that */
  w->now += below(&w->seed, 1000);
  struct ag_loop_grant g = ag_loop_next(w->loop, u, below(&w->seed, 20) ? w->now : next_random(&w->seed));
  if (g.what == AG_LOOP_RUN)
    granted(w, u, g);
  else if (g.what == AG_LOOP_LATER)
    assert_true(w->all_flights > 0 && !ag_loop_planned(w->loop));
  assert_true(!w->lost[u] || g.what == AG_LOOP_NONE);
  return g.what == AG_LOOP_RUN;
}

static void finish(struct world *w, unsigned u) {
  unsigned k = (unsigned)below(&w->seed, w->flights[u]);
  struct chunk c = w->flying[u][k];
  w->flying[u][k] = w->flying[u][--w->flights[u]];
  --w->all_flights;
  if (!below(&w->seed, 4)) {
    double ns[MOST_ITEMS];
    for (uint64_t i = 0; i < c.to - c.from; ++i)
      ns[i] = some_number(&w->seed);
    ag_loop_items(w->loop, c.from, c.to, ns);
  }
  assert_true(ag_loop_done(w->loop, u, c.from, c.to, some_time(w)));
  assert_false(ag_loop_done(w->loop, u, c.from, c.to, 1));
  for (uint64_t i = c.from; i < c.to; ++i)
    w->done[i] = true;
  w->left -= c.to - c.from;
  assert_int_equal(ag_loop_left(w->loop), w->left);
}

static void lose(struct world *w, unsigned u) {
  assert_true(ag_loop_lost(w->loop, u));
  assert_false(ag_loop_lost(w->loop, u));
  w->lost[u] = true;
  --w->alive;
  for (; w->flights[u]; --w->flights[u], --w->all_flights) {
    struct chunk c = w->flying[u][w->flights[u] - 1];
    assert_false(ag_loop_done(w->loop, u, c.from, c.to, 1));
    for (uint64_t i = c.from; i < c.to; ++i)
      w->granted[i] = 0;
  }
}

/* With nothing in flight somebody must get something. */
static void somebody_goes_on(struct world *w) {
  unsigned first = (unsigned)below(&w->seed, w->units);
  for (unsigned i = 0; i < w->units; ++i)
    if (ask(w, (first + i) % w->units))
      return;
  fail_msg("%s: %llu iterations are left and nobody gets one", ag_loop_name(w->view.kind),
           (unsigned long long)w->left);
}

static void execute(struct world *w, void *state, bool losses) {
  w->loop = ag_loop_begin(state, &w->view);
  w->left = w->view.n;
  w->alive = w->units;
  for (uint64_t steps = 0; w->left; ++steps) {
    unsigned u = (unsigned)below(&w->seed, w->units);
    assert_true(steps < 1000000);
    if (losses && w->alive > 1 && !w->lost[u] && !below(&w->seed, 60))
      lose(w, u);
    else if (w->flights[u] && below(&w->seed, 2))
      finish(w, u);
    else if (!w->all_flights)
      somebody_goes_on(w);
    else
      ask(w, u);
  }
  for (unsigned u = 0; u < w->units; ++u)
    assert_int_equal(ag_loop_next(w->loop, u, w->now).what, AG_LOOP_NONE);
  ag_loop_end(w->loop);
}

static uint64_t some_items(uint64_t *seed) {
  return 1 + below(seed, below(seed, LONG_EVERY) ? SHORT : MOST_ITEMS);
}

/* One loop, executed a few times. */
static unsigned loop(unsigned kind, uint64_t *seed) {
  static _Alignas(max_align_t) char state[1 << 20];
  static double cost[MOST_ITEMS];
  unsigned lanes[MOST_UNITS], executions = 1 + (unsigned)below(seed, 12);
  uint64_t most[MOST_UNITS];
  struct ag_loop_view view = {.kind = kind, .n = some_items(seed)};
  view.machine.cpus = (unsigned)below(seed, MOST_UNITS / 2);
  view.machine.devices = (unsigned)below(seed, MOST_UNITS / 2) + !view.machine.cpus;
  for (unsigned i = 0; i < MOST_UNITS; ++i) {
    lanes[i] = (unsigned)below(seed, 30);
    most[i] = below(seed, 50);
  }
  view.machine.lanes = below(seed, 4) ? lanes : NULL;
  view.machine.most = below(seed, 4) ? NULL : most;
  view.chunk = below(seed, 2) ? 0 : 1 + below(seed, 2 * SHORT);
  view.ratio = below(seed, 2) ? 0 : some_number(seed);
  view.objective = (struct ag_objective){below(seed, 3), !below(seed, 3), some_number(seed),
                                         some_number(seed), some_number(seed)};
  for (unsigned i = 0; i < MOST_ITEMS; ++i)
    cost[i] = some_number(seed);
  view.cost = below(seed, 2) ? NULL : cost;
  memset(state, 0, sizeof state);
  for (unsigned i = 0; i < executions; ++i) {
    struct world w = {.view = view, .units = view.machine.cpus + view.machine.devices, .seed = *seed};
    assert_true(ag_loop_state_bytes(&view) <= sizeof state);
    execute(&w, state, !below(seed, 3));
    if (!below(seed, 3))
      view.n = some_items(seed); /* another time step has another size */
    next_random(seed);
  }
  return executions;
}

static void each_once(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  unsigned long wanted = from_environment("STRESS_LOOPS", 60000), executed = 0;
  printf("seed %llu\n", (unsigned long long)seed);
  while (executed < wanted)
    for (unsigned kind = 0; kind <= LAST_KIND; ++kind)
      executed += loop(kind, &seed);
}

/* Asks the units by turns; what they get is done at once. */
static uint64_t run_by_turns(struct ag_loop *l, const struct ag_loop_view *view, uint64_t most) {
  unsigned units = view->machine.cpus + view->machine.devices;
  uint64_t sum = 0, grants = 0;
  for (unsigned nothing = 0, u = 0; nothing < units && grants < most; u = (u + 1) % units) {
    struct ag_loop_grant g = ag_loop_next(l, u, 0);
    nothing = g.what == AG_LOOP_RUN ? 0 : nothing + 1;
    if (g.what != AG_LOOP_RUN)
      continue;
    ++grants;
    assert_true(g.from < g.to && g.to <= view->n && view->n - sum >= g.to - g.from);
    sum += g.to - g.from;
    assert_true(ag_loop_done(l, u, g.from, g.to, (g.to - g.from) / (u < 3 ? 10 : 99) + 1000));
  }
  assert_int_equal(ag_loop_left(l), view->n - sum);
  return sum;
}

/* All of it before anything runs; done in another order. */
static void run_whole_plan(struct ag_loop *l, const struct ag_loop_view *view) {
  static struct ag_loop_grant plan[SHORT];
  unsigned owner[SHORT], grants = 0;
  for (unsigned u = 0; u < view->machine.cpus + view->machine.devices; ++u)
    while ((plan[grants] = ag_loop_next(l, u, 0)).what != AG_LOOP_NONE) {
      assert_int_equal(plan[grants].what, AG_LOOP_RUN);
      owner[grants++] = u;
      assert_true(grants < SHORT);
    }
  for (unsigned i = grants; i-- > 0;) {
    assert_true(ag_loop_done(l, owner[i], plan[i].from, plan[i].to, 1000 * (1 + owner[i])));
    assert_false(ag_loop_done(l, owner[i], plan[i].from, view->n + 1, 1));
  }
  assert_int_equal(ag_loop_left(l), 0);
}

static void whole_plans(void **s) {
  (void)s;
  static _Alignas(max_align_t) char state[1 << 20];
  uint64_t seed = 8, plans = 0;
  for (int round = 0; round < 3000; ++round) {
    struct ag_loop_view view = {
        .machine = {1 + (unsigned)below(&seed, 5), (unsigned)below(&seed, 5), NULL, NULL},
        .n = 1 + below(&seed, SHORT - 1),
        .kind = (unsigned)(round % (LAST_KIND + 1)),
        .chunk = below(&seed, 3)};
    memset(state, 0, sizeof state);
    for (int execution = 0; execution < 8; ++execution) {
      struct ag_loop *l = ag_loop_begin(state, &view);
      bool planned = ag_loop_planned(l);
      plans += planned;
      if (planned)
        run_whole_plan(l, &view);
      else
        assert_int_equal(run_by_turns(l, &view, UINT64_MAX), view.n);
      ag_loop_end(l);
    }
  }
  assert_true(plans > 500);
}

/* Many iterations cost no more memory, and the end of the numbers is no special case. */
static void large_loops(void **s) {
  (void)s;
  const uint64_t sizes[] = {1000003, UINT64_MAX / 3, UINT64_MAX};
  for (unsigned kind = 0; kind <= LAST_KIND; ++kind)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
      struct ag_loop_view view = {.machine = {3, 2, NULL, NULL}, .n = sizes[k], .kind = kind};
      assert_true(ag_loop_state_bytes(&view) < 8 << 20);
      void *state = calloc(1, ag_loop_state_bytes(&view));
      assert_non_null(state);
      struct ag_loop *l = ag_loop_begin(state, &view);
      uint64_t sum = run_by_turns(l, &view, 100000);
      assert_true(sum == view.n || k); /* nobody waits for the end of the largest ones */
      ag_loop_end(l);
      free(state);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_once), cmocka_unit_test(whole_plans),
                                     cmocka_unit_test(large_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
