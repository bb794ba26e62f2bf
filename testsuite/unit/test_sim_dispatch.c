/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which order units wait in agglom-sim tasks, and what it leaves to CPUs, as the runtime has it. */
#include "tasks_state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Of other parts of the simulator; nothing here needs them. */
void sim_map(const struct sim_tasks *r, const char *what, const char *where, unsigned number, double since,
             uint64_t units) {
  (void)r, (void)what, (void)where, (void)number, (void)since, (void)units;
}
void sim_thread_goes_on(struct sim_tasks *r, unsigned w) { (void)r, (void)w; }
void sim_begin(struct sim_tasks *r, unsigned t, enum sim_doing doing, double ns) {
  (void)ns;
  r->thread[t].doing = doing;
}

enum { UNITS = 16, THREADS = 2 };

static struct ag_batch_view seen;

static struct ag_batch_decision decide(const struct ag_batch_choice *choice,
                                       const struct ag_batch_state *state, const struct ag_batch_view *view) {
  (void)choice, (void)state;
  seen = *view;
  return (struct ag_batch_decision){.units = view->waiting};
}

static const struct ag_batch_policy all_go = {
    .name = "all_go", .decide = decide, .timed = true, .common = true};

static struct ag_batch_decision wait(const struct ag_batch_choice *choice, const struct ag_batch_state *state,
                                     const struct ag_batch_view *view) {
  (void)choice, (void)state;
  seen = *view;
  return (struct ag_batch_decision){.patience = 100};
}

static const struct ag_batch_policy none_goes = {
    .name = "none_goes", .decide = wait, .timed = true, .common = true};

/* A run in which nothing has happened, with AGGLOM_SPLIT=auto: 100 ns an item on a CPU unit, and a device
 * that runs 100 units at a time, with 20 ns an item when it is full. */
struct world {
  struct sim_tasks r;
  struct sim_program p;
  struct sim_task_machine m;
  struct sim_thread thread[THREADS];
  struct sim_device device;
  struct sim_batch slot;
  struct sim_tasks_result result;
  float items[UNITS], ns[UNITS];
  uint32_t next[UNITS], n;
  uint8_t state[UNITS];
};

static void begin(struct world *w) {
  *w = (struct world){.device = {.slot = &w->slot}};
  w->m = (struct sim_task_machine){
      .cpus = THREADS, .devices = 1, .slots = 1, .fill = 100, .blocks = 1, .slot_bytes = INFINITY};
  w->p = (struct sim_program){.items = w->items, .ns = w->ns, .units = UNITS};
  w->r = (struct sim_tasks){.p = &w->p,
                            .m = &w->m,
                            .policies = {{AG_BATCH_AUTO, 0}, AG_SPLIT_AUTO},
                            .batch = &all_go,
                            .thread = w->thread,
                            .device = &w->device,
                            .next = w->next,
                            .state = w->state,
                            .result = &w->result,
                            .devices_left = 1};
  w->r.model.cpu_ns = 100;
  w->r.model.device[0].times = (struct ag_batch_times){200, 20, 100, AG_FORM_FULL};
  for (unsigned t = 0; t < THREADS; ++t) {
    w->thread[t].doing = SIM_RUNS;
    w->thread[t].task = SIM_NONE;
    w->thread[t].fifo.units.sizes = &w->thread[t].fifo.sizes;
    w->thread[t].fifo.units.dear = &w->thread[t].fifo.dear;
  }
}

static void submit(struct world *w, unsigned thread, float items) {
  w->items[w->n] = w->ns[w->n] = items;
  sim_submit(&w->r, thread, w->n++);
}

static void assert_chain(const struct world *w, const struct sim_chain *c, const char *numbers) {
  uint32_t unit = c->head, last = SIM_NONE;
  double items = 0;
  uint64_t n = 0;
  for (; numbers[n]; last = unit, unit = w->next[unit], ++n) {
    assert_int_equal(unit, numbers[n] - '0');
    items += (double)w->items[unit];
  }
  assert_int_equal(c->n, n);
  assert_int_equal(c->tail, last);
  assert_true(c->items == items && ag_sizes_of_largest(c->sizes, n + 1) == items);
}

/* An untimed policy is told what waits, and nothing of devices and times: so it is in the runtime
 * (test_measure.c). */
