/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What schedules of loops tell later runs of the program, and what they make of it, and of nonsense. */
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

enum { CPUS = 2, DEVICES = 2, UNITS = CPUS + DEVICES, MOST = 16 };
static const unsigned lanes[DEVICES] = {4, 8};

struct kept {
  struct ag_loop_memo memo[MOST];
  double x[MOST][AG_LOOP_MEMO_MOST];
  unsigned n;
};

static void put(void *to, const struct ag_loop_memo *memo) {
  struct kept *k = to;
  assert_true(k->n < MOST && memo->n <= AG_LOOP_MEMO_MOST && memo->unit < UNITS);
  memcpy(k->x[k->n], memo->x, memo->n * sizeof *memo->x);
  k->memo[k->n] = *memo;
  k->memo[k->n].x = k->x[k->n];
  ++k->n;
}

static void keep(const void *state, struct kept *kept) {
  kept->n = 0;
  ag_loop_keep(state, put, kept);
}

static void same(const struct kept *a, const struct kept *b) {
  assert_int_equal(a->n, b->n);
  for (unsigned i = 0; i < a->n; ++i) {
    assert_string_equal(a->memo[i].what, b->memo[i].what);
    assert_int_equal(a->memo[i].unit, b->memo[i].unit);
    assert_int_equal(a->memo[i].n, b->memo[i].n);
    assert_memory_equal(a->x[i], b->x[i], a->memo[i].n * sizeof(double));
  }
}

static struct ag_loop_view view_of(unsigned kind) {
  return (struct ag_loop_view){
      .machine = {.cpus = CPUS, .devices = DEVICES, .lanes = lanes}, .n = 1000000, .kind = kind};
}

static void *new_state(const struct ag_loop_view *view) {
  void *state = calloc(1, ag_loop_state_bytes(view));
  assert_non_null(state);
  return state;
}

static double cost(const void *context, unsigned u, uint64_t from, uint64_t to) {
  (void)context;
  double n = (double)(to - from);
  return u < CPUS ? 100 * n + 7.25 : 20000.0 * (u - 1) + n * 9.3;
}

/* The size of the first chunk of the first device. */
static uint64_t execute(void *state, const struct ag_loop_view *view) {
  struct virtual_unit unit[UNITS];
  in_virtual_time(state, view, cost, NULL, unit);
  return unit[CPUS].first;
}

/* What one run has measured the next one has from its first chunk on, bit for bit. */
static void next_run_knows(void **s) {
  (void)s;
  const unsigned kinds[] = {AGGLOM_SCHEDULE_AUTO, AGGLOM_SCHEDULE_LOGFIT, AGGLOM_SCHEDULE_CONCORD};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    struct ag_loop_view view = view_of(kinds[i]);
    void *one = new_state(&view), *two = new_state(&view);
    struct kept a, b;
    keep(one, &a);
    assert_int_equal(a.n, 0); /* it was never used */
    uint64_t first = execute(one, &view);
    execute(one, &view);
    keep(one, &a);
    assert_true(a.n >= UNITS);
    assert_true(ag_loop_seed(two, &view, a.memo, a.n));
    keep(two, &b);
    same(&a, &b);
    assert_true(execute(two, &view) > 4 * first);
    free(one);
    free(two);
  }
}

/* Others have nothing to tell: hdss trains anew each time, by definition; what is left knows single
 * iterations, or nothing. */
static void others_keep_nothing(void **s) {
  (void)s;
  for (unsigned kind = 0; kind <= AGGLOM_SCHEDULE_DYNAMIC_LOCKED; ++kind) {
    struct ag_loop_view view = view_of(kind);
    if (kind == AGGLOM_SCHEDULE_AUTO || kind == AGGLOM_SCHEDULE_RUNTIME || kind == AGGLOM_SCHEDULE_LOGFIT ||
        kind == AGGLOM_SCHEDULE_CONCORD)
      continue;
    void *state = new_state(&view);
    struct kept kept;
    execute(state, &view);
    keep(state, &kept);
    assert_int_equal(kept.n, 0);
    double x[] = {1, 1, 1};
    assert_false(
        ag_loop_seed(state, &view, (struct ag_loop_memo[]){{"rate", 0, 2, x}, {"curve", 2, 3, x}}, 2));
    execute(state, &view);
    free(state);
  }
}

