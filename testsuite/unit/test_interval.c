/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merging intervals, and object pools. */
#include "memory/interval.h"
#include "memory/pool.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void few(void **state) {
  (void)state;
  struct ag_interval set[] = {{30, 40, 1, 0}, {0, 10, 1, 0},  {5, 7, 2, 0},   {10, 12, 3, 0},
                              {12, 14, 1, 0}, {20, 20, 8, 0}, {35, 50, 4, 0}, {50, 60, 5, 0}};
  size_t n = ag_intervals_merge(set, 8);
  assert_int_equal(n, 3);
  /* 0-10 with tags 1|2 touches 10-12 with the same tag 3; 12-14 has another one; empty ones are gone */
  assert_int_equal(set[0].lo, 0);
  assert_int_equal(set[0].hi, 12);
  assert_int_equal(set[0].tag, 3);
  assert_int_equal(set[1].lo, 12);
  assert_int_equal(set[1].tag, 1);
  assert_int_equal(set[2].lo, 30);
  assert_int_equal(set[2].hi, 60);
  assert_int_equal(set[2].tag, 5);
  assert_int_equal(ag_intervals_find(set, n, 0), 0);
  assert_int_equal(ag_intervals_find(set, n, 11), 0);
  assert_int_equal(ag_intervals_find(set, n, 12), 1);
  assert_int_equal(ag_intervals_find(set, n, 14), n);
  assert_int_equal(ag_intervals_find(set, n, 59), 2);
  assert_int_equal(ag_intervals_find(set, n, 60), n);
  assert_int_equal(ag_intervals_merge(set, 0), 0);
  assert_int_equal(ag_intervals_find(set, 0, 5), 0);
}

static void random_sets(void **state) {
  (void)state;
  enum { SPAN = 400, MOST = 60 };
  srand(7);
  for (int round = 0; round < 3000; ++round) {
    struct ag_interval set[MOST];
    bool covered[SPAN] = {false};
    unsigned tags[SPAN] = {0};
    size_t n = (size_t)(rand() % MOST);
    for (size_t i = 0; i < n; ++i) {
      uintptr_t lo = (uintptr_t)(rand() % (SPAN - 20));
      set[i] = (struct ag_interval){lo, lo + (uintptr_t)(rand() % 20), 1u << rand() % 3, 0};
      for (uintptr_t b = lo; b < set[i].hi; ++b) {
        covered[b] = true;
        tags[b] |= set[i].tag;
      }
    }
    size_t m = ag_intervals_merge(set, n);
    size_t bytes = 0;
    for (size_t i = 0; i < m; ++i) {
      assert_true(set[i].lo < set[i].hi);
      if (i)
        assert_true(set[i - 1].hi <= set[i].lo);
      for (uintptr_t b = set[i].lo; b < set[i].hi; ++b, ++bytes) {
        assert_true(covered[b]);
        assert_int_equal(tags[b] & ~set[i].tag, 0);
        assert_int_equal(ag_intervals_find(set, m, b), i);
      }
    }
    for (size_t b = 0; b < SPAN; ++b)
      bytes -= covered[b];
    assert_int_equal(bytes, 0);
  }
}

/* More than are compared with one another: sorted digit by digit, wherever they lie. */
static void many(void **state) {
  (void)state;
  enum { N = 5000 };
  static struct ag_interval set[N];
  static const uintptr_t steps[] = {4, 24, 4096, (uintptr_t)1 << 20, ((uintptr_t)1 << 51) + 40};
  uint64_t random = 3;
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s) {
    for (size_t i = 0; i < N; ++i) {
      uintptr_t lo = ((uintptr_t)1 << 40) + steps[s] * i;
      set[i] = (struct ag_interval){lo, lo + 3, (unsigned)i, 0};
    }
    for (size_t i = N - 1; i > 0; --i) {
      size_t k = next_random(&random) % (i + 1);
      struct ag_interval swap = set[i];
      set[i] = set[k];
      set[k] = swap;
    }
    assert_int_equal(ag_intervals_merge(set, N), N);
    for (size_t i = 0; i < N; ++i) {
      assert_int_equal(set[i].lo, ((uintptr_t)1 << 40) + steps[s] * i);
      assert_int_equal(set[i].tag, i);
    }
  }
}

static void pools(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 8, 24, 100, 5000, 70000}, aligns[] = {0, 16, 64, 256};
  for (size_t s = 0; s < 6; ++s)
    for (size_t a = 0; a < 4; ++a) {
      struct ag_pool pool;
      enum { N = 100 };
      unsigned char *objects[N];
      ag_pool_init(&pool, sizes[s], aligns[a]);
      for (int i = 0; i < N; ++i) {
        objects[i] = ag_pool_take(&pool);
        assert_non_null(objects[i]);
        assert_int_equal((uintptr_t)objects[i] % (aligns[a] ? aligns[a] : 16), 0);
        assert_int_equal(objects[i][0] | objects[i][sizes[s] - 1], 0);
        memset(objects[i], i, sizes[s]);
      }
      assert_int_equal(pool.live, N);
      for (int i = 0; i < N; ++i) {
        assert_int_equal(objects[i][0], i);
        ag_pool_give(&pool, objects[i]);
        assert_int_equal(objects[i][sizes[s] - 1], i); /* keeps its content */
      }
      assert_ptr_equal(ag_pool_take(&pool), objects[N - 1]);
      ag_pool_destroy(&pool);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(few), cmocka_unit_test(random_sets),
                                     cmocka_unit_test(many), cmocka_unit_test(pools)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
