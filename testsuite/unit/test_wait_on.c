/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Waiting for the units that use certain memory, and for no others: agglom_wait_on(), and what the directives
 * `wait on`, `update` and `data` call. */
#include "capture.h"
#include "directives.h"
#include "rt_tasks.h"

#include <pthread.h>
#include <time.h>

/* --- gate: a unit that is in flight until the test lets it end ------------------------------------------ */

struct gate {
  _Atomic bool started, open, ended;
};
struct gate_args {
  uint64_t *y;
  long n, step;
  struct gate *gate;
};

static void nap(void) { nanosleep(&(struct timespec){0, 200000}, NULL); }

static void gate_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct gate_args *a = args[i];
    atomic_store(&a->gate->started, true);
    while (!atomic_load(&a->gate->open))
      nap();
    atomic_store(&a->gate->ended, true);
  }
}

static const struct agglom_module no_module;
#define GATE(Name, Mode, Flags)                                                                              \
  static const struct agglom_section Name##_sections[] = {                                                   \
      {#Name "(y[0:n:step])", 3, Mode, sizeof(uint64_t), offsetof(struct gate_args, y), 0, NULL, NULL}};     \
  static struct agglom_task Name##_task = {.name = #Name,                                                    \
                                           .file = "gate.c",                                                 \
                                           .line = 2,                                                        \
                                           .flags = AGGLOM_TASK_CPU_ONLY | (Flags),                          \
                                           .args_size = sizeof(struct gate_args),                            \
                                           .args_align = _Alignof(struct gate_args),                         \
                                           .n_sections = 1,                                                  \
                                           .sections = Name##_sections,                                      \
                                           .cpu = gate_cpu,                                                  \
                                           .module = &no_module};
GATE(writes, AGGLOM_INOUT | AGGLOM_SHAPED, 0)
GATE(reads, AGGLOM_IN | AGGLOM_SHAPED, 0)
GATE(adds, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT | AGGLOM_SHAPED, 0)
GATE(free_writes, AGGLOM_INOUT | AGGLOM_SHAPED, AGGLOM_TASK_INDEPENDENT)

/* --- peek: a task with a kernel whose body, on the CPU, waits ------------------------------------ */

static _Atomic int peeked;

static void peek_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    atomic_fetch_add(&peeked, 1 + agglom_wait_on(*(uint64_t *const *)args[i], 8) + agglom_wait_on(NULL, 8));
}

static const struct agglom_section peek_sections[] = {{"inout(y[0])", 9, AGGLOM_INOUT, 8, 0, 0, NULL, NULL}};
static struct agglom_task peek_task = {.name = "peek",
                                       .file = "gate.c",
                                       .line = 8,
                                       .map = AGGLOM_MAP_THREAD,
                                       .args_size = sizeof(uint64_t *),
                                       .args_align = _Alignof(uint64_t *),
                                       .n_sections = 1,
                                       .sections = peek_sections,
                                       .cpu = peek_cpu,
                                       .module = &no_module};

static struct agglom_task *const gates[] = {&writes_task, &reads_task, &adds_task, &free_writes_task,
                                            &peek_task};
static struct agglom_module gates_module = TASK_MODULE("gates.c", gates);

static void begin(const char *settings) {
  assert_int_equal(agglom_register(&gates_module), 0);
  start_with(settings);
}

/* A unit of this task that uses y[0], y[step], ... (n of them), run by another thread and in flight. */
static void hold(struct agglom_task *task, uint64_t *y, long n, long step, struct gate *gate) {
  struct gate_args a = {y, n, step, gate};
  const struct agglom_dim dim = {0, n, step, sizeof *y};
  const struct agglom_shape shape = {y, &dim, 1, 0, sizeof *y, NULL, NULL};
  const struct agglom_range range = {&shape, 0, 0};
  *gate = (struct gate){0};
  assert_int_equal(agglom_submit(task, &a, &range, 1, 0), 0);
  while (!atomic_load(&gate->started))
    nap();
}

