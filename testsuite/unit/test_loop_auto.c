/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schedule `auto`: what it makes of what it knows (test_curve.c has what it learns). How it compares with
 * the others is tested with agglom-sim, in testsuite/sim. */
#include "policy/loop/loop.h"
#include "random.h"
#include "virtual_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool near(double a, double b, double part) { return fabs(a - b) <= part * fabs(b); }

/* --- Whole loops: one CPU unit and one device in virtual time ----------------------------------------------
 */

struct machine {
  double cpu_ns, device_ns, launch_ns; /* of an iteration, of an iteration, of a chunk */
};

static double cost(const void *machine, unsigned u, uint64_t from, uint64_t to) {
  const struct machine *m = machine;
  double n = (double)(to - from);
  return u ? m->launch_ns + n * m->device_ns : n * m->cpu_ns;
}

/* Time of an execution. */
static double execute(void *state, const struct ag_loop_view *view, const struct machine *m) {
  return in_virtual_time(state, view, cost, m, NULL);
}

static double steady(const struct ag_loop_view *view, const struct machine *m) {
  static _Alignas(max_align_t) char state[1 << 15];
  double ns = 0;
  memset(state, 0, sizeof state);
  assert_true(ag_loop_state_bytes(view) <= sizeof state);
  for (int i = 0; i < 8; ++i)
    ns = execute(state, view, m);
  return ns;
}

/* All but a few percent of what both can do together, on very different machines. */
static void both_are_used(void **s) {
  (void)s;
  unsigned lanes = 32;
  struct ag_loop_view view = {.machine = {1, 1, &lanes, NULL}, .n = 100000, .kind = AGGLOM_SCHEDULE_AUTO};
  const struct machine machines[] = {
      {1000, 100, 20000}, {1000, 1000, 1000}, {1000, 5000, 10000}, {200, 10, 100000}};
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i) {
    const struct machine *m = &machines[i];
    double rate = 1 / m->cpu_ns + 1 / m->device_ns, ideal = (100000 + m->launch_ns / m->device_ns) / rate;
    assert_true(steady(&view, m) < 1.05 * ideal);
  }
}

/* One iteration on the CPU would take longer than all of them on the device; or 14 and 2 of 16 are best. */
static void large_iterations(void **s) {
  (void)s;
  struct ag_loop_view view = {.machine = {1, 1, NULL, NULL}, .n = 16, .kind = AGGLOM_SCHEDULE_AUTO};
  assert_true(steady(&view, &(struct machine){30e6, 1e6, 0}) < 16.01e6);
  assert_true(steady(&view, &(struct machine){6.74e6, 1e6, 0}) < 14.01e6);
  assert_true(steady(&view, &(struct machine){1e6, 30e6, 0}) < 16.01e6);
}

/* --- Loops whose iterations differ -------------------------------------------------------------------------
 */

/* The device fills up with as many iterations as take fill_ns by themselves. */
struct uneven {
  unsigned cpus, devices;
  uint64_t n;
  double mean_ns, launch_ns, fill, speed, grant_ns;
  double (*part)(uint64_t i, uint64_t n); /* of an iteration: times the mean */
  double sum[5001];
  double factor[4]; /* of devices' times; 0: 1 */
};

static double rises(uint64_t i, uint64_t n) { return 2 * ((double)i + 0.5) / (double)n; }

static double is_even(uint64_t i, uint64_t n) {
  (void)i;
  (void)n;
  return 1;
}

/* One in ten costs 20 times as much as the others. */
static double has_heavy_ones(uint64_t i, uint64_t n) {
  uint64_t seed = i + 1;
  (void)n;
  (void)next_random(&seed);
  return (next_random(&seed) % 10 ? 1 : 20) / 2.9;
}

static double uneven_cost(const void *context, unsigned u, uint64_t from, uint64_t to) {
  const struct uneven *l = context;
  uint64_t seed = from * 5003 + to * 73 + u + 1;
  double noise = 1 + 0.02 * ((double)(next_random(&seed) % 2001) / 1000 - 1),
         work = l->sum[to] - l->sum[from], n = (double)(to - from);
  if (u < l->cpus)
    return (l->grant_ns + work * l->mean_ns) * noise;
  double factor = l->factor[u - l->cpus] > 0 ? l->factor[u - l->cpus] : 1;
  return l->grant_ns + (l->launch_ns + work / n * (n + l->fill) * l->mean_ns / l->speed) * noise * factor;
}

