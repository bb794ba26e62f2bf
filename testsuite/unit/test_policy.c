/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The policies as the state machines they are. */
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ag_batch_decision ask(struct ag_batch_choice choice, struct ag_batch_state *state,
                                    enum ag_batch_event event, uint64_t waiting, bool full) {
  struct ag_batch_view view = {.event = event, .waiting = waiting, .full = full};
  return ag_batch_policy(choice.rule)->decide(&choice, state, &view);
}

static void expect(struct ag_batch_decision d, uint64_t units, enum ag_reason reason) {
  assert_int_equal(d.units, units);
  if (units)
    assert_int_equal(d.reason, reason);
}

static void names(void **s) {
  (void)s;
  const char *const name[AG_N_BATCH_RULES] = {
      [AG_BATCH_MAXIMAL] = "maximal", [AG_BATCH_SINGLE] = "single",       [AG_BATCH_STATIC] = "static",
      [AG_BATCH_COUNT] = "count",     [AG_BATCH_OCCUPANCY] = "occupancy", [AG_BATCH_AUTO] = "auto"};
  for (unsigned rule = 0; rule < AG_N_BATCH_RULES; ++rule) {
    assert_non_null(name[rule]); /* a new one belongs into these tables */
    assert_string_equal(ag_batch_policy((enum ag_batch_rule)rule)->name, name[rule]);
  }
}

/* After how many arrivals each is asked for the first time. */
static void first_looks(void **s) {
  (void)s;
  const uint64_t due[AG_N_BATCH_RULES] = {[AG_BATCH_MAXIMAL] = UINT64_MAX, [AG_BATCH_SINGLE] = 1,
                                          [AG_BATCH_STATIC] = 7,           [AG_BATCH_COUNT] = 7,
                                          [AG_BATCH_OCCUPANCY] = 1,        [AG_BATCH_AUTO] = 64};
  for (unsigned rule = 0; rule < AG_N_BATCH_RULES; ++rule)
    assert_true(ag_batch_due(&(struct ag_batch_choice){(enum ag_batch_rule)rule, 7}) == due[rule]);
}

static void maximal(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_MAXIMAL, 0};
  struct ag_batch_state state = {0};
  expect(ask(c, &state, AG_ON_SUBMIT, 7, false), 0, AG_REASON_FULL);
  expect(ask(c, &state, AG_ON_SUBMIT, 7, true), 7, AG_REASON_FULL);
  expect(ask(c, &state, AG_ON_NO_HIGH, 7, false), 7, AG_REASON_NO_HIGH_PRIORITY);
  expect(ask(c, &state, AG_ON_NO_HIGH, 7, true), 7, AG_REASON_FULL);
  expect(ask(c, &state, AG_ON_NOTHING, 1, false), 1, AG_REASON_NO_HIGH_PRIORITY);
  expect(ask(c, &state, AG_ON_WAIT, 3, false), 3, AG_REASON_FLUSH);
  expect(ask(c, &state, AG_ON_BURST, 3, false), 3, AG_REASON_AGE);
  expect(ask(c, &state, AG_ON_QUIET, 3, false), 3, AG_REASON_AGE);
}

static void single(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_SINGLE, 0};
  struct ag_batch_state state = {0};
  expect(ask(c, &state, AG_ON_SUBMIT, 1, false), 1, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_WAIT, 9, true), 1, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_WAIT, 0, false), 0, AG_REASON_POLICY);
}

static void fixed(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_STATIC, 10};
  struct ag_batch_state state = {0};
  expect(ask(c, &state, AG_ON_SUBMIT, 9, false), 0, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_SUBMIT, 10, false), 10, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_NO_HIGH, 25, false), 10, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_NO_HIGH, 9, false), 0, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_BURST, 9, false), 0, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_SUBMIT, 4, true), 4, AG_REASON_FULL); /* a launch cannot take ten */
  expect(ask(c, &state, AG_ON_WAIT, 9, false), 9, AG_REASON_FLUSH);
  expect(ask(c, &state, AG_ON_NOTHING, 9, false), 9, AG_REASON_FLUSH);
  expect(ask(c, &state, AG_ON_QUIET, 9, false), 9, AG_REASON_AGE);
  expect(ask(c, &state, AG_ON_WAIT, 0, false), 0, AG_REASON_FLUSH);
}