static void end_all(struct gate *gate) {
  atomic_store(&gate->open, true);
  assert_int_equal(agglom_wait(), 0);
  assert_true(atomic_load(&gate->ended));
  assert_int_equal(agglom_shutdown(), 0);
}

/* Opens a gate a little later, so that whoever waits for it waits indeed. */
static void *open_later(void *gate) {
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  atomic_store(&((struct gate *)gate)->open, true);
  return NULL;
}

static const char *const machines[] = {
    "AGGLOM_DEVICES=none AGGLOM_WORKERS=2",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2",
    "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:100",
    "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_BATCH=single",
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* --- Which units are waited for ------------------------------------------------------------------ */

static void others_stay_in_flight(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m) {
    uint64_t held[4] = {0}, y[4] = {1, 2, 3, 4};
    struct gate gate;
    begin(machines[m]);
    hold(&writes_task, held, 4, 1, &gate);
    for (int k = 0; k < 10; ++k)
      submit_mix(k % 2 ? &mix_task : &host_task, (struct mix_args){.y = y, .ny = 4, .v = (uint64_t)k});
    assert_int_equal(agglom_wait_on(y, sizeof y), 0);
    assert_false(atomic_load(&gate.ended));
    for (int k = 0; k < 10; ++k)
      y[3] += (uint64_t)k * k; /* the host's again */
    submit_mix(&mix_task, (struct mix_args){.y = y, .ny = 4, .v = 1});
    assert_int_equal(agglom_wait_sections(&wait_on, &(struct agglom_range){y, 1, 1}), 0);
    assert_false(atomic_load(&gate.ended));
    assert_int_equal(agglom_wait_on(NULL, 0), 0);
    assert_int_equal(agglom_wait_on(held, 0), 0);
    assert_false(atomic_load(&gate.ended));
    end_all(&gate);
    uint64_t expected[4] = {1, 2, 3, 4};
    for (int k = 0; k < 10; ++k)
      mix(&(struct mix_args){.y = expected, .ny = 4, .v = (uint64_t)k});
    for (int k = 0; k < 10; ++k)
      expected[3] += (uint64_t)k * k;
    mix(&(struct mix_args){.y = expected, .ny = 4, .v = 1});
    assert_memory_equal(y, expected, sizeof y);
  }
}

/* Readers, writers, accumulators, independent units: the host may write when all of them are complete. */
static void whoever_uses_it(void **state) {
  (void)state;
  for (int t = 0; t < 4; ++t)
    for (int how = 0; how < 5; ++how) {
      uint64_t y[6] = {0};
      struct gate gate;
      pthread_t opener;
      begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
      hold(gates[t], y, 3, 2, &gate);
      const struct agglom_range range = {y, 2, 1};
      if (gates[t] == &reads_task) { /* the host may read what a unit reads */
        assert_int_equal(agglom_update_sections(&update_host, &range), 0);
        assert_false(atomic_load(&gate.ended));
      }
      assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
      if (how == 0)
        assert_int_equal(agglom_wait_on(&y[2], 1), 0);
      else if (how == 1)
        assert_int_equal(agglom_wait_sections(&wait_on, &range), 0);
      else if (how == 2)
        assert_int_equal(agglom_update_sections(&update_device, &range), 0);
      else if (how == 3)
        agglom_data_end(agglom_data_begin(&data, &range));
      else if (gates[t] != &reads_task)
        assert_int_equal(agglom_update_sections(&update_host, &range), 0);
      else
        assert_int_equal(agglom_wait(), 0);
      assert_true(atomic_load(&gate.ended));
      pthread_join(opener, NULL);
      end_all(&gate);
    }
}