static void prepare(struct uneven *l) {
  l->sum[0] = 0;
  for (uint64_t i = 0; i < l->n; ++i)
    l->sum[i + 1] = l->sum[i] + l->part(i, l->n);
}

/* Times of so many executions, in the time that CPU units alone would take at least. */
static void execute_uneven(struct uneven *l, unsigned lanes, double *times, unsigned executions,
                           struct virtual_unit *unit) {
  unsigned all_lanes[] = {lanes, lanes, lanes, lanes};
  struct ag_loop_view view = {
      .machine = {l->cpus, l->devices, all_lanes, NULL}, .n = l->n, .kind = AGGLOM_SCHEDULE_AUTO};
  void *state = calloc(1, ag_loop_state_bytes(&view));
  assert_non_null(state);
  prepare(l);
  double alone = (double)l->n * l->mean_ns / l->cpus;
  for (unsigned i = 0; i < executions; ++i)
    times[i] = in_virtual_time(state, &view, uneven_cost, l, unit) / alone;
  free(state);
}

/* Iterations become heavier and heavier, and the devices' first ones are so light that nobody can say how
 * light. After two executions it is known that no device is worth anything on heavy ones. */
static void devices_that_begin_with_light_iterations(void **s) {
  (void)s;
  enum { EXECUTIONS = 20 };
  static struct uneven loops[] = {{.cpus = 16,
                                   .devices = 4,
                                   .n = 2554,
                                   .mean_ns = 68482,
                                   .launch_ns = 14476,
                                   .fill = 1456,
                                   .speed = 5.07,
                                   .grant_ns = 500,
                                   .part = rises},
                                  {.cpus = 64,
                                   .devices = 1,
                                   .n = 3045,
                                   .mean_ns = 165,
                                   .launch_ns = 3910,
                                   .fill = 3148,
                                   .speed = 4.94,
                                   .grant_ns = 500,
                                   .part = rises}};
  for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i) {
    double times[EXECUTIONS];
    execute_uneven(&loops[i], 130, times, EXECUTIONS, NULL);
    assert_true(times[1] < 3);
    for (int k = 2; k < EXECUTIONS; ++k)
      assert_true(times[k] < 1.6);
  }
}

/* One iteration is as much work as 8 % of the loop, and one as much as 4 %. */
static double has_peaks(uint64_t i, uint64_t n) {
  return i == n / 5 * 4 ? 0.08 * (double)n : i == n / 2 ? 0.04 * (double)n : 0.88;
}

/* They are too much for one of 16 CPU units, and the loop is short enough for each iteration to be a part of
 * its own. What they have cost at first is not paid again. */
static void peaks_are_for_devices(void **s) {
  (void)s;
  enum { EXECUTIONS = 20 };
  static struct uneven loop = {.cpus = 16,
                               .devices = 2,
                               .n = 500,
                               .mean_ns = 200000,
                               .launch_ns = 10000,
                               .fill = 2.5,
                               .speed = 20,
                               .part = has_peaks};
  double times[EXECUTIONS];
  execute_uneven(&loop, 16, times, EXECUTIONS, NULL);
  for (int k = EXECUTIONS / 2; k < EXECUTIONS; ++k)
    assert_true(times[k] < 0.5);
}

/* The loop is so long that nobody sees a single iteration by itself, and one is a tenth of the work: twice
 * what a CPU unit does while all do all. A device has it among many others, and is free when it is its turn.
 */
static double has_one_peak(uint64_t i, uint64_t n) { return i == n / 5 * 4 + 3 ? 0.1 * (double)n : 0.9; }

static void one_iteration_of_many(void **s) {
  (void)s;
  enum { FIRST = 4, EXECUTIONS = 20 };
  static struct uneven loops[] = {{.cpus = 8, .devices = 1, .speed = 12},
                                  {.cpus = 12, .devices = 2, .speed = 4}};
  for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i) {
    struct uneven *l = &loops[i];
    double times[EXECUTIONS], ideal = l->cpus / (l->cpus + l->devices * l->speed);
    l->n = 5000;
    l->mean_ns = 20000;
    l->launch_ns = 10000;
    l->fill = 20;
    l->part = has_one_peak;
    execute_uneven(l, 16, times, EXECUTIONS, NULL);
    double sum = 0;
    for (int k = FIRST; k < EXECUTIONS; ++k)
      sum += times[k];
    assert_true(sum < 1.4 * ideal * (EXECUTIONS - FIRST));
  }
}

