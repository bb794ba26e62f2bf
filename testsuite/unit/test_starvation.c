/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Urgent work that does not end, and less urgent work beside it, which gets its turn. With one worker and no
 * device the urgent units before it are counted; else it is enough that it comes. */
#include "policy/policy.h"
#include "random.h"
#include "rt_tasks.h"

#include <pthread.h>

enum { ENOUGH = 200000000 }; /* urgent units, after which the test gives up */

static _Atomic bool low_is_done;
static _Atomic unsigned long ran; /* urgent units before that */

static void low_runs(void *ignored) {
  (void)ignored;
  atomic_store(&low_is_done, true);
}

static void urgent_runs(void *ignored) {
  (void)ignored;
  atomic_fetch_add(&ran, !atomic_load(&low_is_done));
}

/* --- flag: void flag(unsigned char *byte) in(byte[0:1]), two for streams and two for FIFOs -----------------
 */

struct flag_args {
  unsigned char *byte;
};

static unsigned char low_byte;

static void flag_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct flag_args *a = args[i];
    (a->byte == &low_byte ? low_runs : urgent_runs)(NULL);
  }
}

static void flag_emulated(const struct agglom_launch *l, unsigned c) {
  const struct flag_args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    (*args[u].byte ? urgent_runs : low_runs)(NULL); /* the low one's is 0 */
    agglom_emulated_end(l, u);
  }
}

static const struct agglom_section flag_sections[] = {
    {"in(byte[0:1])", 91, AGGLOM_IN, 1, offsetof(struct flag_args, byte), 0, NULL, NULL}};
#define FLAG(Name, Flags)                                                                                    \
  static struct agglom_task Name = {.name = #Name,                                                           \
                                    .file = "flag.c",                                                        \
                                    .line = __LINE__,                                                        \
                                    .flags = (Flags),                                                        \
                                    .map = AGGLOM_MAP_BLOCK,                                                 \
                                    .args_size = sizeof(struct flag_args),                                   \
                                    .args_align = _Alignof(struct flag_args),                                \
                                    .n_sections = 1,                                                         \
                                    .sections = flag_sections,                                               \
                                    .cpu = flag_cpu,                                                         \
                                    .emulated = flag_emulated,                                               \
                                    .kernel = #Name,                                                         \
                                    .module = &mix_module_header}
FLAG(free_flag, AGGLOM_TASK_INDEPENDENT);
FLAG(other_free_flag, AGGLOM_TASK_INDEPENDENT);
FLAG(flag, 0);
FLAG(other_flag, 0);

static struct agglom_task *const flags[] = {&free_flag, &other_free_flag, &flag, &other_flag};
static struct agglom_module flags_module = TASK_MODULE("flag.c", flags);

static void submit_flag(struct agglom_task *task, unsigned char *byte, long long priority) {
  struct flag_args a = {byte};
  struct agglom_range range = {byte, 0, 1};
  assert_int_equal(agglom_submit(task, &a, &range, priority, 0), 0);
}

/* --- Urgent work that does not end, and other work beside it -----------------------------------------------
 */

static void urgent_call(void) { submit_call(urgent_runs, NULL, 10); }
static void urgent_low_call(void) { submit_call(urgent_runs, NULL, -1); }
static unsigned char urgent_byte = 1;
static void urgent_in_a_fifo(void) { submit_flag(&flag, &urgent_byte, 10); }
static void urgent_in_a_stream(void) { submit_flag(&free_flag, &urgent_byte, 10); }
static void urgent_everywhere(void) {
  urgent_call();
  urgent_in_a_fifo();
  urgent_in_a_stream();
}

static void low_call(void) { submit_call(low_runs, NULL, 0); }
static void lower_call(void) { submit_call(low_runs, NULL, -5); }
static void less_high_call(void) { submit_call(low_runs, NULL, 1); }
static void low_in_a_fifo(void) { submit_flag(&other_flag, &low_byte, -5); }
static void low_in_a_stream(void) { submit_flag(&other_free_flag, &low_byte, -5); }

