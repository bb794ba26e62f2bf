/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a loop is worth a fork: machines and loops in virtual time. From its second execution on a loop
 * takes hardly longer, in the mean, than by the better way. */
#include "policy/loop/fork.h"
#include "random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CPUS = 4, CALLS = 300 };

/* What n iterations take. */
struct truth {
  double per;  /* ns of an iteration, by one thread */
  double each; /* what a crew's thread takes for one: more where memory is what all wait for */
  double fork; /* ns */
};

static double alone(const struct truth *t, uint64_t n) { return t->per * (double)n; }
static double crew(const struct truth *t, uint64_t n) { return t->fork + t->each * (double)n / CPUS; }

/* What the loop does, as the runtime goes about it. */
static struct ag_fork_choice choose(struct ag_fork_memory *m, const struct ag_fork_view *view, bool *timed) {
  *timed = !ag_fork_again(m, view->n);
  return *timed ? ag_fork_choose(m, view) : (struct ag_fork_choice){.way = AG_FORK_ALONE, .piece = view->n};
}

static double noise(uint64_t *random) {
  double u = (double)(next_random(random) % 1000) / 1000;
  return next_random(random) % 50 ? 0.95 + 0.1 * u : 4; /* now and then a thread loses its CPU */
}

static void near_the_better_way(void **state) {
  (void)state;
  static const double pers[] = {0.3, 3, 40, 700}, worse[] = {1, 1.5, 3, 6}, forks[] = {300, 1500, 6000};
  uint64_t random = 7;
  for (size_t p = 0; p < 4; ++p)
    for (size_t e = 0; e < 4; ++e)
      for (size_t f = 0; f < 3; ++f)
        for (uint64_t n = 10; n < 1000000; n *= 7) {
          struct truth t = {pers[p], pers[p] * worse[e], forks[f]};
          struct ag_fork_memory m = {0};
          double taken = 0, best = alone(&t, n) < crew(&t, n) ? alone(&t, n) : crew(&t, n);
          bool dealt = false;
          assert_int_equal(
              ag_fork_choose(&m,
                             &(struct ag_fork_view){.n = n, .cpus = CPUS, .awake = CPUS - 1, .lingers = true})
                  .way,
              AG_FORK_DEALT);
          ag_fork_learn(&m, AG_FORK_DEALT, n, (uint64_t)(alone(&t, n) * 1.2));
          for (int k = 0; k < CALLS; ++k) {
            struct ag_fork_view view = {
                .n = n, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
            bool timed;
            struct ag_fork_choice choice = choose(&m, &view, &timed);
            assert_false(choice.wake);
            assert_true(choice.piece > 0 && choice.piece <= n);
            dealt |= choice.way == AG_FORK_DEALT;
            double ns = choice.way == AG_FORK_CREW ? crew(&t, n) : alone(&t, n);
            taken += ns;
            if (timed)
              ag_fork_learn(&m, choice.way, n, (uint64_t)(ns * noise(&random)));
          }
          assert_true(dealt || alone(&t, n) < 3000000);
          assert_true(!dealt || alone(&t, n) > 2000000); /* long loops */
          if (!dealt && taken / CALLS > 1.06 * best + 100)
            fail_msg("%g ns, %g times, fork %g, n %llu: %g, best %g", t.per, worse[e], t.fork,
                     (unsigned long long)n, taken / CALLS, best);
        }
}

/* Where a loop takes one thread less than a fork, its time is taken now and then only, and stands for the
 * others: whatever period the program's loops have. When one takes longer that is soon seen; and whatever a
 * crew may be better at is timed each time. */
static void the_shortest_are_seldom_timed(void **state) {
  (void)state;
  enum { N = 20, SHORT_NS = 300, LONGER_NS = 2900000, MANY = 20000, PERIODS = 17 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
  unsigned timed = 0, stand_for = 0, in_phase[PERIODS][PERIODS] = {{0}}, alone = 0;
  ag_fork_learn(&m, AG_FORK_DEALT, N, SHORT_NS);
  for (int k = 0; k < MANY; ++k) {
    bool is_timed;
    struct ag_fork_choice choice = choose(&m, &view, &is_timed);
    assert_int_equal(choice.way, AG_FORK_ALONE);
    if (!is_timed)
      continue;
    ++timed;
    stand_for += choice.stands_for;
    for (int p = 2; p < PERIODS; ++p)
      ++in_phase[p][k % p];
    ag_fork_learn(&m, AG_FORK_ALONE, N, SHORT_NS);
  }
  assert_in_range(timed, MANY / 20, MANY / 12);
  assert_in_range(stand_for, MANY - 32, MANY);
  for (int p = 2; p < PERIODS; ++p)
    for (int phase = 0; phase < p; ++phase)
      assert_in_range(in_phase[p][phase] * (unsigned)p, timed * 3 / 4, timed * 5 / 4);
  for (int k = 0; k < CALLS; ++k) {
    bool is_timed;
    struct ag_fork_choice choice = choose(&m, &view, &is_timed);
    alone += choice.way == AG_FORK_ALONE;
    if (is_timed)
      ag_fork_learn(&m, choice.way, N, choice.way == AG_FORK_ALONE ? LONGER_NS : LONGER_NS / CPUS + 600);
  }
  assert_in_range(alone, 1, 30);
}

/* Other lengths are not tried anew: what is known of the nearest one counts. */
static void lengths_learn_from_one_another(void **state) {
  (void)state;
  struct ag_fork_memory m = {0};
  ag_fork_learn(&m, AG_FORK_DEALT, 1000, 10000);
  struct ag_fork_view view = {.n = 20, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_ALONE);
  view.n = 50000;
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_CREW);
  view.n = 1000000000;
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_DEALT);
}