/* A few iterations that are much heavier than the others, and little else. */
static void heavy_iterations_among_light_ones(void **s) {
  (void)s;
  enum { EXECUTIONS = 30 };
  static struct uneven l = {.cpus = 64,
                            .devices = 2,
                            .n = 1079,
                            .mean_ns = 54930,
                            .launch_ns = 17590,
                            .fill = 26,
                            .speed = 3.25,
                            .grant_ns = 500,
                            .part = has_heavy_ones};
  double times[EXECUTIONS];
  execute_uneven(&l, 16, times, EXECUTIONS, NULL);
  for (int k = 0; k < EXECUTIONS; ++k)
    assert_true(times[k] < (k < 3 ? 3 : 1.6));
}

/* Nothing is known of a device at first, so it is tried with little: a quarter of its share of the loop at
 * most, and then up to four times as much. */
static void first_chunks_of_devices(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122);
  for (int round = 0; round < 2000; ++round) {
    struct uneven l = {.cpus = 1 + (unsigned)(next_random(&seed) % 16),
                       .devices = 1,
                       .n = 5000,
                       .mean_ns = 100 << next_random(&seed) % 8,
                       .launch_ns = 1000 << next_random(&seed) % 10,
                       .fill = 10 << next_random(&seed) % 8,
                       .speed = 2 << next_random(&seed) % 5,
                       .grant_ns = 500,
                       .part = is_even};
    double time;
    struct virtual_unit unit[VIRTUAL_UNITS];
    execute_uneven(&l, 4 << next_random(&seed) % 6, &time, 1, unit);
    const struct virtual_unit *device = &unit[l.cpus];
    assert_true(device->first > 0 && device->first <= l.n / (l.cpus + 1) / 4 + 1);
    assert_true(device->second <= 4 * device->first);
  }
}

static double even_cost(const void *context, unsigned u, uint64_t from, uint64_t to) {
  (void)context;
  (void)u;
  return 1000 * (double)(to - from);
}

/* In a first execution nobody knows where the work is, so a CPU unit's second chunk is not many times the
 * first, however long the loop seems to be. */
static void second_chunks_of_cpus(void **s) {
  (void)s;
  struct virtual_unit unit[VIRTUAL_UNITS];
  for (unsigned cpus = 1; cpus <= 16; cpus *= 2) {
    static _Alignas(max_align_t) char state[1 << 15];
    struct ag_loop_view view = {.machine = {cpus, 0, NULL, NULL}, .n = 1000000, .kind = AGGLOM_SCHEDULE_AUTO};
    memset(state, 0, sizeof state);
    assert_true(ag_loop_state_bytes(&view) <= sizeof state);
    (void)in_virtual_time(state, &view, even_cost, NULL, unit);
    for (unsigned u = 0; u < cpus; ++u)
      assert_true(unit[u].first > 0 && unit[u].second <= 20 * unit[u].first);
  }
}

/* Of two devices that should be alike one is half as fast: all the same the loop takes little longer than it
 * must, also when both become slower. */
static void devices_differ(void **s) {
  (void)s;
  unsigned lanes[] = {32, 32};
  static struct uneven l = {.cpus = 1,
                            .devices = 2,
                            .n = 5000,
                            .mean_ns = 20000,
                            .launch_ns = 10000,
                            .fill = 50,
                            .speed = 10,
                            .part = is_even,
                            .factor = {1, 2}};
  struct ag_loop_view view = {.machine = {1, 2, lanes, NULL}, .n = l.n, .kind = AGGLOM_SCHEDULE_AUTO};
  struct virtual_unit unit[VIRTUAL_UNITS];
  void *state = calloc(1, ag_loop_state_bytes(&view));
  assert_non_null(state);
  prepare(&l);
  for (int i = 0; i < 40; ++i) {
    if (i == 20)
      l.factor[0] = l.factor[1] = 6;
    double ns = in_virtual_time(state, &view, uneven_cost, &l, unit);
    /* As many CPU units as all are together. */
    double all = 1 + 10 / l.factor[0] + 10 / l.factor[1];
    if (i % 20 < 16)
      continue;
    assert_true(ns < 1.1 * (double)l.n * l.mean_ns / all);
    assert_true(near((double)unit[1].done / (double)unit[2].done, l.factor[1] / l.factor[0], 0.2));
  }
  free(state);
}