static void begin(const char *settings) {
  assert_int_equal(agglom_register(&flags_module), 0);
  start_with(settings);
  /* The first unit of a task opens its stream, and goes another way itself. */
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i)
    submit_flag(flags[i], &urgent_byte, 0);
  assert_int_equal(agglom_wait(), 0);
  atomic_store(&low_is_done, false);
  atomic_store(&ran, 0);
  low_byte = 0;
}

/* Submits urgent work until the low work, which is there, has run: after so many urgent units at most. */
static void end(void (*urgent)(void), unsigned long most) {
  while (!atomic_load(&low_is_done) && atomic_load(&ran) < ENOUGH)
    urgent();
  assert_true(atomic_load(&low_is_done));
  assert_in_range(atomic_load(&ran), 0, most);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(agglom_shutdown(), 0);
}

static const struct {
  const char *settings;
  bool alone; /* one thread does everything */
} machines[] = {
    {"AGGLOM_DEVICES=none AGGLOM_WORKERS=1", true},
    {"AGGLOM_DEVICES=none AGGLOM_WORKERS=2", false},
    {"AGGLOM_DEVICES=none AGGLOM_WORKERS=4", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=static:100", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=occupancy", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=items", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto", false},
    {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto AGGLOM_SPLIT=auto", false},
};
enum { MACHINES = sizeof machines / sizeof machines[0], BEFORE = 100 };

/* Every machine where STRESS_ROUNDS is set, else every second one. */
static size_t next_machine(size_t m) { return m + (repeats(1) > 1 ? 1 : 2); }

/* On each machine: the low work comes when there are some urgent units already. */
static void on_all_machines(void (*low)(void), void (*urgent)(void), unsigned long most) {
  for (size_t m = 0; m < MACHINES; m = next_machine(m)) {
    begin(machines[m].settings);
    for (int i = 0; i < BEFORE; ++i)
      urgent();
    low();
    end(urgent, machines[m].alone ? most : ENOUGH);
  }
}

/* Units of one claim, or of one batch on the CPU. */
enum { AT_ONCE = 1024 };

static void beside_high_calls(void **state) {
  (void)state;
  on_all_machines(low_call, urgent_call, AG_HIGH_BURST + 1);
  on_all_machines(low_in_a_fifo, urgent_call, 2 * (AG_HIGH_BURST + 1));
  on_all_machines(low_in_a_stream, urgent_call, 2 * (AG_HIGH_BURST + 1));
}

static void beside_calls_of_its_class(void **state) {
  (void)state;
  on_all_machines(less_high_call, urgent_call, (BEFORE + 1) * AG_OLDEST_EVERY);
  on_all_machines(lower_call, urgent_low_call, (BEFORE + 1) * AG_OLDEST_EVERY);
}

static void beside_streams_and_fifos(void **state) {
  (void)state;
  void (*const urgent[])(void) = {urgent_in_a_fifo, urgent_in_a_stream, urgent_everywhere};
  const unsigned long most = 2 * (AG_PASSED_MOST + 1) * (AT_ONCE + AG_HIGH_BURST);
  for (int i = 0; i < 3; ++i) {
    on_all_machines(low_in_a_fifo, urgent[i], most);
    on_all_machines(low_in_a_stream, urgent[i], most);
  }
}

/* What a thread has left that is no more, when all others have enough to do. */
static void *leaves(void *low) {
  (*(void (**)(void))low)();
  return NULL;
}

static void left_behind(void **state) {
  (void)state;
  void (*lows[])(void) = {low_in_a_fifo, low_in_a_stream};
  for (size_t i = 0; i < 2; ++i)
    for (size_t m = 0; m < MACHINES; m = next_machine(m)) {
      pthread_t thread;
      begin(machines[m].settings);
      assert_int_equal(pthread_create(&thread, NULL, leaves, &lows[i]), 0);
      pthread_join(thread, NULL);
      end(urgent_everywhere, machines[m].alone ? 2 * (AG_OWN_BURST + 1) * (AT_ONCE + AG_HIGH_BURST) : ENOUGH);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beside_high_calls),
      cmocka_unit_test(beside_calls_of_its_class),
      cmocka_unit_test(beside_streams_and_fifos),
      cmocka_unit_test(left_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