/* Threads that sleep are woken for loops that follow one another, or are long; not for a short one by itself.
 */
static void sleepers(void **state) {
  (void)state;
  struct ag_fork_memory m = {0};
  ag_fork_learn(&m, AG_FORK_ALONE, 1000, 20000);
  struct ag_fork_view view = {
      .n = 1000, .cpus = CPUS, .awake = 0, .lingers = true, .since_ns = UINT64_MAX, .wanted_ns = UINT64_MAX};
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_ALONE);
  view.since_ns = 3000;
  struct ag_fork_choice often = ag_fork_choose(&m, &view);
  assert_true(often.way == AG_FORK_CREW && often.wake);
  view.since_ns = UINT64_MAX;
  view.n = 60000;
  struct ag_fork_choice large = ag_fork_choose(&m, &view);
  assert_true(large.way == AG_FORK_CREW && large.wake);
  view.cpus = 1;
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_ALONE);
}

/* Loops that follow one another get a crew, whatever the first ones ran into: threads that were asleep, or a
 * single execution in which a thread had lost its CPU. */
static void bad_beginnings(void **state) {
  (void)state;
  enum { N = 1000, ALONE_NS = 100000, CREW_NS = 55000, LOST_NS = 1300000 };
  for (int lost = 0; lost < 2; ++lost) {
    struct ag_fork_memory m = {0};
    struct ag_fork_view view = {
        .n = N, .cpus = CPUS, .lingers = true, .since_ns = UINT64_MAX, .wanted_ns = UINT64_MAX};
    unsigned crews = 0;
    ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
    ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
    if (lost)
      ag_fork_learn(&m, AG_FORK_CREW, N, LOST_NS);
    for (int k = 0; k < CALLS; ++k) {
      struct ag_fork_choice choice = ag_fork_choose(&m, &view);
      assert_true(!choice.wanted || choice.way == AG_FORK_ALONE);
      if (choice.wanted)
        view.wanted_ns = ALONE_NS + 1000;
      if (choice.way == AG_FORK_CREW)
        view.since_ns = 1000;
      if (choice.way == AG_FORK_ALONE)
        ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
      else if (view.awake)
        ag_fork_learn(&m, AG_FORK_CREW, N, CREW_NS);
      crews += choice.way == AG_FORK_CREW;
      view.awake = choice.way == AG_FORK_CREW ? CPUS - 1 : 0;
    }
    assert_true(crews > CALLS / 2);
  }
}

/* Loops that are short beside the time between them wake nobody: a crew that stays awake for them would take
 * a CPU from others, and wait for one itself. */
static void short_and_seldom(void **state) {
  (void)state;
  enum { N = 1000, ALONE_NS = 5000, GAP_NS = 700000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = CPUS, .lingers = true, .since_ns = UINT64_MAX};
  view.wanted_ns = UINT64_MAX;
  for (int k = 0; k < CALLS; ++k) {
    struct ag_fork_choice choice = ag_fork_choose(&m, &view);
    if (choice.way != AG_FORK_DEALT)
      assert_false(choice.wake);
    if (choice.wanted)
      view.wanted_ns = ALONE_NS + GAP_NS;
    ag_fork_learn(&m, choice.way, N, ALONE_NS);
  }
}

