/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CPU-only units that may run: whose they are, and in which order they go. */
#include "fifo/ready.h"
#include "policy/policy.h"
#include "random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DOMAINS = 60, UNITS = 300 };

static struct ag_domain domains[DOMAINS];
static struct ag_unit owners[DOMAINS]; /* of the domains but the first */
static struct ag_unit units[UNITS];
static struct ag_ready ready;

/* The parent of domain d is one before it, or, in a chain, the one before it. */
static void make_domains(uint64_t *random, bool chain) {
  memset(domains, 0, sizeof domains);
  memset(&ready, 0, sizeof ready);
  for (int d = 0; d < DOMAINS; ++d) {
    if (d) {
      owners[d].domain = &domains[chain ? (uint64_t)d - 1 : next_random(random) % (uint64_t)d];
      domains[d].owner = &owners[d];
    }
    ag_domain_begin(&domains[d]);
  }
}

static bool is_within(const struct ag_domain *d, const struct ag_domain *outer) {
  while (d && d != outer)
    d = d->owner ? d->owner->domain : NULL;
  return d;
}

static void ancestors(void **state) {
  uint64_t random = 5;
  (void)state;
  for (int chain = 0; chain < 2; ++chain) {
    make_domains(&random, chain);
    for (int i = 0; i < DOMAINS; ++i)
      for (int k = 0; k < DOMAINS; ++k)
        assert_int_equal(ag_domain_is_within(&domains[i], &domains[k]), is_within(&domains[i], &domains[k]));
  }
}

static size_t left(enum ag_urgency of, const struct ag_domain *within) {
  size_t n = 0;
  for (int i = 0; i < UNITS; ++i)
    n += units[i].state == AG_UNIT_READY && ag_urgency_of(&units[i]) == of &&
         is_within(units[i].domain, within);
  return n;
}

/* Whatever is taken in whatever way: each unit once, of those that were asked for, none is missed; and of its
 * domain it is the first by priority and then by submission, or the oldest; or, for who waits for that
 * domain, the newest of units that all have the same priority. */
static void each_once(void **state) {
  uint64_t random = from_environment("SEED", 11), seq = 0;
  (void)state;
  make_domains(&random, false);
  memset(units, 0, sizeof units);
  for (unsigned long i = 0; i < from_environment("OPERATIONS", 100000); ++i) {
    struct ag_unit *u = &units[next_random(&random) % UNITS];
    struct ag_domain *d = &domains[next_random(&random) % DOMAINS];
    enum ag_urgency of = next_random(&random) % AG_N_URGENCIES;
    bool all_same = i / 1000 % 2;
    if (u->state != AG_UNIT_READY && next_random(&random) % 5 < 3) {
      *u = (struct ag_unit){.domain = d, .seq = ++seq};
      u->priority =
          all_same ? (long long)(next_random(&random) % 2) : (long long)(next_random(&random) % 9) - 4;
      ag_ready_push(&ready, u);
      continue;
    }
    const struct ag_domain *in = &domains[0];
    struct ag_unit *got = NULL;
    bool got_of = false;
    switch (next_random(&random) % 4) {
    case 0:
      got = ag_ready_take(&ready, of, !all_same);
      break;
    case 1:
      in = d;
      got = ag_ready_take_within(&ready, of, in = d, true);
      break;
    case 2:
      got = ag_ready_take_of(&ready, of, d);
      got_of = true;
      assert_true(!got || got->domain == d);
      assert_true(got || !d->ready[of].oldest);
      if (!got)
        continue;
      break;
    default:
      if (u->state == AG_UNIT_READY)
        ag_ready_take_unit(&ready, u);
      continue;
    }
    if (!got) {
      assert_int_equal(left(of, in), 0);
      continue;
    }
    assert_int_equal(got->state, AG_UNIT_RUNNING);
    assert_int_equal(ag_urgency_of(got), of);
    assert_true(is_within(got->domain, in));
    bool first = true, oldest = true, newest = got_of;
    for (int k = 0; k < UNITS; ++k) {
      const struct ag_unit *v = &units[k];
      if (v->state != AG_UNIT_READY || v->domain != got->domain || ag_urgency_of(v) != of)
        continue;
      oldest &= v->seq > got->seq;
      newest &= v->seq < got->seq && v->priority == got->priority;
      first &= v->priority < got->priority || (v->priority == got->priority && v->seq > got->seq);
    }
    assert_true(first || oldest || newest);
  }
  for (int of = 0; of < AG_N_URGENCIES; ++of) {
    assert_int_equal(ag_ready_count(&ready, of), left(of, &domains[0]));
    while (ag_ready_take(&ready, of, true))
      ;
    assert_true(!left(of, &domains[0]) && !ready.at[of].first && !ag_ready_count(&ready, of));
  }
}

/* Of units of one domain the larger priority goes first; but every 64th is the oldest. */
static void order(void **state) {
  uint64_t random = 3;
  unsigned old = 0;
  (void)state;
  make_domains(&random, false);
  for (int i = 0; i < UNITS; ++i) {
    units[i] = (struct ag_unit){.domain = &domains[0], .seq = (uint64_t)i + 1, .priority = 1 + i / 2};
    ag_ready_push(&ready, &units[i]);
  }
  for (int i = 0; i < UNITS; ++i) {
    struct ag_unit *u = ag_ready_take(&ready, AG_URGENT, true);
    int expected = UNITS - 1 - (i - (int)old);
    if ((i + 1) % AG_OLDEST_EVERY == 0)
      assert_ptr_equal(u, &units[old++]);
    else
      assert_ptr_equal(u, &units[expected ^ 1]);
  }
  assert_null(ag_ready_take(&ready, AG_URGENT, true));
}

/* Who waits for a domain takes the newest unit of it, any other thread the oldest, so both from their own
 * end; and every 64th is the oldest for either. */
static void both_ends(void **state) {
  uint64_t random = 3;
  (void)state;
  make_domains(&random, false);
  for (int i = 0; i < UNITS; ++i) {
    units[i] = (struct ag_unit){.domain = &domains[1], .seq = (uint64_t)i + 1};
    ag_ready_push(&ready, &units[i]);
  }
  int oldest = 0, newest = UNITS - 1;
  for (int i = 0; i < UNITS; ++i) {
    bool waits = i % 3;
    struct ag_unit *u = waits   ? ag_ready_take_of(&ready, AG_NOT_URGENT, &domains[1])
                        : i % 2 ? ag_ready_take(&ready, AG_NOT_URGENT, false)
                                : ag_ready_take_within(&ready, AG_NOT_URGENT, &domains[0], true);
    assert_ptr_equal(u, &units[waits && (i + 1) % AG_OLDEST_EVERY ? newest-- : oldest++]);
  }
  assert_null(ag_ready_take_of(&ready, AG_NOT_URGENT, &domains[1]));
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(ancestors),
      cmocka_unit_test(each_once),
      cmocka_unit_test(order),
      cmocka_unit_test(both_ends),
  };
  return cmocka_run_group_tests(cases, NULL, NULL);
}