/* --- One decision ------------------------------------------------------------------------------------------
 */

/* A CPU unit that does 100 iterations in a ms, and a device: chunks, launch, fill, per; and where it was
 * measured. */
static void *known(struct ag_loop_view *view, const double *device, unsigned numbers) {
  static const unsigned lanes[] = {16};
  *view = (struct ag_loop_view){.machine = {1, 1, lanes, NULL}, .n = view->n, .kind = AGGLOM_SCHEDULE_AUTO};
  const struct ag_loop_memo memos[] = {{"speed", 0, 2, (double[]){100, 1000}}, {"curve", 1, numbers, device}};
  void *state = calloc(1, ag_loop_state_bytes(view));
  assert_non_null(state);
  assert_true(ag_loop_seed(state, view, memos, 2));
  return state;
}

static struct ag_loop_grant device_is_asked(uint64_t n, const double *device, unsigned numbers) {
  struct ag_loop_view view = {.n = n};
  void *state = known(&view, device, numbers);
  struct ag_loop_grant g = ag_loop_next(ag_loop_begin(state, &view), 1, 0);
  free(state);
  return g;
}

/* 10 iterations take the CPU unit 0.1 ms. A device gets some of them only if it is through with them before,
 * even by the error that is to be expected of a curve of an earlier run, which is a quarter. */
static void little_that_is_left(void **s) {
  (void)s;
  assert_int_equal(device_is_asked(10, (double[]){100, 0, 0, 0.01, 4, 1, 64, 1}, 8).what, AG_LOOP_RUN);
  assert_int_equal(device_is_asked(10, (double[]){100, 0.02, 0, 0.01, 4, 1, 64, 1}, 8).what, AG_LOOP_RUN);
  assert_int_equal(device_is_asked(10, (double[]){100, 0.12, 0, 0.01, 4, 1, 64, 1}, 8).what, AG_LOOP_NONE);
  assert_int_equal(device_is_asked(10, (double[]){100, 0, 12, 0.01, 4, 1, 64, 1}, 8).what, AG_LOOP_NONE);
}

/* A device that is ten times as fast as the CPU unit gets what makes both end together, 909 of 1000; one that
 * is as fast 500. */
static void what_ends_together(void **s) {
  (void)s;
  struct ag_loop_grant g = device_is_asked(1000, (double[]){100, 0, 0, 0.001, 10, 1, 5000, 1}, 8);
  assert_in_range(g.to, 880, 930);
  g = device_is_asked(1000, (double[]){100, 0, 0, 0.01, 10, 1, 5000, 1}, 8);
  assert_in_range(g.to, 470, 530);
  g = device_is_asked(1000, (double[]){100, 1, 0, 0.01, 10, 1, 5000, 1}, 8); /* 1 ms is 100 less for both */
  assert_in_range(g.to, 420, 480);
}

/* It has shown 100 iterations, so it does not get more than 400 for now. */
static void no_more_than_was_tried(void **s) {
  (void)s;
  struct ag_loop_grant g = device_is_asked(1000000, (double[]){100, 0, 0, 0.001, 10, 1, 100, 1}, 8);
  assert_in_range(g.to, 300, 400);
}

/* Large chunks take three times as long for each iteration: it gets the size that was fastest, or twice that
 * at first, for it may have become better. */
static void chunks_of_the_best_size(void **s) {
  (void)s;
  struct ag_loop_grant g =
      device_is_asked(1000000, (double[]){100, 0.5, 0, 0.001, 100, 1, 2000, 1, 60000, 3}, 10);
  assert_in_range(g.to, 2000, 4000);
}