/* Pieces, not hulls: a unit of the even elements does not hold up who waits for the odd ones. */
static void pieces_are_exact(void **state) {
  (void)state;
  uint64_t y[8] = {0}, at[2] = {3, 7};
  struct gate gate;
  static const struct agglom_section shaped[] = {
      {"on(y[1:4:2])", 1, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(uint64_t), 0, 0, NULL, NULL},
      {"on(y[at[0:2]])", 2, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(uint64_t), 0, 0, NULL, NULL}};
  static const struct agglom_directive both = {"wait", "at.c", 2, 0, shaped};
  const struct agglom_dim odd = {1, 4, 2, sizeof *y};
  const struct agglom_shape shapes[] = {{y, &odd, 1, 0, sizeof *y, NULL, NULL},
                                        {y, NULL, 0, 8, sizeof *y, at, NULL}};
  const struct agglom_range ranges[] = {{&shapes[0], 0, 0}, {&shapes[1], 0, 2}};
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  hold(&writes_task, y, 4, 2, &gate);
  submit_mix(&mix_task, (struct mix_args){.y = y, .ly = 3, .ny = 1, .v = 5});
  assert_int_equal(agglom_wait_sections(&both, ranges), 0);
  assert_int_equal(y[3], 5);
  assert_false(atomic_load(&gate.ended));
  assert_int_equal(agglom_wait_on(&y[7], 8), 0);
  assert_false(atomic_load(&gate.ended));
  end_all(&gate);
}

/* More sections than a directive usually has, and the last one counts. */
static void many_sections(void **state) {
  (void)state;
  enum { MANY = 40 };
  uint64_t y[MANY] = {0};
  struct agglom_section sections[MANY];
  struct agglom_range ranges[MANY];
  for (int i = 0; i < MANY; ++i) {
    sections[i] = both_ways[0];
    ranges[i] = (struct agglom_range){y, i, i < MANY - 1 ? 0 : 1};
  }
  const struct agglom_directive many = {"wait", "at.c", MANY, 0, sections};
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:9");
  submit_mix(&mix_task, (struct mix_args){.y = y, .ny = MANY, .v = 6});
  ranges[3].base = NULL; /* of length 0 */
  assert_int_equal(agglom_wait_sections(&many, ranges), 0);
  assert_int_equal(y[MANY - 1], 6);
  assert_int_equal(agglom_shutdown(), 0);
}

/* Who waits for its own units does not wait for those of others. */
static void *wait_elsewhere(void *memory) {
  uint64_t *y = memory;
  bool right = !agglom_wait_own_on(y, 8) && !agglom_wait_own();
  submit_mix(&mix_task, (struct mix_args){.y = y + 1, .ny = 1, .v = 3});
  right = right && !agglom_wait_own_sections(&wait_on, &(struct agglom_range){y, 0, 2}) && y[1] == 3;
  submit_mix(&mix_task, (struct mix_args){.y = y + 1, .ny = 1, .v = 3});
  return right && !agglom_wait_own() && y[1] == 96 ? y : NULL;
}

static void units_of_other_threads(void **state) {
  (void)state;
  uint64_t y[2] = {0};
  struct gate gate;
  pthread_t other;
  void *result;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=3");
  hold(&writes_task, y, 1, 1, &gate);
  assert_int_equal(pthread_create(&other, NULL, wait_elsewhere, y), 0);
  pthread_join(other, &result);
  assert_ptr_equal(result, y);
  assert_false(atomic_load(&gate.ended));
  end_all(&gate);
}

/* --- FIFOs --------------------------------------------------------------------------------------- */

/* Units that a rule holds back are let go when they are waited for, and with them those that they follow;
 * other FIFOs go on filling. */