static void untimed_policies_see_no_devices(void **state) {
  (void)state;
  static const struct ag_batch_policy untimed = {.name = "untimed", .decide = decide};
  static struct world w;
  begin(&w);
  w.r.batch = &untimed;
  w.r.policies.split = AG_SPLIT_GPU;
  w.r.idle = THREADS;
  for (int i = 0; i < 3; ++i)
    submit(&w, 0, 4);
  assert_true(sim_dispatch(&w.r, 0, 0, AG_ON_WAIT));
  assert_true(seen.waiting == 3 && seen.items == 12 && seen.event == AG_ON_WAIT);
  assert_true(!seen.now_ns && !seen.lookers && !seen.devices && !seen.idle && !seen.fill);
  assert_true(seen.device.item_ns == 0 && seen.host.launch_ns == 0);
}

/* The dearest first, those of a class as they came, also when some have left and come back. */
static void the_dearest_stand_first(void **state) {
  (void)state;
  static struct world w;
  static const float costs[] = {2, 5, 3, 100, 4, 90, 2};
  begin(&w);
  struct sim_chain *c = &w.thread[0].fifo.units, back = {0};
  for (int i = 0; i < 7; ++i)
    submit(&w, 0, costs[i]);
  assert_chain(&w, c, "3514026");
  for (int i = 0; i < 3; ++i)
    sim_chain_push(&w.r, &back, sim_chain_pop(&w.r, c));
  assert_chain(&w, c, "4026");
  submit(&w, 0, 6);
  submit(&w, 0, 70);
  assert_chain(&w, c, "847026");
  sim_chain_return(&w.r, c, &back);
  assert_chain(&w, c, "351847026");
  submit(&w, 0, 64); /* behind the others of its class */
  assert_chain(&w, c, "3518947026");
}

/* A class of which none was there when others of it came back. */
static void classes_come_back(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  struct sim_chain *c = &w.thread[0].fifo.units, back = {0};
  submit(&w, 0, 8);
  submit(&w, 0, 1);
  sim_chain_push(&w.r, &back, sim_chain_pop(&w.r, c));
  sim_chain_return(&w.r, c, &back);
  submit(&w, 0, 9);
  submit(&w, 0, 16);
  assert_chain(&w, c, "3021");
}

/* Of each FIFO the dearest are left to CPUs; the policy sees the others. */
static void the_dearest_are_left(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  for (int i = 0; i < 5; ++i)
    submit(&w, 0, i == 2 ? 100 : 1);
  for (int i = 0; i < 3; ++i)
    submit(&w, 1, i == 1 ? 50 : 1);
  assert_true(sim_dispatch(&w.r, 0, 0, AG_ON_NO_HIGH));
  assert_int_equal(seen.waiting, 6);
  assert_true(seen.items == 6);
  assert_chain(&w, &w.thread[0].fifo.units, "2");
  assert_chain(&w, &w.thread[1].fifo.units, "6");
  assert_int_equal(w.slot.units.n, 6);
  assert_true(w.slot.units.items == 6);
}

/* Who sleeps, or runs units itself, does not submit. */
static void who_submits(void **state) {
  (void)state;
  for (enum sim_doing doing = SIM_IDLE; doing <= SIM_BLOCKED; ++doing) {
    static struct world w;
    begin(&w);
    submit(&w, 0, 1);
    submit(&w, 1, 1);
    w.r.policies.split = AG_SPLIT_GPU;
    w.thread[1].doing = doing;
    (void)sim_dispatch(&w.r, 0, 0, AG_ON_SUBMIT);
    assert_int_equal(seen.others, doing != SIM_IDLE && doing != SIM_CPU_BATCH);
    assert_int_equal(seen.active, 1 + seen.others);
  }
}

/* Nor who has submitted nothing between two launches, unless it launches, too. */
static void who_launches_submits(void **state) {
  (void)state;
  for (enum sim_doing doing = SIM_RUNS; doing <= SIM_COMMITS; ++doing) {
    static struct world w;
    struct sim_batch slots[8] = {{.used = false}};
    begin(&w);
    w.r.policies.split = AG_SPLIT_GPU;
    w.m.slots = 8;
    w.device.slot = slots;
    w.thread[1].doing = doing;
    submit(&w, 1, 1);
    for (int launch = 0; launch < 3; ++launch) {
      submit(&w, 0, 1);
      w.thread[0].doing = SIM_RUNS;
      assert_true(sim_dispatch(&w.r, 0, 0, AG_ON_SUBMIT));
      assert_int_equal(seen.others, launch < 2 || doing == SIM_LAUNCHES);
    }
  }
}