static void counted(void **s) {
  (void)s;
  struct ag_batch_choice c = {AG_BATCH_COUNT, 10};
  struct ag_batch_state state = {0};
  const struct ag_batch_policy *p = ag_batch_policy(c.rule);
  state.arrivals = 9;
  expect(ask(c, &state, AG_ON_SUBMIT, 9, false), 0, AG_REASON_POLICY);
  expect(ask(c, &state, AG_ON_WAIT, 9, false), 9, AG_REASON_FLUSH);
  p->launched(&c, &state, 9); /* flushed in between: the count goes on */
  state.arrivals = 10;
  expect(ask(c, &state, AG_ON_SUBMIT, 1, false), 1, AG_REASON_POLICY);
  p->launched(&c, &state, 1);
  state.arrivals = 19;
  expect(ask(c, &state, AG_ON_NO_HIGH, 9, false), 0, AG_REASON_POLICY);
  state.arrivals = 34; /* came late: what is there, all of it */
  expect(ask(c, &state, AG_ON_NO_HIGH, 24, false), 24, AG_REASON_POLICY);
  p->launched(&c, &state, 24);
  state.arrivals = 39;
  expect(ask(c, &state, AG_ON_SUBMIT, 5, false), 0, AG_REASON_POLICY);
  state.arrivals = 40;
  expect(ask(c, &state, AG_ON_SUBMIT, 6, false), 6, AG_REASON_POLICY);
}

/* Whatever happens: never more than there is, nothing out of nothing, and a wait empties the FIFO. */
static void random_runs(void **s) {
  (void)s;
  srand(3);
  for (int round = 0; round < 3000; ++round) {
    struct ag_batch_choice c = {(enum ag_batch_rule)(rand() % AG_N_BATCH_RULES), 1 + (unsigned)rand() % 20};
    if (ag_batch_policy(c.rule)->timed) /* test_batch_random.c */
      continue;
    struct ag_batch_state state = {0};
    const struct ag_batch_policy *p = ag_batch_policy(c.rule);
    uint64_t waiting = 0, in = 0, out = 0, cap = 1 + (uint64_t)rand() % 30;
    for (int step = 0; step < 200; ++step) {
      enum ag_batch_event event = (enum ag_batch_event)(rand() % 6);
      if (event == AG_ON_SUBMIT)
        ++waiting, ++in, ++state.arrivals;
      struct ag_batch_decision d = ask(c, &state, event, waiting, waiting >= cap);
      assert_true(d.units <= waiting);
      assert_true(d.reason < AG_N_REASONS);
      if (c.rule == AG_BATCH_SINGLE)
        assert_true(d.units <= 1);
      if (c.rule == AG_BATCH_STATIC && d.units && d.reason == AG_REASON_POLICY)
        assert_int_equal(d.units, c.n);
      if (c.rule == AG_BATCH_MAXIMAL && event == AG_ON_SUBMIT && waiting < cap)
        assert_int_equal(d.units, 0);
      if (waiting >= cap)
        assert_true(d.units > 0); /* never more than one launch is held back */
      uint64_t taken = d.units < cap ? d.units : cap;
      if (taken && p->launched)
        p->launched(&c, &state, taken);
      waiting -= taken;
      out += taken;
    }
    for (int i = 0; waiting; ++i) {
      assert_true(i < 1000);
      struct ag_batch_decision d = ask(c, &state, AG_ON_WAIT, waiting, waiting >= cap);
      assert_in_range(d.units, 1, waiting);
      uint64_t taken = d.units < cap ? d.units : cap;
      if (p->launched)
        p->launched(&c, &state, taken);
      waiting -= taken;
      out += taken;
    }
    assert_int_equal(in, out);
  }
}

/* --- Turns ---------------------------------------------------------------------------------------------- */

static enum ag_class next(struct ag_turn *turn, const bool there[AG_N_CLASSES]) {
  enum ag_class order[AG_N_CLASSES];
  bool seen[AG_N_CLASSES] = {false};
  ag_turn_order(turn, order);
  for (int i = 0; i < AG_N_CLASSES; ++i)
    seen[order[i]] = true;
  assert_true(seen[0] && seen[1] && seen[2]);
  for (int i = 0; i < AG_N_CLASSES; ++i)
    if (there[order[i]]) {
      ag_turn_took(turn, order[i]);
      return order[i];
    }
  return AG_N_CLASSES;
}

static void high_first(void **s) {
  (void)s;
  struct ag_turn turn = {0};
  assert_int_equal(next(&turn, (bool[]){true, true, true}), AG_CLASS_HIGH);
  assert_int_equal(next(&turn, (bool[]){false, true, true}), AG_CLASS_MEDIUM);
  assert_int_equal(next(&turn, (bool[]){false, false, true}), AG_CLASS_LOW);
  assert_int_equal(next(&turn, (bool[]){true, false, true}), AG_CLASS_HIGH);
}

