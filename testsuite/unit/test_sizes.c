/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long the longest of some units is, while units come and go. */
#include "policy/sizes.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_of_what_is_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