/* A crew that was slow once and does not come any more, as other programs have its CPUs, is woken in few
 * executions. */
static void does_not_come(void **state) {
  (void)state;
  enum { N = 1000, ALONE_NS = 20000, SLOW_NS = 2000000, LONG = 10000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {
      .n = N, .cpus = CPUS, .lingers = true, .since_ns = 1000, .wanted_ns = UINT64_MAX};
  unsigned wakes = 0;
  ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  ag_fork_learn(&m, AG_FORK_CREW, N, SLOW_NS);
  for (int k = 0; k < LONG; ++k) {
    struct ag_fork_choice choice = ag_fork_choose(&m, &view);
    wakes += choice.wake;
    if (choice.way == AG_FORK_ALONE)
      ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  }
  assert_in_range(wakes, 1, LONG / 8);
}

/* Another program may make a crew take many times as long, and end: seldom, that is looked at. */
static void other_programs_end(void **state) {
  (void)state;
  enum { N = 1000, ALONE_NS = 20000, WITH_OTHERS_NS = 200000, CREW_NS = 8000, LONG = 20000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
  double taken = 0;
  unsigned crews = 0;
  ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  for (int k = 0; k < 2 * LONG; ++k) {
    bool crew = ag_fork_choose(&m, &view).way == AG_FORK_CREW, others = k < LONG;
    uint64_t ns = !crew ? ALONE_NS : others ? WITH_OTHERS_NS : CREW_NS;
    ag_fork_learn(&m, crew ? AG_FORK_CREW : AG_FORK_ALONE, N, ns);
    taken += others ? (double)ns : 0;
    crews += crew && !others;
  }
  assert_true(taken < 1.05 * LONG * ALONE_NS);
  assert_true(crews > LONG / 2);
}

/* A crew to which nobody comes is tried ever more seldom. */
static void trials_in_vain(void **state) {
  (void)state;
  enum { N = 10000, ALONE_NS = 2200, MANY = 100000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = CPUS, .lingers = true, .since_ns = 1000, .wanted_ns = 1000};
  unsigned wakes = 0, asked = 0;
  ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  ag_fork_learn(&m, AG_FORK_CREW, N, 20 * ALONE_NS);
  for (int k = 0; k < MANY; ++k) {
    bool timed;
    struct ag_fork_choice choice = choose(&m, &view, &timed);
    wakes += choice.wake;
    asked += timed;
    if (timed && choice.way == AG_FORK_ALONE)
      ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  }
  assert_in_range(wakes, 1, MANY / 200);
  assert_in_range(asked, MANY / 20, MANY / 10); /* though no crew has ever been seen a second time */
}

/* Where it is clear that a crew is slower it is tried ever more seldom, and the loop is seldom asked for;
 * that the crew has become faster is noticed all the same. */
static void settled(void **state) {
  (void)state;
  enum { N = 10000, ALONE_NS = 2200, CREW_NS = 2600, FASTER_NS = 1500, MANY = 1000000, SOON = 250000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = 2, .awake = 1, .lingers = true, .since_ns = 1000};
  unsigned asked = 0, asked_soon = 0, crews = 0, calls = 0;
  bool timed, faster = false;
  ag_fork_learn(&m, AG_FORK_DEALT, N, ALONE_NS);
  for (int k = 0; k < MANY; ++k) {
    struct ag_fork_choice choice = choose(&m, &view, &timed);
    asked += timed;
    asked_soon += timed && k < CALLS; /* one trial is enough, before the second */
    crews += choice.way == AG_FORK_CREW;
    if (timed)
      ag_fork_learn(&m, choice.way, N, choice.way == AG_FORK_CREW ? CREW_NS : ALONE_NS);
  }
  assert_in_range(asked, MANY / 20, MANY / 12);
  assert_in_range(asked_soon, 1, CALLS / 2);
  assert_in_range(crews, 4, MANY / 5000);
  for (; !faster && calls < 2 * SOON; ++calls) {
    enum ag_fork_way way = choose(&m, &view, &timed).way;
    if (timed)
      ag_fork_learn(&m, way, N, way == AG_FORK_CREW ? FASTER_NS : ALONE_NS);
    faster = m.of[ag_fork_length(N)].crew * N < ALONE_NS;
  }
  assert_in_range(calls, 1, SOON);
  for (crews = 0, calls = 0; calls < CALLS; ++calls) {
    enum ag_fork_way way = choose(&m, &view, &timed).way;
    crews += way == AG_FORK_CREW;
    if (timed)
      ag_fork_learn(&m, way, N, way == AG_FORK_CREW ? FASTER_NS : ALONE_NS);
  }
  assert_in_range(crews, CALLS * 9 / 10, CALLS);
}

/* A loop that seemed long enough for a trial at first is none the less known to be short. */
static void short_after_all(void **state) {
  (void)state;
  enum { N = 1000, FIRST_NS = 9000, ALONE_NS = 160, CREW_NS = 3000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = 2, .awake = 1, .lingers = true, .since_ns = 1000};
  ag_fork_learn(&m, AG_FORK_DEALT, N, FIRST_NS);
  unsigned asked = 0;
  for (int k = 0; k < CALLS; ++k) {
    bool timed;
    enum ag_fork_way way = choose(&m, &view, &timed).way;
    asked += timed;
    if (timed)
      ag_fork_learn(&m, way, N, way == AG_FORK_CREW ? CREW_NS : ALONE_NS);
  }
  assert_in_range(asked, 1, CALLS / 4);
}

/* Lengths that differ by less than two times have one number, and all have one. */
static void lengths(void **state) {
  (void)state;
  struct ag_fork_memory m = {0};
  for (uint64_t n = 1, last = 0; n && n <= UINT64_MAX / 2; n *= 2) {
    assert_in_range(ag_fork_length(n), last, AG_FORK_LENGTHS - 1);
    assert_int_equal(ag_fork_length(n), ag_fork_length(n + (n - 1) / 2));
    if (n < UINT32_C(1) << 31)
      assert_true(ag_fork_length(n) > last || n == 1);
    last = ag_fork_length(n);
    assert_false(ag_fork_again(&m, n));
  }
  assert_int_equal(ag_fork_length(0), 0);
  assert_int_equal(ag_fork_length(UINT64_MAX), AG_FORK_LENGTHS - 1);
}

/* A crew that other programs have slowed down gets its loops back, also where its threads have fallen asleep
 * from one loop to the next: a streak of trials wakes them once. */
static void back_after_pauses(void **state) {
  (void)state;
  enum {
    N = 1000,
    GAP_NS = 1000000,
    ALONE_NS = 300000,
    CREW_NS = 90000,
    SLOWED_NS = 900000,
    MOST_NS = 5000000
  };
  struct ag_fork_memory m = {0};
  uint64_t now = 0, ended = 0, until = 0, crews = 0;
  ag_fork_learn(&m, AG_FORK_DEALT, N, ALONE_NS);
  for (int k = 0; k < 20000; ++k) {
    struct ag_fork_view view = {
        .n = N, .cpus = CPUS, .lingers = true, .since_ns = UINT64_MAX, .wanted_ns = UINT64_MAX};
    view.awake = now < until ? CPUS - 1 : 0;
    view.since_ns = ended ? now - ended : UINT64_MAX;
    bool timed;
    struct ag_fork_choice choice = choose(&m, &view, &timed);
    uint64_t took = choice.way != AG_FORK_CREW ? ALONE_NS : k < 2000 ? SLOWED_NS : CREW_NS;
    if (timed && (choice.way != AG_FORK_CREW || !choice.wake))
      ag_fork_learn(&m, choice.way, N, took);
    if (choice.way == AG_FORK_CREW) { /* as loops/crew.c and ag_hybrids_linger() */
      uint64_t linger = ended ? 2 * (now - ended) : 1;
      until = now + took + (linger < 100000 ? 100000 : linger < MOST_NS ? linger : MOST_NS);
      ended = now + took;
      crews += k > 15000;
    }
    now += took + GAP_NS;
  }
  assert_in_range(crews, 4000, 5000);
}

/* What is long, or grows, is asked for each time. */
static void settled_are_short(void **state) {
  (void)state;
  enum { N = 1000, ALONE_NS = 40000, CREW_NS = 60000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = 2, .awake = 1, .lingers = true, .since_ns = 1000};
  ag_fork_learn(&m, AG_FORK_DEALT, N, ALONE_NS);
  for (int k = 0; k < CALLS; ++k) {
    bool timed;
    enum ag_fork_way way = choose(&m, &view, &timed).way;
    assert_true(timed);
    ag_fork_learn(&m, way, N, way == AG_FORK_CREW ? CREW_NS : ALONE_NS);
  }
}

/* Trials that grow seldom are not that seldom: a CPU that has become free is noticed within a second or so.
 */
static void free_again(void **state) {
  (void)state;
  enum { N = 1000000, ALONE_NS = 1000000, MANY = 100000, SOON = 3000 };
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = N, .cpus = CPUS, .lingers = true, .since_ns = 1000, .wanted_ns = 1000};
  ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  for (int k = 0; k < 4; ++k)
    ag_fork_learn(&m, AG_FORK_CREW, N, 3 * ALONE_NS);
  for (int k = 0; k < MANY; ++k)
    if (ag_fork_choose(&m, &view).way == AG_FORK_ALONE)
      ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  unsigned calls = 0;
  for (view.awake = CPUS - 1; ag_fork_choose(&m, &view).way == AG_FORK_ALONE; ++calls)
    ag_fork_learn(&m, AG_FORK_ALONE, N, ALONE_NS);
  assert_in_range(calls, 0, SOON);
}

/* With one CPU no loop has a crew; what has grown long is for chunks, and so for devices, none the less. */
static void one_cpu(void **state) {
  (void)state;
  enum { N = 1000, SHORT_NS = 1000, LONG_NS = 100000000, FEW = 64 };
  for (int devices = 0; devices < 2; ++devices) {
    struct ag_fork_memory m = {0};
    struct ag_fork_view view = {.n = N, .cpus = 1, .devices = devices};
    unsigned alone = 0;
    if (devices)
      ag_fork_learn(&m, AG_FORK_DEALT, N, SHORT_NS);
    for (int k = 0; k < 2 * CALLS; ++k) {
      bool timed;
      struct ag_fork_choice choice = choose(&m, &view, &timed);
      assert_int_not_equal(choice.way, AG_FORK_CREW);
      alone += k >= CALLS && choice.way == AG_FORK_ALONE;
      if (timed)
        ag_fork_learn(&m, choice.way, N, k < CALLS ? SHORT_NS : LONG_NS);
    }
    if (devices)
      assert_in_range(alone, 1, FEW);
    else /* there is nobody to deal it to, and it computes what the serial program does */
      assert_int_equal(alone, CALLS);
  }
}

/* Short loops of which no crew can be made, or whose chunks wait for one another, say so, however short. */
static void short_but_not_free(void **state) {
  (void)state;
  enum { N = 20, SHORT_NS = 300 };
  for (int in_turn = 0; in_turn < 2; ++in_turn) {
    struct ag_fork_memory m = {0};
    struct ag_fork_view view = {.n = N, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
    ag_fork_learn(&m, AG_FORK_DEALT, N, SHORT_NS);
    assert_false(ag_fork_choose(&m, &view).refused);
    assert_false(ag_fork_again(&m, N)); /* it is not known for sure */
    for (int k = 0; k < 4; ++k)
      ag_fork_learn(&m, AG_FORK_ALONE, N, SHORT_NS);
    assert_false(ag_fork_choose(&m, &view).refused);
    for (int k = 0; k < 3 && in_turn; ++k)
      ag_fork_in_turn(&m, true);
    if (!in_turn)
      ag_fork_refused(&m, N);
    assert_true(ag_fork_choose(&m, &view).refused);
  }
}

/* Where there are more threads than CPUs those of a crew do not stay awake: each loop wakes them, or is run
 * alone. */
static void no_lingering(void **state) {
  (void)state;
  enum { CALLS = 2000 };
  const double woken_ns = 40000;
  for (uint64_t alone_ns = 100; alone_ns < 2000000; alone_ns *= 4) {
    struct ag_fork_memory m = {0};
    uint64_t n = 1000, crews = 0;
    double taken = 0, alone = (double)alone_ns, crew_ns = woken_ns + alone / 2;
    ag_fork_learn(&m, AG_FORK_DEALT, n, alone_ns);
    for (int k = 0; k < CALLS; ++k) {
      struct ag_fork_view view = {.n = n, .cpus = CPUS, .awake = 0, .since_ns = 1000};
      struct ag_fork_choice choice = ag_fork_choose(&m, &view);
      assert_int_equal(choice.way == AG_FORK_CREW, choice.wake);
      double ns = choice.wake ? crew_ns : alone;
      crews += choice.wake;
      taken += ns;
      ag_fork_learn(&m, choice.way, n, (uint64_t)ns);
    }
    double best = alone < crew_ns ? alone : crew_ns;
    if (taken > 1.05 * CALLS * best)
      fail_msg("%g ns: %g, best %g, %llu crews", alone, taken / CALLS, best, (unsigned long long)crews);
  }
}

/* The first execution, in chunks, may take any number of times what one thread takes: pages are touched,
 * threads wake. */
static void first_executions_mislead(void **state) {
  (void)state;
  enum { CALLS = 500 };
  const double alone_ns = 700, crew_ns = 10000;
  for (uint64_t first = 1000; first < 2000000; first *= 3) {
    struct ag_fork_memory m = {0};
    double taken = 0;
    ag_fork_learn(&m, AG_FORK_DEALT, 1000, first);
    for (int k = 0; k < CALLS; ++k) {
      struct ag_fork_view view = {
          .n = 1000, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
      enum ag_fork_way way = ag_fork_choose(&m, &view).way;
      double ns = way == AG_FORK_CREW ? crew_ns : alone_ns;
      taken += ns;
      ag_fork_learn(&m, way, 1000, (uint64_t)ns);
    }
    if (taken > 2 * CALLS * alone_ns)
      fail_msg("first %llu ns: %g, best %g", (unsigned long long)first, taken / CALLS, alone_ns);
  }
}

static void refused(void **state) {
  (void)state;
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = 3000, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
  ag_fork_learn(&m, AG_FORK_DEALT, 3000, 30000);
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_CREW);
  ag_fork_refused(&m, 3000);
  for (int k = 0; k < 200; ++k)
    assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_ALONE);
}

/* A loop whose chunks wait for one another runs in one piece, long as it may be and whatever its length; now
 * and then it is dealt out again. With devices it is always. */
static void in_turn(void **state) {
  (void)state;
  struct ag_fork_memory m = {0};
  struct ag_fork_view view = {.n = 3000, .cpus = CPUS, .awake = CPUS - 1, .lingers = true, .since_ns = 1000};
  ag_fork_learn(&m, AG_FORK_DEALT, 3000, 3000000000);
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_DEALT);
  ag_fork_in_turn(&m, true);
  ag_fork_in_turn(&m, false); /* a thread may have lost its CPU */
  ag_fork_in_turn(&m, true);
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_DEALT);
  ag_fork_in_turn(&m, true);
  unsigned dealt = 0;
  for (unsigned k = 0; k < 1000; ++k) {
    view.n = 1 + k * 7;
    struct ag_fork_choice choice = ag_fork_choose(&m, &view);
    assert_true(choice.refused);
    assert_true(choice.way == AG_FORK_ALONE || choice.way == AG_FORK_DEALT);
    dealt += choice.way == AG_FORK_DEALT;
    if (choice.way == AG_FORK_DEALT)
      ag_fork_in_turn(&m, true);
  }
  assert_true(dealt > 1 && dealt < 10);
  ag_fork_in_turn(&m, false);
  assert_false(ag_fork_choose(&m, &view).refused);
  view.n = 3000;
  view.devices = true;
  assert_int_equal(ag_fork_choose(&m, &view).way, AG_FORK_DEALT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(near_the_better_way),
                                     cmocka_unit_test(the_shortest_are_seldom_timed),
                                     cmocka_unit_test(lengths_learn_from_one_another),
                                     cmocka_unit_test(sleepers),
                                     cmocka_unit_test(bad_beginnings),
                                     cmocka_unit_test(short_and_seldom),
                                     cmocka_unit_test(does_not_come),
                                     cmocka_unit_test(other_programs_end),
                                     cmocka_unit_test(one_cpu),
                                     cmocka_unit_test(short_but_not_free),
                                     cmocka_unit_test(free_again),
                                     cmocka_unit_test(settled),
                                     cmocka_unit_test(settled_are_short),
                                     cmocka_unit_test(short_after_all),
                                     cmocka_unit_test(lengths),
                                     cmocka_unit_test(back_after_pauses),
                                     cmocka_unit_test(trials_in_vain),
                                     cmocka_unit_test(no_lingering),
                                     cmocka_unit_test(first_executions_mislead),
                                     cmocka_unit_test(refused),
                                     cmocka_unit_test(in_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