/* A device that takes longer than was foretold does not get as much again. */
static void slower_than_foretold(void **s) {
  (void)s;
  struct ag_loop_view view = {.n = 1000};
  void *state = known(&view, (double[]){100, 0, 0, 0.001, 500, 1, 1000, 1}, 8);
  uint64_t last = view.n;
  for (int i = 0; i < 4; ++i) {
    struct ag_loop *l = ag_loop_begin(state, &view);
    struct ag_loop_grant g = ag_loop_next(l, 1, 0);
    assert_true(g.what == AG_LOOP_RUN && g.to < last);
    last = g.to;
    assert_true(ag_loop_done(l, 1, g.from, g.to, g.to * 4000)); /* four times as slow */
    for (struct ag_loop_grant c; (c = ag_loop_next(l, 0, g.to * 4000)).what == AG_LOOP_RUN;)
      assert_true(ag_loop_done(l, 0, c.from, c.to, (c.to - c.from) * 10000));
    ag_loop_end(l);
  }
  assert_true(last < 800);
  free(state);
}

/* The first half of a loop is nine times as heavy as the second. The second execution knows what the first
 * one found out, and is within a fifth of what is possible. */
static double heavy_first(uint64_t i, uint64_t n) { return i < n / 2 ? 1.8 : 0.2; }

static void learnt_in_one_execution(void **s) {
  (void)s;
  enum { EXECUTIONS = 6 };
  static struct uneven l = {.cpus = 4,
                            .devices = 1,
                            .n = 5000,
                            .mean_ns = 20000,
                            .launch_ns = 10000,
                            .fill = 20,
                            .speed = 8,
                            .part = heavy_first};
  double times[EXECUTIONS], ideal = 4.0 / (4 + 8);
  execute_uneven(&l, 16, times, EXECUTIONS, NULL);
  for (int i = 1; i < EXECUTIONS; ++i)
    assert_true(times[i] < 1.2 * ideal);
}

/* --- Nonsense ----------------------------------------------------------------------------------------------
 */

/* Times of 0, of a nanosecond and of ages, of loops of any length: the loop ends after not so many chunks as
 * would take for ever, and has each iteration once. */
static void absurd_times(void **s) {
  (void)s;
  enum { ROUNDS = 300, MOST_CHUNKS = 200000 };
  uint64_t seed = from_environment("STRESS_SEED", 20261126);
  const unsigned lanes[] = {1, 4096};
  for (int round = 0; round < ROUNDS; ++round) {
    struct ag_loop_view view = {.machine = {(unsigned)(next_random(&seed) % 3), 2, lanes, NULL},
                                .n = 1 + next_random(&seed) % 20000,
                                .kind = AGGLOM_SCHEDULE_AUTO};
    void *state = calloc(1, ag_loop_state_bytes(&view));
    assert_non_null(state);
    for (int execution = 0; execution < 3; ++execution) {
      struct ag_loop *l = ag_loop_begin(state, &view);
      uint64_t now = 0, at = 0, chunks = 0;
      while (ag_loop_left(l)) {
        unsigned u = (unsigned)(next_random(&seed) % (view.machine.cpus + view.machine.devices));
        struct ag_loop_grant g = ag_loop_next(l, u, now);
        if (g.what != AG_LOOP_RUN)
          continue;
        const uint64_t times[] = {0, 1, 1000, next_random(&seed), UINT64_MAX};
        assert_true(g.from == at && g.to > g.from && ++chunks < MOST_CHUNKS);
        at = g.to;
        now = next_random(&seed) >> next_random(&seed) % 64;
        assert_true(ag_loop_done(l, u, g.from, g.to, times[next_random(&seed) % 5]));
      }
      assert_true(at == view.n);
      ag_loop_end(l);
    }
    free(state);
  }
}

/* Loops of up to 2^63 iterations that take a nanosecond each: few chunks. */
static void huge_loops(void **s) {
  (void)s;
  for (unsigned power = 32; power <= 63; ++power) {
    struct ag_loop_view view = {
        .machine = {2, 0, NULL, NULL}, .n = (uint64_t)1 << power, .kind = AGGLOM_SCHEDULE_AUTO};
    void *state = calloc(1, ag_loop_state_bytes(&view));
    assert_non_null(state);
    for (int execution = 0; execution < 3; ++execution) {
      struct ag_loop *l = ag_loop_begin(state, &view);
      uint64_t now[2] = {0}, chunks = 0;
      while (ag_loop_left(l)) {
        unsigned u = now[1] < now[0];
        struct ag_loop_grant g = ag_loop_next(l, u, now[u]);
        assert_true(g.what == AG_LOOP_RUN && ++chunks < 2000);
        assert_true(ag_loop_done(l, u, g.from, g.to, g.to - g.from));
        now[u] += g.to - g.from;
      }
      ag_loop_end(l);
    }
    free(state);
  }
}