/* Policies are shown what is known of transfers, and the device begins when a batch is staged and sent. */
static void transfers_are_shown(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  w.r.policies.split = AG_SPLIT_GPU;
  w.r.model.device[0].host = (struct ag_host_times){300, 1};
  w.r.model.device[0].in = (struct ag_host_times){20, 2};
  w.r.model.device[0].out = (struct ag_host_times){40, 4};
  submit(&w, 0, 1);
  assert_true(sim_dispatch(&w.r, 0, 0, AG_ON_SUBMIT));
  assert_true(seen.in.launch_ns == 20 && seen.in.unit_ns == 2);
  assert_true(seen.out.launch_ns == 40 && seen.out.unit_ns == 4);
  assert_true(w.device.believed_free == 301 + 22 + w.slot.expected_ns);
}

/* A CPU leaves nearly all to a device that is fast, unless transfers to it, or back, take long. */
static void transfers_are_for_cpus(void **state) {
  (void)state;
  uint64_t taken[3];
  for (int slow = 0; slow < 3; ++slow) {
    static struct world w;
    begin(&w);
    w.r.model.device[0].times.item_ns = 0.01;
    w.r.model.device[0].in.launch_ns = slow == 1 ? 1e9 : 0;
    w.r.model.device[0].out.launch_ns = slow == 2 ? 1e9 : 0;
    for (int i = 0; i < UNITS; ++i)
      submit(&w, 0, 1000);
    w.r.batch = &none_goes;
    taken[slow] = sim_dispatch(&w.r, 1, 0, AG_ON_LOOK) ? w.thread[1].cpu.n : 0;
  }
  assert_true(taken[1] > taken[0] && taken[2] == taken[1]);
}

/* Of batches that were launched before anything was known of devices nobody knows when they end, even when a
 * device is known since: none goes behind them while another one has less to do, or fewer of them. */
static void unknown_batches_may_take_long(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  struct sim_batch slot[2][3] = {{{.used = true}, {.used = true}}, {{.used = true}}};
  struct sim_device two[2] = {{.slot = slot[0], .used = 2}, {.slot = slot[1], .used = 1}};
  w.m.devices = w.r.devices_left = 2;
  w.m.slots = 3;
  w.r.device = two;
  w.r.now = 1000;
  two[0].since = 999; /* its first one has just ended */
  assert_int_equal(sim_device_for(&w.r, 0), 1);
  slot[0][0].expected_ns = slot[0][1].expected_ns = 500;
  two[0].believed_free = 2000;
  assert_int_equal(sim_device_for(&w.r, 0), 0);
  slot[1][0].expected_ns = 900;
  two[1].believed_free = 1900;
  assert_int_equal(sim_device_for(&w.r, 0), 1);
}

/* Who looks after the FIFO of another between units of high priority does not make it quiet. */
static void bursts_of_others(void **state) {
  (void)state;
  static struct world w;
  for (unsigned t = 0; t < 2; ++t) {
    begin(&w);
    w.r.batch = &none_goes;
    w.r.policies.split = AG_SPLIT_GPU;
    submit(&w, 0, 1);
    for (int i = 0; i < 2 * AG_QUIET_LOOKS; ++i) {
      w.r.now += 20000;
      assert_false(sim_dispatch(&w.r, t, 0, AG_ON_BURST));
    }
    assert_int_equal(seen.event, t ? AG_ON_BURST : AG_ON_QUIET);
  }
}

/* When all units of a step have come a thread that has submitted some launches them before it runs more of
 * high priority; where nothing is due, or not all have come, it is not asked again at once. */
static void whole_steps_go_first(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  w.r.policies.split = AG_SPLIT_GPU;
  w.r.common.phase.units = 3;
  w.r.common.phase.exact = true;
  w.r.common.phase.gap_ns = 100;
  submit(&w, 0, 1);
  submit(&w, 0, 1);
  w.r.now = 1000;
  assert_false(sim_launch_whole(&w.r, 0));
  assert_true(w.r.whole_at == 1050);
  w.r.now = 1049;
  submit(&w, 0, 1);
  assert_false(sim_launch_whole(&w.r, 0));
  w.r.now = 1050;
  assert_false(sim_launch_whole(&w.r, 1)); /* it has submitted none */
  w.slot.used = true;
  w.device.used = 1;
  assert_false(sim_launch_whole(&w.r, 0));
  assert_int_equal(seen.event, AG_ON_WHOLE);
  assert_true(w.r.whole_at == 1050 + AG_ASK_NS);
  w.slot.used = false;
  w.device.used = 0;
  w.r.now = w.r.whole_at;
  assert_true(sim_launch_whole(&w.r, 0));
  assert_int_equal(w.slot.units.n, 3);
  assert_true(w.r.whole_at == 0); /* what is left, if anything, may be due */
  assert_false(sim_launch_whole(&w.r, 0));
  assert_true(w.r.whole_at == w.r.now + AG_ASK_NS); /* none waits */
  w.r.common.phase.begun = 3;
  w.slot = (struct sim_batch){0};
  w.device.used = 0;
  w.r.now = w.r.whole_at;
  for (int i = 0; i < 3; ++i)
    submit(&w, 1, 1);
  assert_true(sim_launch_whole(&w.r, 0)); /* what another thread has submitted */
  assert_int_equal(w.slot.units.n, 3);
}