static void no_starvation(void **s) {
  (void)s;
  struct ag_turn turn = {0};
  unsigned run[AG_N_CLASSES] = {0}, others[AG_N_CLASSES] = {0};
  for (int i = 0; i < 100000; ++i) { /* there is always work of every class */
    enum ag_class c = next(&turn, (bool[]){true, true, true});
    for (int k = 0; k < AG_N_CLASSES; ++k)
      others[k] = k == (int)c ? 0 : others[k] + 1;
    run[c]++;
    assert_true(others[AG_CLASS_MEDIUM] <= 2 * AG_HIGH_BURST + 2);
    assert_true(others[AG_CLASS_LOW] <= AG_ABOVE_LOW_BURST);
  }
  assert_true(run[AG_CLASS_HIGH] > 90000);
  assert_true(run[AG_CLASS_MEDIUM] > 500 && run[AG_CLASS_LOW] > 500);
}

static void random_turns(void **s) {
  (void)s;
  srand(11);
  for (int round = 0; round < 300; ++round) {
    struct ag_turn turn = {0};
    unsigned low_waits = 0, high_run = 0;
    int p = rand() % 100;
    for (int i = 0; i < 3000; ++i) {
      bool there[AG_N_CLASSES] = {rand() % 100 < 95, rand() % 100 < p, rand() % 100 < 97 || low_waits};
      enum ag_class c = next(&turn, there);
      if (c == AG_N_CLASSES)
        continue;
      low_waits = there[AG_CLASS_LOW] && c != AG_CLASS_LOW ? low_waits + 1 : 0;
      high_run = c == AG_CLASS_HIGH && (there[AG_CLASS_LOW] || there[AG_CLASS_MEDIUM]) ? high_run + 1 : 0;
      assert_true(low_waits <= AG_ABOVE_LOW_BURST);
      assert_true(high_run <= AG_HIGH_BURST);
    }
  }
}

/* Of several that always have something, each goes once in a while, the one of largest priority mostly. */
static void standings(void **s) {
  (void)s;
  enum { N = 5 };
  struct ag_standing all[N];
  unsigned ran[N] = {0};
  for (int i = 0; i < N; ++i)
    all[i] = (struct ag_standing){i, 0};
  for (int round = 0; round < 10000; ++round) {
    int best = 0;
    for (int i = 1; i < N; ++i)
      if (ag_turn_compare(all[i], all[best]) > 0)
        best = i;
    for (int i = 0; i < N; ++i) {
      assert_true(i == best || ag_turn_compare(all[i], all[best]) < 0);
      assert_int_equal(ag_turn_compare(all[i], all[best]), -ag_turn_compare(all[best], all[i]));
    }
    for (int i = 0; i < N; ++i) {
      all[i].passed = i == best ? 0 : all[i].passed + 1;
      assert_true(all[i].passed < AG_PASSED_MOST + N);
    }
    ++ran[best];
  }
  assert_true(ran[N - 1] > 9000);
  /* Of those that are late the one that waits the longest goes first. */
  struct ag_standing late = {9, AG_PASSED_MOST}, later = {0, AG_PASSED_MOST + 1};
  assert_int_equal(ag_turn_compare(later, late), 1);
  assert_int_equal(ag_turn_compare(late, later), -1);
}

/* A FIFO is quiet when others had many turns without an arrival. Who waits is told so. */
static void quiet_beside_others(void **s) {
  (void)s;
  struct ag_batch_state state = {.arrivals = 3};
  assert_int_equal(ag_batch_event(&state, AG_ON_BURST), AG_ON_BURST);
  for (int i = 0; i < 3 * AG_QUIET_LOOKS; ++i) {
    state.arrivals += i % AG_QUIET_LOOKS == 0;
    assert_int_equal(ag_batch_event(&state, AG_ON_BURST), AG_ON_BURST);
    ag_batch_look(&state);
  }
  assert_int_equal(ag_batch_event(&state, AG_ON_BURST), AG_ON_QUIET);
  assert_int_equal(ag_batch_event(&state, AG_ON_SUBMIT), AG_ON_QUIET);
  assert_int_equal(ag_batch_event(&state, AG_ON_WAIT), AG_ON_WAIT);
  assert_int_equal(ag_batch_event(&state, AG_ON_NOTHING), AG_ON_NOTHING);
  ++state.arrivals;
  assert_int_equal(ag_batch_event(&state, AG_ON_BURST), AG_ON_BURST);
  ag_batch_look(&state);
  assert_int_equal(ag_batch_event(&state, AG_ON_BURST), AG_ON_BURST);
}

static struct ag_map_view view_of(uint64_t units, double each, double most) {
  return (struct ag_map_view){units, (double)units * each, most};
}

