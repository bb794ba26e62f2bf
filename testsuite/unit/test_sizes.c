/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long the longest of some units is, while units come and go. */
#include "policy/split/sizes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Within a factor of two of the longest, exact when all are alike, whatever comes and goes. */
static void sizes_of_what_is_there(void **state) {
  (void)state;
  enum { MOST = 100 };
  static struct ag_sizes sizes;
  double items[MOST];
  unsigned n = 0;
  srand(3);
  assert_true(ag_sizes_longest(&sizes) == 0);
  for (int i = 0; i < 200000; ++i) {
    if (n < MOST && (!n || rand() % 2)) {
      items[n] = rand() % 9 ? (double)(rand() % 1000) : rand() % 2 ? 0.5 : 1e30;
      ag_sizes_add(&sizes, items[n++]);
    } else {
      unsigned k = (unsigned)rand() % n;
      ag_sizes_remove(&sizes, items[k]);
      items[k] = items[--n];
    }
    double longest = 0;
    for (unsigned k = 0; k < n; ++k)
      longest = items[k] > longest ? items[k] : longest;
    double found = ag_sizes_longest(&sizes);
    assert_true(found <= longest * (1 + 1e-6));
    assert_true(found >= longest / 2 * (1 - 1e-6) || longest < 2);
  }
  while (n)
    ag_sizes_remove(&sizes, items[--n]);
  for (int i = 0; i < 10; ++i)
    ag_sizes_add(&sizes, 7);
  assert_true(ag_sizes_longest(&sizes) == 7);
}

/* The largest of some units, which are powers of two, so that nothing is rounded. */
static void the_largest(void **state) {
  (void)state;
  enum { N = 200 };
  static struct ag_sizes sizes, half;
  double sum = 0, items[N];
  unsigned n = 0;
  srand(4);
  for (unsigned i = 0; i < N; ++i)
    ag_sizes_add(i % 2 ? &sizes : &half, (double)(1 << (rand() % 20)));
  ag_sizes_join(&sizes, &half);
  for (int class = 19; class >= 0; --class)
    for (uint64_t i = 0; i < sizes.of[class].n; ++i)
      items[n++] = (double)(1 << class);
  assert_int_equal(n, N);
  for (unsigned k = 0; k <= N; sum += k < N ? items[k] : 0, ++k) {
    struct ag_sizes_front by_items = ag_sizes_front(&sizes, sum), by_units = ag_sizes_largest(&sizes, k);
    double longest = k < N ? items[k] : 0;
    assert_true(ag_sizes_of_largest(&sizes, k) == sum);
    assert_int_equal((uint64_t)ag_sizes_in_front(&sizes, by_items), k);
    assert_int_equal((uint64_t)ag_sizes_in_front(&sizes, by_units), k);
    assert_true(ag_sizes_longest_behind(&sizes, by_items) == longest);
    assert_true(ag_sizes_longest_behind(&sizes, by_units) == longest);
    assert_true(ag_sizes_in_front(&half, by_units) <= (double)k * (1 + 1e-9));
  }
  assert_true(ag_sizes_of_largest(&sizes, N + 1) == sum);
  assert_true(ag_sizes_in_front(&sizes, AG_SIZES_NONE) == 0);
  assert_true(ag_sizes_longest_behind(&sizes, AG_SIZES_NONE) == items[0]);
}

/* What the dearest have is rounded: by more than all others have. */
static void others_count_for_nothing(void **state) {
  (void)state;
  static struct ag_sizes sizes;
  ag_sizes_add_alike(&sizes, 1, 1e15);
  ag_sizes_add_alike(&sizes, 10, 100);
  struct ag_sizes_front front = ag_sizes_front(&sizes, 1e15 - 5e5);
  assert_true(front.part >= 0 && front.part <= 1);
  assert_int_equal((uint64_t)ag_sizes_in_front(&sizes, front), 1);
  assert_int_equal(ag_sizes_for_cpus(&sizes, &sizes, front).all, 1);
}

static void many_alike(void **state) {
  (void)state;
  static struct ag_sizes sizes;
  ag_sizes_add_alike(&sizes, 0, 5);
  assert_true(ag_sizes_longest(&sizes) == 0);
  ag_sizes_add(&sizes, 2);
  ag_sizes_add_alike(&sizes, 3, 5);
  assert_true(ag_sizes_longest(&sizes) == 5);
  assert_true(ag_sizes_of_largest(&sizes, 4) == 17);
}

/* Those of one thread, and of all of them, which may have been read a moment before more came to it. */
static void left_of_some_and_of_all(void **state) {
  (void)state;
  static struct ag_sizes here, all, fewer;
  ag_sizes_add_alike(&here, 5, 8);
  ag_sizes_add_alike(&all, 12, 8);
  ag_sizes_add_alike(&fewer, 2, 8);
  struct ag_sizes_for_cpus left = ag_sizes_for_cpus(&here, &all, (struct ag_sizes_front){3, 0.5});
  assert_true(left.here == 2 && left.all == 2 + 4); /* 2.5 of 5, and 3.5 of 7 */
  left = ag_sizes_for_cpus(&here, &fewer, (struct ag_sizes_front){3, 1});
  assert_true(left.here == 5 && left.all == 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_of_what_is_there), cmocka_unit_test(the_largest),
                                     cmocka_unit_test(others_count_for_nothing),
                                     cmocka_unit_test(left_of_some_and_of_all), cmocka_unit_test(many_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
