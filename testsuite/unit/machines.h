/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random programs are run on many machines, good ones and those that fail. */
#ifndef MACHINES_H
#define MACHINES_H

#include "capture.h"
#include "rt_tasks.h"

/* Runs programs on machine s, which these settings describe; whether something was wrong. */
typedef bool programs_on(const char *settings, size_t s, bool fails);

/* fails: messages are to be expected, and are not shown. */
static void on_machines(const char *const *settings, size_t n, programs_on *wrong_on, bool fails) {
  for (size_t s = 0; s < n; ++s) {
    if (fails)
      capture_begin();
    bool wrong = wrong_on(settings[s], s, fails);
    if (fails)
      capture_end();
    if (wrong)
      fprintf(stderr, "wrong with %s\n", settings[s]);
    assert_false(wrong);
  }
}

#define ON_MACHINES(SETTINGS, WRONG_ON, FAILS)                                                               \
  on_machines(SETTINGS, sizeof(SETTINGS) / sizeof(SETTINGS)[0], WRONG_ON, FAILS)

#endif /* MACHINES_H */
