/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many intervals lie over each byte, against a count of each byte. */
#include "memory/coverage.h"
#include "random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 300, MOST = 40 };

static unsigned counts[BYTES + 1];

/* Each byte is said to be covered or not, up to the right end; and no stretch is there without need. */
static void compare(const struct ag_coverage *c) {
  size_t changes = 0;
  for (size_t lo = 0; lo < BYTES; ++lo) {
    size_t hi = lo + 1;
    while (hi < BYTES && !counts[hi] == !counts[lo])
      ++hi;
    uintptr_t end;
    assert_int_equal(ag_coverage_at(c, lo, BYTES, &end), counts[lo] > 0);
    assert_int_equal(end, hi);
    assert_int_equal(ag_coverage_at(c, lo, lo + 1, &end), counts[lo] > 0);
    assert_int_equal(end, lo + 1);
    changes += counts[lo] && (!lo || counts[lo] != counts[lo - 1]);
  }
  assert_int_equal(c->tree.count, changes);
}

static void random_intervals(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    struct ag_coverage c;
    struct {
      uintptr_t lo, hi;
    } live[MOST];
    size_t n = 0;
    uint64_t random = seed * 104729;
    ag_coverage_init(&c);
    memset(counts, 0, sizeof counts);
    for (int step = 0; step < 300; ++step) {
      if (n < MOST && next_random(&random) % 5 > 1) {
        uintptr_t lo = next_random(&random) % BYTES;
        uintptr_t hi = lo + next_random(&random) % (next_random(&random) % 2 ? BYTES - lo : 12);
        live[n].lo = lo -= next_random(&random) % 2 ? lo % 10 : 0; /* some begin and end at one place */
        live[n].hi = hi = hi > BYTES ? BYTES : hi;
        ++n;
        assert_int_equal(ag_coverage_add(&c, lo, hi), 0);
        for (uintptr_t at = lo; at < hi; ++at)
          ++counts[at];
      } else if (n) {
        size_t k = next_random(&random) % n;
        ag_coverage_remove(&c, live[k].lo, live[k].hi);
        for (uintptr_t at = live[k].lo; at < live[k].hi; ++at)
          --counts[at];
        live[k] = live[--n];
      }
      compare(&c);
    }
    while (n-- > 0)
      ag_coverage_remove(&c, live[n].lo, live[n].hi);
    assert_int_equal(c.tree.count, 0);
    assert_int_equal(c.pool.live, 0);
    ag_coverage_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_intervals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