static void only_what_is_needed_is_launched(void **state) {
  (void)state;
  uint64_t a[2] = {0}, b[2] = {0}, c[2] = {0};
  struct agglom_counters now;
  begin("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100");
  submit_grow(b, 2);
  submit_mix(&mix_task, (struct mix_args){.y = a, .ny = 2, .v = 3});
  submit_mix(&thread_task,
             (struct mix_args){.y = c, .ny = 2, .x = a, .nx = 2, .v = 3}); /* follows the one before */
  submit_mix(&thread_task, (struct mix_args){.y = c, .ny = 2, .v = 1});
  agglom_get_counters(&now);
  assert_int_equal(now.units_on_device + now.units_on_cpu, 0);
  assert_int_equal(agglom_wait_on(c, sizeof c), 0);
  assert_true(c[0] != 0);
  agglom_get_counters(&now);
  assert_int_equal(now.units_on_device, 3);
  submit_grow(b, 2); /* behind the first one, which is still there */
  agglom_get_counters(&now);
  assert_int_equal(now.units_on_device, 3);
  assert_int_equal(agglom_wait_on(b, sizeof b), 0);
  assert_int_equal(b[1], 6);
  agglom_get_counters(&now);
  assert_int_equal(now.units_on_device, 5);
  assert_int_equal(now.launches, 3);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- In a unit's body ---------------------------------------------------------------------------- */

static uint64_t inside[3][2];
static int inside_results[4];

static void submit_children(void *context) {
  (void)context;
  inside_results[0] = agglom_wait_on(inside[0], sizeof inside[0]); /* no child yet; no unit of the thread's */
  submit_mix(&mix_task, (struct mix_args){.y = inside[1], .ny = 2, .v = 7});
  submit_mix(&thread_task, (struct mix_args){.y = inside[2], .ny = 2, .v = 9});
  inside_results[1] = agglom_wait_on(inside[1], sizeof inside[1]);
  inside_results[2] = (int)inside[1][0];
}

/* The children that a CPU-only unit leaves in the FIFOs of the waiting thread are run before it is complete.
 */
static void children(void **state) {
  (void)state;
  for (int m = 0; m < 3; ++m) {
    static const char *const settings[] = {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100",
                                           "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
                                           "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:7"};
    begin(settings[m]);
    memset(inside, 0, sizeof inside);
    /* A parent whose sections cover what its children use: call has none, so one that follows it waits for
     * it. */
    submit_mix(&mix_task, (struct mix_args){.y = inside[0], .ny = 2, .v = 1});
    submit_call(submit_children, NULL, 1);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(inside_results[0], 0);
    assert_int_equal(inside_results[1], 0);
    assert_int_equal(inside_results[2], 7);
    assert_int_equal(inside[2][1], 9);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

struct parent_args {
  uint64_t *y;
};
static void parent_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    submit_mix(&mix_task, (struct mix_args){.y = ((const struct parent_args *)args[i])->y, .ny = 2, .v = 5});
}
static const struct agglom_section parent_sections[] = {
    {"inout(y[0:2])", 2, AGGLOM_INOUT, 8, 0, 0, NULL, NULL}};
static struct agglom_task parent_task = {.name = "parent",
                                         .file = "parent.c",
                                         .line = 1,
                                         .flags = AGGLOM_TASK_CPU_ONLY,
                                         .args_size = sizeof(struct parent_args),
                                         .args_align = _Alignof(struct parent_args),
                                         .n_sections = 1,
                                         .sections = parent_sections,
                                         .cpu = parent_cpu,
                                         .module = &no_module};

/* A parent is complete after its children, also when a rule holds these back and nobody else could let them
 * go. */
static void parents(void **state) {
  (void)state;
  static struct agglom_task *const tasks[] = {&parent_task};
  static struct agglom_module module = TASK_MODULE("parent.c", tasks);
  for (int m = 0; m < 2; ++m) {
    uint64_t y[2] = {0};
    assert_int_equal(agglom_register(&module), 0);
    begin(m ? "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3 AGGLOM_BATCH=static:100"
            : "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100");
    struct parent_args a = {y};
    struct agglom_range range = {y, 0, 2};
    assert_int_equal(agglom_submit(&parent_task, &a, &range, 0, 0), 0);
    assert_int_equal(agglom_wait_on(&y[1], 1), 0);
    assert_int_equal(y[1], 5);
    assert_int_equal(agglom_shutdown(), 0);
  }
}

/* The body of a unit with a kernel has nothing to wait for. */
static void nothing_in_kernel_units(void **state) {
  (void)state;
  uint64_t y[1] = {0}, *args = y;
  struct gate gate;
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  atomic_store(&peeked, 0);
  hold(&writes_task, (uint64_t[]){0}, 1, 1, &gate);
  agglom_submit(&peek_task, &args, &(struct agglom_range){y, 0, 1}, 0, 0);
  assert_int_equal(agglom_wait_on(y, 1), 0);
  assert_int_equal(atomic_load(&peeked), 1);
  end_all(&gate);
}

/* --- Errors -------------------------------------------------------------------------------------- */

static void impossible_ranges(void **state) {
  (void)state;
  uint64_t y[2] = {0}, held[1] = {0};
  struct gate gate;
  pthread_t opener;
  capture_begin(); /* with no unit ever submitted */
  assert_int_equal(agglom_wait_on(NULL, 4), -EINVAL);
  assert_int_equal(agglom_wait_sections(&wait_on, &(struct agglom_range){y, 0, -2}), -EINVAL);
  const char *text = capture_end();
  assert_string_equal(
      text,
      "agglom: error: agglom_wait_on((nil), 4): these are not 4 bytes of memory; all units are waited for\n"
      "agglom: error: at.c:5: '#pragma agglom wait': section 'on(y[0:n])' has length -2; a "
      "length must be 0 or more\n");
  begin("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  for (int how = 0; how < 5; ++how) {
    hold(&writes_task, held, 1, 1, &gate);
    assert_int_equal(pthread_create(&opener, NULL, open_later, &gate), 0);
    int err = -EINVAL;
    capture_begin();
    if (how == 0)
      err = agglom_wait_on(NULL, 4);
    else if (how == 1)
      err = agglom_wait_on((void *)UINTPTR_MAX, 4);
    else if (how == 2)
      err = agglom_wait_sections(&wait_on, &(struct agglom_range){NULL, 0, 4});
    else if (how == 3)
      err = agglom_update_sections(&update_host, &(struct agglom_range){y, 0, -1});
    else
      agglom_data_end(agglom_data_begin(&data, &(struct agglom_range){y, 0, INT64_MAX / 2}));
    text = capture_end();
    assert_int_equal(err, -EINVAL);
    assert_true(atomic_load(&gate.ended)); /* nobody knows what was meant: all of them */
    static const char *const said[] = {
        "agglom_wait_on((nil), 4): these are not 4 bytes of memory", "these are not 4 bytes of memory",
        "at.c:5: '#pragma agglom wait': section 'on(y[0:n])' has length 4 but its "
        "pointer is NULL; pass memory of that length, or length 0\n",
        "at.c:6: '#pragma agglom update': section 'host(y[0:n])' has length -1; a "
        "length must be 0 or more\n",
        "at.c:5: '#pragma agglom data': section 'on(y[0:n])' starts at element 0 and "
        "has length 4611686018427387903, which reaches beyond all memory"};
    assert_non_null(strstr(text, said[how]));
    assert_int_equal(occurrences(text, "\n"), 1);
    pthread_join(opener, NULL);
    assert_int_equal(agglom_wait(), -EINVAL);
    assert_int_equal(agglom_wait(), 0);
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Blocks -------------------------------------------------------------------------------------- */

/* The end waits for what the sections were at the beginning, and for nothing else. */
static void blocks(void **state) {
  (void)state;
  for (int m = 0; m < MACHINES; ++m) {
    uint64_t held[2] = {0}, y[8] = {0}, expected[8] = {0};
    struct gate gate;
    begin(machines[m]);
    hold(&writes_task, held, 2, 1, &gate);
    void *outer = agglom_data_begin(&data, &(struct agglom_range){y, 0, 8});
    void *inner = agglom_data_begin(&data, &(struct agglom_range){y, 2, 4});
    assert_non_null(outer);
    assert_non_null(inner);
    for (int k = 0; k < 20; ++k)
      submit_mix(&mix_task, (struct mix_args){.y = y, .ly = k % 7, .ny = 2, .v = (uint64_t)k});
    agglom_data_end(inner);
    uint64_t third = y[3];
    agglom_data_end(outer);
    assert_false(atomic_load(&gate.ended));
    for (int k = 0; k < 20; ++k)
      mix(&(struct mix_args){.y = expected, .ly = k % 7, .ny = 2, .v = (uint64_t)k});
    assert_memory_equal(y, expected, sizeof y);
    assert_int_equal(third, expected[3]);
    end_all(&gate);
  }
}

/* --- All at once --------------------------------------------------------------------------------- */

/* Units of random memory, of all kinds, and a host that waits for random memory, reads and writes it: the
 * result is the serial one, byte by byte and at each wait. */
static void random_programs(void **state) {
  (void)state;
  enum { N = 64, STEPS = 1500 };
  static const char *const settings[] = {
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=1",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=4",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:7",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=3",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=count:5",
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=single AGGLOM_FAULT=call=launch,nth=5,times=9",
  };
  for (size_t m = 0; m < sizeof settings / sizeof settings[0]; ++m) {
    uint64_t random = 88172645463325252u + m, y[N] = {0}, expected[N] = {0};
    begin(settings[m]);
    capture_begin(); /* what is said of injected faults */
    for (int step = 0; step < STEPS; ++step) {
      struct agglom_task *const tasks[] = {&mix_task, &thread_task, &host_task};
      struct mix_args a = {.y = y, .x = y, .v = next_random(&random)};
      a.ly = (long)(next_random(&random) % N);
      a.ny = (long)(next_random(&random) % 6);
      a.ny = a.ny > N - a.ly ? N - a.ly : a.ny;
      a.lx = (long)(next_random(&random) % N);
      a.nx = (long)(next_random(&random) % 4);
      a.nx = a.nx > N - a.lx ? N - a.lx : a.nx;
      if (a.lx < a.ly + a.ny && a.ly < a.lx + a.nx)
        a.nx = 0;
      unsigned what = next_random(&random) % 10;
      if (what < 8) {
        if (a.ny && what == 7)
          submit_tally((struct tally_args){y, a.ly, a.ny, a.v, false});
        else
          submit_mix(tasks[what % 3], a);
        a.y = expected;
        a.x = expected;
        if (a.ny && what == 7)
          tally(&(struct tally_args){expected, a.ly, a.ny, a.v, false});
        else
          mix(&a);
        continue;
      }
      const struct agglom_range range = {y, a.ly, a.ny};
      if (what == 8) { /* reads */
        assert_int_equal(agglom_update_sections(&update_host, &range), 0);
        assert_memory_equal(y + a.ly, expected + a.ly, (size_t)a.ny * sizeof *y);
        continue;
      }
      assert_int_equal(agglom_wait_sections(&wait_on, &range), 0);
      assert_memory_equal(y + a.ly, expected + a.ly, (size_t)a.ny * sizeof *y);
      for (long j = a.ly; j < a.ly + a.ny; ++j)
        expected[j] = y[j] += a.v;
      assert_int_equal(agglom_update_sections(&update_device, &range), 0);
    }
    assert_int_equal(agglom_wait(), 0);
    assert_memory_equal(y, expected, sizeof y);
    assert_int_equal(agglom_shutdown(), 0);
    capture_end();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impossible_ranges),
      cmocka_unit_test(others_stay_in_flight),
      cmocka_unit_test(whoever_uses_it),
      cmocka_unit_test(pieces_are_exact),
      cmocka_unit_test(many_sections),
      cmocka_unit_test(units_of_other_threads),
      cmocka_unit_test(only_what_is_needed_is_launched),
      cmocka_unit_test(children),
      cmocka_unit_test(parents),
      cmocka_unit_test(nothing_in_kernel_units),
      cmocka_unit_test(blocks),
      cmocka_unit_test(random_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
