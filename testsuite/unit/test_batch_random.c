/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Timed batch policies and splits: what holds whatever happens. */
#include "policy/policy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 200000 }; /* TEST_CASES in the environment asks for more */

static unsigned cases(void) {
  const char *text = getenv("TEST_CASES");
  return text ? (unsigned)strtoul(text, NULL, 10) : CASES;
}

static double any(double least, double most) { return least + (most - least) * rand() / RAND_MAX; }

/* --- Splits -------------------------------------------------------------------------------------------- */

/* Some units cost so much, all others less. */
struct mix {
  uint64_t dear, cheap;
  double much, little;
};

static double all_of(const struct mix *m) { return (double)m->dear * m->much + (double)m->cheap * m->little; }

/* The n dearest cost so much in all. */
static double of_dearest(const struct mix *m, uint64_t n) {
  return n < m->dear ? (double)n * m->much : (double)m->dear * m->much + (double)(n - m->dear) * m->little;
}

/* How many of the dearest cost so much in all. */
static uint64_t dearest_of(const struct mix *m, double cost) {
  double dear = (double)m->dear * m->much;
  return cost < dear ? (uint64_t)(cost / m->much + 0.5)
                     : m->dear + (uint64_t)((cost - dear) / m->little + 0.5);
}

/* When CPUs have done the n dearest units, and all that they have to do besides. */
static double cpus_ns(const struct ag_split_view *v, const struct mix *m, uint64_t n) {
  const struct ag_split_cpus *c = &v->load;
  double mean = v->items / (double)v->units, own = of_dearest(m, n) * v->cpu_ns;
  double others = (double)(v->units - n);
  double host = others > 0 ? ag_host_ns(&v->host, others) + ag_host_ns(&v->commit, others) : 0;
  double work = own * (1 + c->more) + c->ready_ns + c->before_ns + host, all = work + c->after_ns;
  double with = 1.0 / (c->ready + c->others);
  double end = fmin(c->ready ? all / c->ready : INFINITY, (all + c->begun_ns) * with);
  if (!n)
    return end;
  double units = fmin(c->ready ? work / c->ready : INFINITY, (work + c->begun_ns) * with);
  return fmax(end, fmax(units, fmax(mean * v->cpu_ns, fmin(own, AG_CPU_WORTH_NS))));
}

/* When devices have done the n cheapest; as if all were like these where there are fewer. */
static double devices_ns(const struct ag_split_view *v, const struct mix *m, uint64_t n) {
  double items =
      n <= v->units ? all_of(m) - of_dearest(m, v->units - n) : (double)n * v->items / (double)v->units;
  double longest = n > m->cheap && m->dear ? m->much : m->little, each = fmax((double)n / v->devices, 1);
  double first = ag_host_ns(&v->host, each);
  double times = ag_times_longest(&v->device, each, each * items / (double)n, longest);
  return n ? fmax(v->busy_ns, first) + times + ag_host_ns(&v->commit, each) : 0;
}

static double end_ns(const struct ag_split_view *v, const struct mix *m, uint64_t for_cpus) {
  return fmax(cpus_ns(v, m, for_cpus), devices_ns(v, m, v->units - for_cpus));
}

/* No other split ends sooner. */
static void no_better(const struct ag_split_view *v, const struct mix *m, double leave) {
  uint64_t n = leave < v->items ? dearest_of(m, leave) : v->units;
  double end = end_ns(v, m, n);
  for (int i = 0; i < 20; ++i) {
    uint64_t other = i < 2   ? (i ? v->units : 0)
                     : i < 4 ? n + (i == 2 ? 1 : -(n > 0))
                             : (uint64_t)any(0, (double)v->units);
    assert_true(other > v->units || end <= end_ns(v, m, other) * (1 + 1e-6));
  }
}