/* --- A device alone ----------------------------------------------------------------------------------------
 */

struct alone {
  double launch_ns, item_ns, noise; /* of a chunk's time: up to that part more or less */
  double spike;                     /* so many times as long does the chunk take that has the iteration */
  uint64_t at;                      /* in this execution */
  int when;
};

/* How many chunks an execution had. */
static unsigned run_alone(void *state, const struct ag_loop_view *view, const struct alone *a, int execution,
                          uint64_t *seed) {
  struct ag_loop *l = ag_loop_begin(state, view);
  double now = 0;
  unsigned chunks = 0;
  for (struct ag_loop_grant g; (g = ag_loop_next(l, 0, (uint64_t)now)).what == AG_LOOP_RUN; ++chunks) {
    double off = 1 + a->noise * ((double)(next_random(seed) % 2001) / 1000 - 1);
    double ns = (a->launch_ns + (double)(g.to - g.from) * a->item_ns) * off;
    ns *= execution == a->when && g.from <= a->at && a->at < g.to ? a->spike : 1;
    now += ns;
    assert_true(ag_loop_done(l, 0, g.from, g.to, (uint64_t)ns));
  }
  assert_int_equal(ag_loop_left(l), 0);
  ag_loop_end(l);
  return chunks;
}

/* Launches cost nearly all, so a chunk of all iterations is best, and stays so, however times vary; soon
 * again after one chunk took a hundred times as long. */
static void few_launches_alone(void **s) {
  (void)s;
  enum { EXECUTIONS = 80, MOST_CHUNKS = 120 };
  static _Alignas(max_align_t) char state[1 << 15];
  static const struct alone devices[] = {{300e3, 10, 0, 1, 0, -1},        {300e3, 10, 0.2, 1, 0, -1},
                                         {300e3, 10, 0.8, 1, 0, -1},      {300e3, 10, 0.2, 100, 0, 0},
                                         {300e3, 10, 0.2, 100, 2000, 0},  {300e3, 10, 0.2, 100, 0, 10},
                                         {300e3, 10, 0.2, 100, 2999, 20}, {300e3, 0, 0.05, 100, 1500, 1}};
  for (size_t d = 0; d < sizeof devices / sizeof devices[0]; ++d)
    for (unsigned lanes = 1; lanes <= 256; lanes *= 4) {
      uint64_t seed = from_environment("STRESS_SEED", 20261122);
      struct ag_loop_view view = {.machine = {0, 1, &lanes, NULL}, .n = 3000, .kind = AGGLOM_SCHEDULE_AUTO};
      memset(state, 0, sizeof state);
      assert_true(ag_loop_state_bytes(&view) <= sizeof state);
      unsigned chunks = 0;
      for (int i = 0; i < EXECUTIONS; ++i)
        chunks += run_alone(state, &view, &devices[d], i, &seed);
      assert_true(chunks <= MOST_CHUNKS);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_are_used),
                                     cmocka_unit_test(large_iterations),
                                     cmocka_unit_test(devices_that_begin_with_light_iterations),
                                     cmocka_unit_test(heavy_iterations_among_light_ones),
                                     cmocka_unit_test(peaks_are_for_devices),
                                     cmocka_unit_test(one_iteration_of_many),
                                     cmocka_unit_test(first_chunks_of_devices),
                                     cmocka_unit_test(second_chunks_of_cpus),
                                     cmocka_unit_test(devices_differ),
                                     cmocka_unit_test(little_that_is_left),
                                     cmocka_unit_test(what_ends_together),
                                     cmocka_unit_test(no_more_than_was_tried),
                                     cmocka_unit_test(chunks_of_the_best_size),
                                     cmocka_unit_test(slower_than_foretold),
                                     cmocka_unit_test(learnt_in_one_execution),
                                     cmocka_unit_test(absurd_times),
                                     cmocka_unit_test(huge_loops),
                                     cmocka_unit_test(few_launches_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