/* To take units for a CPU takes time as well: from one FIFO one thread after the other, of two FIFOs at once.
 */
static void taking_takes_time(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  w.r.policies.split = AG_SPLIT_CPU;
  w.m.take_ns = 250;
  for (int i = 0; i < 4; ++i)
    submit(&w, 0, 1000);
  submit(&w, 1, 1000);
  w.r.now = 5000;
  w.thread[0].asked_ns = 100; /* it has asked first */
  assert_true(sim_take_for_cpu(&w.r, 0, 0));
  assert_true(w.thread[0].asked_ns == 350);
  assert_true(sim_take_for_cpu(&w.r, 1, 0));
  assert_true(w.thread[1].asked_ns == 600);
  w.r.now = 5600;
  w.thread[1].asked_ns = 0;
  assert_true(sim_take_for_cpu(&w.r, 1, 0));
  assert_true(w.thread[1].asked_ns == 250);
  w.thread[0].asked_ns = 0;
  assert_true(sim_take_for_cpu(&w.r, 0, 1));
  assert_true(w.thread[0].asked_ns == 250);
}

static bool always(const struct ag_batch_view *view) { return view->event == AG_ON_SUBMIT; }

/* To ask takes time, and so of the threads that have time one asks, and the others believe that for 10 us. */
static void asking_takes_time(void **state) {
  (void)state;
  static struct world w;
  begin(&w);
  w.r.batch = &none_goes;
  w.r.model.device[0].times.item_ns = 0.01; /* CPUs leave all to it */
  w.m.ask_ns = 500;
  w.m.ask_split_ns = 300;
  for (int i = 0; i < 8; ++i)
    submit(&w, 0, 1000);
  assert_false(sim_dispatch(&w.r, 0, 0, AG_ON_SUBMIT)); /* whatever CPUs are to do, nothing is due */
  assert_true(w.thread[0].asked_ns == 500);
  for (int late = 0; late < 2; ++late) {
    for (unsigned t = 0; t < THREADS; ++t) {
      w.thread[t].asked_ns = 0;
      sim_dispatch(&w.r, t, 0, AG_ON_LOOK);
      assert_true(w.thread[t].asked_ns == (t ? 0 : 800));
    }
    w.r.now += 10000;
  }
  w.thread[1].asked_ns = 0;
  sim_dispatch(&w.r, 0, 0, AG_ON_LOOK);
  sim_dispatch(&w.r, 1, 0, AG_ON_LOOK);
  assert_true(w.thread[1].asked_ns == 0);
  static const struct ag_batch_policy lazy = {
      .name = "lazy", .decide = wait, .timed = true, .common = true, .for_others = always};
  w.r.batch = &lazy; /* what CPUs are to do is not looked into */
  w.thread[0].asked_ns = 0;
  assert_false(sim_dispatch(&w.r, 0, 0, AG_ON_SUBMIT));
  assert_true(w.thread[0].asked_ns == 500);
  w.r.batch = &none_goes;
  w.m.most = 8; /* not where a launch can take no more */
  sim_dispatch(&w.r, 1, 0, AG_ON_LOOK);
  assert_true(w.thread[1].asked_ns == 800);
  w.thread[1].asked_ns = 0;
  w.r.policies.split = AG_SPLIT_GPU;
  sim_dispatch(&w.r, 1, 0, AG_ON_LOOK);
  assert_true(w.thread[1].asked_ns == 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(untimed_policies_see_no_devices),
                                     cmocka_unit_test(transfers_are_shown),
                                     cmocka_unit_test(transfers_are_for_cpus),
                                     cmocka_unit_test(the_dearest_stand_first),
                                     cmocka_unit_test(classes_come_back),
                                     cmocka_unit_test(the_dearest_are_left),
                                     cmocka_unit_test(taking_takes_time),
                                     cmocka_unit_test(asking_takes_time),
                                     cmocka_unit_test(bursts_of_others),
                                     cmocka_unit_test(whole_steps_go_first),
                                     cmocka_unit_test(who_submits),
                                     cmocka_unit_test(who_launches_submits),
                                     cmocka_unit_test(unknown_batches_may_take_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
