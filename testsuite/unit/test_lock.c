/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lock for which threads spin before they sleep. */
#include "sys/lock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

enum { TURNS = 20000, OTHERS = 4 };
static struct ag_lock lock;
static unsigned long turns; /* under the lock */

static void *take_turns(void *ignored) {
  for (int i = 0; i < TURNS; ++i) {
    ag_lock(&lock);
    ++turns;
    ag_unlock(&lock);
  }
  return ignored;
}

static void start(pthread_t *others, void *(*body)(void *)) {
  turns = 0;
  for (int i = 0; i < OTHERS; ++i)
    assert_int_equal(pthread_create(&others[i], NULL, body, NULL), 0);
}

static void finish(const pthread_t *others) {
  for (int i = 0; i < OTHERS; ++i)
    pthread_join(others[i], NULL);
  assert_int_equal(lock.waiting, 0);
  assert_int_equal(lock.state, AG_LOCK_FREE);
}

/* One at a time has it, and nobody counts as waiting once all have had it. */
static void of_several(void **state) {
  (void)state;
  pthread_t others[OTHERS];
  start(others, take_turns);
  for (int i = 0; i < TURNS; ++i) {
    ag_lock(&lock);
    ++turns;
    ag_unlock_giving_way(&lock);
  }
  finish(others);
  assert_int_equal(turns, (OTHERS + 1) * TURNS);
}

static void *take_one(void *ignored) {
  ag_lock(&lock);
  ++turns;
  usleep(1000); /* others fall asleep meanwhile */
  ag_unlock(&lock);
  return ignored;
}

/* Held for so long that all others sleep, each of them gets it. */
static void of_sleepers(void **state) {
  (void)state;
  pthread_t others[OTHERS];
  for (int round = 0; round < 20; ++round) {
    ag_lock(&lock);
    start(others, take_one);
    for (int tries = 0; (lock.state != AG_LOCK_HELD_SLEEPERS || lock.waiting) && tries < 20000; ++tries)
      usleep(500); /* until none spins any more */
    assert_false(ag_lock_try(&lock));
    assert_int_equal(lock.state, AG_LOCK_HELD_SLEEPERS);
    assert_int_equal(turns, 0);
    if (round % 2)
      ag_unlock(&lock);
    else
      ag_unlock_giving_way(&lock);
    finish(others);
    assert_int_equal(turns, OTHERS);
  }
}

static void is_tried(void **state) {
  (void)state;
  assert_true(ag_lock_try(&lock));
  assert_false(ag_lock_try(&lock));
  ag_unlock(&lock);
  assert_true(ag_lock_try(&lock));
  ag_unlock(&lock);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_tried), cmocka_unit_test(of_several),
                                     cmocka_unit_test(of_sleepers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