/* Small launches: by the units' size alone, unless it is known better. */
/* Arrivals by the clock: what lies between two pauses is a step, of which the first units tell nothing of
 * gaps. */
static void steps_by_hand(void **s) {
  (void)s;
  struct ag_batch_state b = {.arrivals = 5};
  ag_batch_tick(&b, 5, 100);
  b.arrivals = 10;
  ag_batch_tick(&b, 10, 600);
  assert_true(b.oldest_ns == 100 && b.last_ns == 600 && b.longest_ns == 100);
  assert_int_equal(b.gaps.total, 5);
  ag_batch_pause(&b);
  assert_true(b.phase.units == 10 && b.phase.last == 10 && b.phase.exact && b.phase.gap_ns == 100);
  assert_true(ag_batch_until_whole(&b, 10) == 500); /* they may come twice as fast as before */
  assert_true(ag_batch_until_whole(&b, 18) == 100);
  assert_true(ag_batch_until_whole(&b, 20) == 0);
  assert_true(ag_batch_until_whole(&b, 21) > 1000); /* it is another step */
  b.phase.gap_ns = 0;
  assert_true(ag_batch_until_whole(&b, 19) > 0);
  b.arrivals = 20;
  ag_batch_tick(&b, 20, 1000000);
  assert_int_equal(b.gaps.total, 5);
  ag_batch_pause(&b);
  assert_true(b.phase.units == 10 && b.phase.exact);
  ag_batch_pause(&b); /* it has asked twice */
  assert_true(b.phase.units == 10 && b.phase.exact && b.phase.begun == 20);
  b.arrivals = 31;
  ag_batch_tick(&b, 31, 1100000);
  ag_batch_pause(&b);
  assert_true(b.phase.units == 11 && !b.phase.exact);
  assert_true(ag_batch_until_whole(&b, 42) > 1000); /* nobody knows how many come */
  b.arrivals = 100;
  ag_batch_tick(&b, 100, 1200000);
  ag_batch_pause(&b);
  assert_true(b.phase.units == 0 && b.phase.last == 69);
  b.oldest_ns = 1000000;
  ag_batch_gone(&b, 3);
  assert_true(b.oldest_ns == 1200000);
  ag_batch_gone(&b, 0);
  assert_true(b.oldest_ns == 0);
}

/* After a while a longer one is forgotten altogether: else no step would ever be whole again. */
static void longer_steps_are_forgotten(void **s) {
  (void)s;
  struct ag_batch_state b = {0};
  for (int i = 0; i < 9; ++i) {
    b.arrivals += i ? 90 : 100;
    ag_batch_tick(&b, 1, 1000 * b.arrivals);
    ag_batch_pause(&b);
    assert_true(b.phase.exact == (i != 1));
  }
  assert_int_equal(b.phase.units, 90);
  assert_true(ag_batch_until_whole(&b, b.arrivals + 89) > 0);
  assert_true(ag_batch_until_whole(&b, b.arrivals + 90) == 0);
  assert_true(ag_batch_until_whole(&b, b.arrivals + 91) > 0);
}

/* Clocks of two threads differ. */
static void time_goes_back(void **s) {
  (void)s;
  struct ag_batch_state b = {.arrivals = 1};
  ag_batch_tick(&b, 1, 1000);
  for (uint64_t i = 2; i < 100; ++i) {
    b.arrivals = i;
    ag_batch_tick(&b, i, 1000 - i);
  }
  assert_true(b.longest_ns == 0 && ag_gaps_quantile(&b.gaps, 1) <= 2);
}

static void maps_by_size(void **s) {
  (void)s;
  struct ag_map_state state = {0};
  struct ag_map_view small = view_of(100, 10, 60), large = view_of(10, 1000, 1000),
                     long_one = view_of(900, 20, 5000);
  for (int i = 0; i < 10; ++i) {
    assert_int_equal(ag_map_choose(AG_MAP_AUTO, &state, &small), AGGLOM_MAP_WARP);
    assert_int_equal(ag_map_choose(AG_MAP_AUTO, &state, &large), AGGLOM_MAP_BLOCK);
    assert_int_equal(ag_map_choose(AG_MAP_AUTO, &state, &long_one), AGGLOM_MAP_BLOCK);
    ag_map_measured(&state, AGGLOM_MAP_WARP, &small, 1000000000);
  }
  assert_int_equal(ag_map_choose(AG_MAP_BLOCK, &state, &small), AGGLOM_MAP_BLOCK);
  assert_int_equal(ag_map_choose(AG_MAP_WARP, &state, &long_one), AGGLOM_MAP_WARP);
}