static void random_splits(void **s) {
  (void)s;
  srand(5);
  for (unsigned i = cases(); i; --i) {
    struct ag_split_view v = {.units = (uint64_t)pow(10, any(0, 6)), .cpus = 1 + (unsigned)rand() % 64};
    struct mix m = {.little = pow(10, any(0, 4))};
    struct ag_sizes sizes = {0};
    m.dear = rand() % 2 ? (uint64_t)any(0, (double)v.units) : 0;
    m.cheap = v.units - m.dear;
    m.much = m.little * any(4, 100);
    ag_sizes_add_alike(&sizes, m.dear, m.much);
    ag_sizes_add_alike(&sizes, m.cheap, m.little);
    v.sizes = &sizes;
    v.items = all_of(&m);
    v.load.ready = (unsigned)rand() % 65;
    v.load.others = rand() % 2 ? (unsigned)rand() % 65 : 0;
    v.load.ready_ns = rand() % 2 ? pow(10, any(0, 10)) : 0;
    v.load.begun_ns = rand() % 2 && v.load.others ? pow(10, any(0, 10)) : 0;
    v.load.before_ns = rand() % 2 ? pow(10, any(0, 10)) : 0;
    v.load.after_ns = rand() % 2 ? pow(10, any(0, 10)) : 0;
    v.load.more = rand() % 2 ? any(0, 20) : 0;
    v.devices = 1 + (unsigned)rand() % 8;
    v.cpu_ns = rand() % 8 ? pow(10, any(-3, 9)) : 0;
    v.device.item_ns = rand() % 8 ? pow(10, any(-3, 9)) : 0;
    v.device.launch_ns = rand() % 4 ? pow(10, any(0, 9)) : 0;
    v.device.fill = rand() % 2 ? pow(10, any(0, 5)) : 0;
    v.device.form = (enum ag_batch_form)(rand() % AG_N_FORMS);
    v.host.launch_ns = rand() % 2 ? pow(10, any(0, 7)) : 0;
    v.commit.launch_ns = rand() % 2 ? pow(10, any(0, 7)) : 0;
    v.commit.unit_ns = rand() % 2 ? any(0, 1) * m.little * v.cpu_ns : 0; /* else nothing is for devices */
    v.load.may_be_ns = rand() % 4 ? 0 : pow(10, any(0, 10));
    v.spent_ns = rand() % 2 ? pow(10, any(0, 12)) : 0;
    v.busy_ns = rand() % 2 ? pow(10, any(0, 10)) : 0;
    v.idle = v.busy_ns > 0 ? 0 : v.devices;

    double leave = ag_split_leave(&v), take = ag_split_take(&v);
    assert_true(leave >= 0 && (leave < v.items || leave == INFINITY));
    assert_true(take >= 0 && take <= 1.0011 * v.items);
    unsigned cpus = v.load.ready + v.load.others;
    if (!cpus && !(v.load.may_be_ns > 0))
      assert_true(leave == 0);
    if (cpus && v.cpu_ns > 0 && v.device.item_ns > 0 && !(v.load.may_be_ns > 0))
      no_better(&v, &m, leave);
    struct ag_split_state state = {0};
    for (int k = rand() % 4; k; --k)
      ag_split_told(&state, (enum ag_side)(rand() % 2), any(-1, 5), any(-1, 100),
                    rand() % 9 ? any(-1, 1e6) : NAN);
    struct ag_split_share share = ag_split_front(rand() % 2 ? AG_SPLIT_COUNT : AG_SPLIT_ITEMS, &state, &v);
    assert_true(share.units <= v.units && share.items >= 0);
  }
}

/* --- Batches ------------------------------------------------------------------------------------------- */

/* Whatever was measured: never more than there is, all of it in the end, and what waits long goes. */
static void random_batches(void **s) {
  (void)s;
  srand(6);
  struct ag_batch_choice c = {AG_BATCH_AUTO, 0};
  struct ag_batch_state state = {0};
  struct ag_device_model model = {0};
  uint64_t now = 1, waiting = 0;
  for (unsigned i = cases(); i; --i) {
    for (bool other = !(rand() % 1000); other; other = !ag_batch_policy(c.rule)->timed)
      c.rule = (enum ag_batch_rule)(rand() % AG_N_BATCH_RULES);
    now += (uint64_t)pow(10, any(0, 6));
    struct ag_batch_view v = {.event = (enum ag_batch_event)(rand() % AG_N_BATCH_EVENTS), .now_ns = now};
    uint64_t come = v.event == AG_ON_SUBMIT ? 1 + (uint64_t)rand() % 8 : 0;
    waiting += come;
    state.arrivals += come;
    if (!waiting)
      continue;
    ag_batch_tick(&state, waiting, now);
    v.waiting = waiting;
    v.items = (double)waiting * pow(10, any(-1, 3));
    v.fill = rand() % 3 ? (uint64_t)pow(10, any(0, 4)) : 0;
    v.in_flight = (unsigned)rand() % 4;
    v.full = waiting > 5000;
    v.filled = rand() % 2 ? 0 : pow(10, any(-3, 3));
    v.host = model.host;
    v.device = model.times;
    v.free_ns[0] = v.in_flight ? any(0, 1e6) : 0;
    v.idle = v.in_flight ? 0 : 1 + (unsigned)rand() % 4;
    v.devices = v.idle + 1;
    for (unsigned k = 1; k < v.devices; ++k)
      v.free_ns[k] = v.free_ns[k - 1] + (rand() % 2 ? any(0, 1e6) : 0);
    v.lookers = rand() % 2;
    struct ag_batch_decision d = ag_batch_policy(c.rule)->decide(&c, &state, &v);
    assert_true(d.units <= waiting);
    assert_true(d.units > 0 || !v.full ||
                (c.rule == AG_BATCH_AUTO && v.filled > 0 && v.in_flight && !(v.device.item_ns > 0)));
    assert_true(d.units > 0 || (v.event != AG_ON_QUIET && (v.event != AG_ON_WAIT || v.in_flight)));
    if (!d.units && c.rule == AG_BATCH_AUTO) { /* some time later, on a device with room */
      struct ag_batch_view later = v;
      later.event = AG_ON_LOOK;
      later.in_flight = 0;
      memset(later.free_ns, 0, sizeof later.free_ns);
      later.idle = 1;
      later.now_ns = now + (uint64_t)1e15;
      assert_true(ag_batch_policy(c.rule)->decide(&c, &state, &later).units > 0);
    }
    if (!d.units)
      continue;
    waiting -= d.units;
    ag_batch_gone(&state, waiting);
    struct ag_measured_batch b = {.units = (double)d.units,
                                  .items = (double)d.units,
                                  .chains = rand() % 2 ? (double)d.units : any(-1, 1e5),
                                  .fill = (double)v.fill,
                                  .ns = rand() % 9 ? any(-10, 1e7) : INFINITY,
                                  .host_ns = any(-10, 1e5)};
    ag_model_device(&model, &b);
    assert_true(model.times.launch_ns >= 0 && isfinite(model.times.launch_ns) &&
                isfinite(model.times.item_ns));
    assert_true(model.host.launch_ns >= 0 && isfinite(model.host.launch_ns) && model.host.unit_ns >= 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_splits), cmocka_unit_test(random_batches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