static void is_refused(unsigned kind, const char *what, unsigned unit, unsigned n, const double *x) {
  struct ag_loop_view view = view_of(kind);
  void *state = new_state(&view);
  struct kept kept;
  assert_false(ag_loop_seed(state, &view, &(struct ag_loop_memo){what, unit, n, x}, 1));
  keep(state, &kept);
  assert_int_equal(kept.n, 0);
  execute(state, &view);
  free(state);
}

static void absurd_numbers(void **s) {
  (void)s;
  const double bad[] = {NAN, -1, 0, INFINITY, -INFINITY, 1e300, 1e-300};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    is_refused(AGGLOM_SCHEDULE_AUTO, "rate", 0, 2, (double[]){bad[i], 1});
    is_refused(AGGLOM_SCHEDULE_AUTO, "speed", 0, 2, (double[]){1, bad[i]});
    is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){bad[i], 0, 0, 0.1, 8, 1});
    is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){1, 0, 0, bad[i], 8, 1});
    is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){1, 0, 0, 0.1, bad[i], 1});
    is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){1, 0, 0, 0.1, 8, bad[i]});
    if (!(bad[i] >= 0 && bad[i] < 1)) { /* there may be no launch, and nothing to fill */
      is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){1, bad[i], 0, 0.1, 8, 1});
      is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 6, (double[]){1, 0, bad[i], 0.1, 8, 1});
    }
    is_refused(AGGLOM_SCHEDULE_LOGFIT, "samples", 2, 3, (double[]){0, 8, bad[i]});
    is_refused(AGGLOM_SCHEDULE_LOGFIT, "samples", 2, 3, (double[]){0, bad[i], 8});
    is_refused(AGGLOM_SCHEDULE_CONCORD, "part", 2, 2, (double[]){bad[i], 1});
  }
  is_refused(AGGLOM_SCHEDULE_AUTO, "rate", UNITS, 2, (double[]){1, 1});
  is_refused(AGGLOM_SCHEDULE_AUTO, "rate", 0, 1, (double[]){1});
  is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 0, 6, (double[]){1, 0, 0, 0.1, 8, 1});       /* a CPU unit's */
  is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 8, (double[]){1, 0, 0, 0.1, 8, 1, 9, 1}); /* one point */
  is_refused(AGGLOM_SCHEDULE_AUTO, "curve", 2, 4, (double[]){1, 0, 0, 0.1});
  is_refused(AGGLOM_SCHEDULE_AUTO, "samples", 2, 3, (double[]){0, 8, 8});
  is_refused(AGGLOM_SCHEDULE_LOGFIT, "samples", 2, 2, (double[]){0, 8});
  is_refused(AGGLOM_SCHEDULE_CONCORD, "part", 2, 2, (double[]){1.5, 1});
}

/* Whatever is accepted, a loop runs to its end. */
static void random_numbers(void **s) {
  (void)s;
  uint64_t seed = from_environment("STRESS_SEED", 20261122), accepted = 0;
  const char *const words[] = {"rate", "speed", "curve", "samples", "part", ""};
  const unsigned kinds[] = {AGGLOM_SCHEDULE_AUTO, AGGLOM_SCHEDULE_LOGFIT, AGGLOM_SCHEDULE_CONCORD};
  for (int round = 0; round < 5000; ++round) {
    struct ag_loop_view view = view_of(kinds[next_random(&seed) % 3]);
    view.n = 1 + next_random(&seed) % 5000;
    void *state = new_state(&view);
    struct ag_loop_memo memo[MOST];
    double x[MOST][AG_LOOP_MEMO_MOST];
    for (unsigned i = 0; i < MOST; ++i) {
      unsigned n = next_random(&seed) % 2 ? 2 : (unsigned)(next_random(&seed) % 12);
      for (unsigned k = 0; k < n; ++k)
        x[i][k] = ldexp((double)(next_random(&seed) % 64), (int)(next_random(&seed) % 60) - 20);
      if (n > 2 && next_random(&seed) % 2)
        x[i][0] = 1, x[i][1] = 64, x[i][2] = 0.5;
      memo[i] =
          (struct ag_loop_memo){words[next_random(&seed) % 6], next_random(&seed) % (UNITS + 1), n, x[i]};
    }
    ag_loop_seed(state, &view, memo, MOST);
    struct kept kept;
    keep(state, &kept);
    accepted += kept.n;
    execute(state, &view);
    free(state);
  }
  assert_true(accepted > 5000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(next_run_knows),
      cmocka_unit_test(others_keep_nothing),
      cmocka_unit_test(absurd_numbers),
      cmocka_unit_test(random_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