/* Large ones try both by turns; then the faster is taken, also for small ones. */
static void maps_by_time(void **s) {
  (void)s;
  for (int faster = 0; faster < 2; ++faster) {
    struct ag_map_state state = {0};
    struct ag_map_view view = view_of(2000, 20, 20), few = view_of(5, 20, 20);
    unsigned by_warp = 0;
    for (int i = 0; i < 2 * AG_MAP_TRIALS; ++i) {
      unsigned map = ag_map_choose(AG_MAP_AUTO, &state, &view);
      assert_true(i || map == AGGLOM_MAP_WARP);
      by_warp += map == AGGLOM_MAP_WARP;
      ag_map_measured(&state, map, &view, 0); /* unknown: says nothing */
      ag_map_measured(&state, map, &view, (map == AGGLOM_MAP_WARP) == faster ? 1000 : 3000);
    }
    assert_int_equal(by_warp, AG_MAP_TRIALS);
    unsigned best = faster ? AGGLOM_MAP_WARP : AGGLOM_MAP_BLOCK;
    for (int i = 0; i < 5; ++i) {
      assert_int_equal(ag_map_choose(AG_MAP_AUTO, &state, &view), best);
      assert_int_equal(ag_map_choose(AG_MAP_AUTO, &state, &few), best);
    }
    /* It became slow: the other one's turn. */
    for (int i = 0; i < 20; ++i)
      ag_map_measured(&state, best, &view, 9000);
    assert_int_not_equal(ag_map_choose(AG_MAP_AUTO, &state, &view), best);
  }
}

/* Chunks cover the iterations, each has one at least, and they are as many as they should be. */
static void loops_are_cut(void **s) {
  (void)s;
  const uint64_t sizes[] = {1, 2, 7, 100, 1000003, UINT64_MAX / 2, UINT64_MAX};
  const uint64_t chunks[] = {0, 1, 3, 1000, INT64_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (size_t j = 0; j < sizeof chunks / sizeof chunks[0]; ++j)
      for (unsigned kind = 0; kind < AGGLOM_SCHEDULE_RUNTIME; ++kind)
        for (unsigned devices = 0; devices < 3; ++devices) {
          struct ag_schedule_view view = {sizes[i], kind, chunks[j], 5, devices};
          struct ag_schedule_cut cut = ag_schedule_cut(&view);
          assert_true(cut.chunks >= 1 && cut.chunks <= view.n);
          assert_int_equal(ag_schedule_from(&view, &cut, 0), 0);
          assert_int_equal(ag_schedule_from(&view, &cut, cut.chunks), view.n);
          uint64_t most = 0, least = UINT64_MAX, from = 0;
          for (uint64_t k = 1; k <= cut.chunks && k < 5000; ++k) {
            uint64_t to = ag_schedule_from(&view, &cut, k);
            assert_true(to > from);
            most = to - from > most ? to - from : most;
            if (k < cut.chunks)
              least = to - from < least ? to - from : least;
            from = to;
          }
          if (view.chunk)
            assert_true(most <= view.chunk && (least == UINT64_MAX || least == view.chunk));
          else
            assert_true(least == UINT64_MAX || most - least <= 1);
        }
  struct ag_schedule_view view = {1000000, AGGLOM_SCHEDULE_STATIC, 0, 6, 0};
  assert_int_equal(ag_schedule_cut(&view).chunks, 6);
  uint64_t fixed_chunks = ag_schedule_cut(&view).chunks;
  view.kind = AGGLOM_SCHEDULE_AUTO;
  uint64_t by_itself = ag_schedule_cut(&view).chunks;
  view.kind = AGGLOM_SCHEDULE_DYNAMIC;
  assert_true(fixed_chunks < by_itself && by_itself < ag_schedule_cut(&view).chunks);
  view.devices = 2;
  assert_true(ag_schedule_cut(&view).chunks >= 512);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),          cmocka_unit_test(first_looks),
      cmocka_unit_test(maximal),        cmocka_unit_test(single),
      cmocka_unit_test(fixed),          cmocka_unit_test(counted),
      cmocka_unit_test(random_runs),    cmocka_unit_test(high_first),
      cmocka_unit_test(no_starvation),  cmocka_unit_test(random_turns),
      cmocka_unit_test(standings),      cmocka_unit_test(quiet_beside_others),

      cmocka_unit_test(steps_by_hand),  cmocka_unit_test(longer_steps_are_forgotten),
      cmocka_unit_test(time_goes_back), cmocka_unit_test(maps_by_size),
      cmocka_unit_test(maps_by_time),   cmocka_unit_test(loops_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
