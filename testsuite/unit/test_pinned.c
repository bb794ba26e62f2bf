/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of agglom_alloc(): who registers it, when it is given back, and what is read where it is. */
#include "cuda_batch.h"
#include "inner_task.h"
#include "memory/pinned.h"
#include "shared/runtime.h"

#include <sys/wait.h>

enum { LEAST = AG_DIRECT_LEAST, WORDS = LEAST / (int)sizeof(uint64_t) };

static struct ag_interval piece(const char *from, size_t bytes) {
  return (struct ag_interval){(uintptr_t)from, (uintptr_t)from + bytes, 0, 0};
}

/* Bytes of memory .. memory + bytes - 1 that dev reads in place. */
static size_t direct(struct ag_device *dev, const char *memory, size_t bytes) {
  struct ag_interval wanted = piece(memory, bytes), part;
  return ag_pinned_parts(dev, &wanted, 1, &part, 1) ? part.hi - part.lo : 0;
}

static void close_device(struct ag_device *dev) {
  ag_pinned_close(dev);
  dev->ops->close(dev);
}

/* --- The memory ----------------------------------------------------------------------------------------- */

static void it_is_memory(void **state) {
  (void)state;
  enum { N = 64 };
  char *at[N] = {NULL};
  uint64_t seed = 5;
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned i = (unsigned)(next_random(&seed) % N);
    size_t bytes = 1 + next_random(&seed) % (3 * LEAST);
    if (at[i])
      assert_int_equal(at[i][0], (char)i);
    agglom_free(at[i]);
    at[i] = agglom_alloc(bytes);
    assert_non_null(at[i]);
    assert_int_equal((uintptr_t)at[i] % 256, 0);
    memset(at[i], (int)i, bytes);
  }
  for (unsigned i = 0; i < N; ++i)
    agglom_free(at[i]);
  agglom_free(NULL);
  assert_null(agglom_alloc(0));
  const size_t none[] = {SIZE_MAX, SIZE_MAX - 300};
  for (int i = 0; i < 2; ++i) {
    errno = 0;
    assert_null(agglom_alloc(none[i]));
    assert_int_equal(errno, ENOMEM);
  }
}

static void parts(void **state) {
  (void)state;
  struct ag_device *dev[1];
  char *a = agglom_alloc(4 * LEAST), *small = agglom_alloc(LEAST - 300), *plain = malloc(4 * LEAST);
  unsetenv("AGGLOM_FAULT");
  assert_int_equal(ag_devices_open("emulated", dev, 1), 1);
  assert_int_equal(direct(dev[0], a, 4 * LEAST), 4 * LEAST);
  assert_int_equal(direct(dev[0], a + 100, LEAST), LEAST);
  assert_int_equal(direct(dev[0], a + 100, LEAST - 1), 0);
  assert_int_equal(direct(dev[0], a + 3 * LEAST - 1, 2 * LEAST), LEAST + 1); /* what lies in it */
  assert_int_equal(direct(dev[0], a - 50, LEAST + 49), 0);
  assert_int_equal(direct(dev[0], small, LEAST - 300), 0);
  assert_int_equal(direct(dev[0], plain, 4 * LEAST), 0);
  struct ag_interval wanted[] = {piece(a, LEAST), piece(a + 2 * LEAST, LEAST), piece(a + 3 * LEAST + 8, 8)};
  struct ag_interval part[3];
  assert_int_equal(ag_pinned_parts(dev[0], wanted, 3, part, 3), 2);
  assert_memory_equal(part, wanted, 2 * sizeof part[0]);
  assert_int_equal(ag_pinned_parts(dev[0], wanted, 3, part, 1), 1);
  close_device(dev[0]);
  agglom_free(a);
  agglom_free(small);
  free(plain);
}

/* The first n of the driver's devices, of which there are two in each of these tests. */
static void open_cuda(struct ag_device **dev, int n) {
  gpu_set("DEVICES=2");
  assert_int_equal(ag_devices_open(n == 1 ? "cuda:0" : "cuda", dev, n), n);
}

/* --- Registering ---------------------------------------------------------------------------------------- */

static void registered_at_first_use(void **state) {
  (void)state;
  char *a = agglom_alloc(LEAST), *b = agglom_alloc(2 * LEAST);
  struct ag_device *dev[2];
  open_cuda(dev, 2);
  assert_int_equal(gpu_seen().registered, 0);
  for (int again = 0; again < 2; ++again)
    for (int d = 0; d < 2; ++d)
      assert_int_equal(direct(dev[d], a, LEAST), LEAST);
  assert_int_equal(gpu_seen().registered, 1); /* for all devices */
  assert_int_equal(direct(dev[1], b, LEAST), LEAST);
  assert_int_equal(gpu_seen().registered, 2);
  agglom_free(b);
  assert_int_equal(gpu_seen().registered, 1);
  close_device(dev[0]); /* which had registered a */
  assert_int_equal(gpu_seen().registered, 0);
  assert_int_equal(direct(dev[1], a, LEAST), LEAST);
  assert_int_equal(gpu_seen().registered, 1);
  close_device(dev[1]);
  assert_nothing_left();
  agglom_free(a);
}

static void nobody_calls(const char *symbol) {
  fprintf(stderr, "%s is called\n", symbol);
  _exit(1);
}

/* In a forked child the memory is memory, and the driver is left alone. */
static void left_alone_by_children(void **state) {
  (void)state;
  char *a = agglom_alloc(LEAST);
  struct ag_device *dev;
  open_cuda(&dev, 1);
  assert_int_equal(direct(dev, a, LEAST), LEAST);
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    gpu_each(nobody_calls);
    agglom_free(a);
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  agglom_free(a);
  close_device(dev);
  assert_nothing_left();
}

/* A driver that cannot lock it: nobody hears of that, and it is not asked again before it begins anew. */
static void refused(void **state) {
  (void)state;
  static const int errors[] = {1 /* invalid value */, 2 /* no memory */, 712 /* is registered */, 801};
  char *a = agglom_alloc(LEAST);
  for (size_t e = 0; e < sizeof errors / sizeof errors[0]; ++e) {
    struct ag_device *dev;
    reset(NULL);
    open_cuda(&dev, 1);
    make_fail("cuMemHostRegister_v2", 1, errors[e]);
    capture_begin();
    assert_int_equal(direct(dev, a, LEAST), 0);
    assert_int_equal(gpu_seen().went_wrong, 1);
    assert_int_equal(direct(dev, a, LEAST), 0);
    assert_string_equal(capture_end(), "");
    close_device(dev);
    open_cuda(&dev, 1);
    assert_int_equal(direct(dev, a, LEAST), LEAST);
    close_device(dev);
    assert_nothing_left();
  }
  agglom_free(a);
}

/* Frees a, which a device may still read: nobody else gets its addresses. */
static void stays_taken(char *a) {
  enum { N = 40 };
  char *others[N];
  agglom_free(a);
  for (unsigned i = 0; i < N; ++i) {
    others[i] = agglom_alloc(LEAST);
    assert_true(others[i] + LEAST <= a || a + LEAST <= others[i]);
    memset(others[i], 1, LEAST);
  }
  for (unsigned i = 0; i < N; ++i)
    agglom_free(others[i]);
}

static void lost_devices_keep_it(void **state) {
  (void)state;
  enum { REGISTERING, LATER, LET_GO, READER, ENDS };
  for (int end = 0; end < ENDS; ++end) {
    reset(NULL);
    struct ag_device *dev[2];
    char *a = agglom_alloc(LEAST);
    open_cuda(dev, 2);
    capture_begin();
    if (end == REGISTERING)
      make_fail("cuMemHostRegister_v2", 1, 700);
    assert_int_equal(direct(dev[0], a, LEAST), end == REGISTERING ? 0 : LEAST);
    assert_int_equal(direct(dev[1], a, LEAST), end == REGISTERING ? 0 : LEAST);
    if (end == LET_GO)
      make_fail("cuMemHostUnregister", 1, 1);
    if (end == LATER || end == READER)
      ag_device_abandon(dev[end == READER], "the test says so");
    if (end == LATER) /* a device that is well does not rely on it either */
      assert_int_equal(direct(dev[1], a, LEAST), 0);
    stays_taken(a);
    assert_int_equal(gpu_seen().registered, end != REGISTERING);
    close_device(dev[0]);
    close_device(dev[1]);
    capture_end();
    /* It goes with the context of a device that is well. */
    assert_int_equal(gpu_seen().registered + gpu_seen().left_behind, end != REGISTERING);
    assert_int_equal(gpu_seen().calls_after_death, 0);
    assert_int_equal(gpu_seen().misuses, 0);
  }
}

/* --- In the runtime --------------------------------------------------------------------------------------
 */

/* --- look: void look(unsigned *seen) out(seen[0:1]): on the CPU, how often the emulated device ran it so far
 */

static atomic_uint looked;

static void look_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    **(unsigned *const *)args[i] = atomic_load(&looked);
}

static void look_emulated(const struct agglom_launch *l, unsigned c) {
  atomic_fetch_add(&looked, l->end[c] - l->start[c]);
}

static const struct agglom_section look_sections[] = {
    {"inout(seen[0:1])", 5, AGGLOM_INOUT, sizeof(unsigned), 0, 0, NULL, NULL}};
static struct agglom_task look_task = {.name = "look",
                                       .file = "look.c",
                                       .line = 4,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(unsigned *),
                                       .args_align = _Alignof(unsigned *),
                                       .n_sections = 1,
                                       .sections = look_sections,
                                       .cpu = look_cpu,
                                       .emulated = look_emulated,
                                       .kernel = "look",
                                       .module = &mix_module_header};
static struct agglom_task *const own_tasks[] = {&look_task, &inner_task};
static struct agglom_module own_module = TASK_MODULE("own.c", own_tasks);

static struct ag_observe_totals totals_of(const struct agglom_task *task) {
  struct ag_observe_totals t;
  ag_observe_totals(task->state->observe, &t);
  return t;
}

/* y[0:WORDS] in terms of x[0:n]: the bytes that were read in place for it. */
static uint64_t mixes(uint64_t *y, uint64_t *x, long n) {
  uint64_t before = totals_of(&mix_task).bytes_direct;
  uint64_t wanted[WORDS];
  memcpy(wanted, y, sizeof wanted);
  struct mix_args a = {.y = y, .x = x, .ny = WORDS, .nx = n, .v = 7};
  assert_int_equal(submit_mix(&mix_task, a), 0);
  assert_int_equal(agglom_wait(), 0);
  a.y = wanted;
  mix(&a);
  assert_memory_equal(y, wanted, sizeof wanted);
  return totals_of(&mix_task).bytes_direct - before;
}

static void read_where_it_is(void **state) {
  (void)state;
  static uint64_t plain[2 * WORDS];
  uint64_t *x = agglom_alloc(2 * LEAST), *y = agglom_alloc(LEAST); /* before there is a runtime */
  for (long i = 0; i < 2 * WORDS; ++i)
    x[i] = plain[i] = (uint64_t)i;
  memset(y, 0, LEAST);
  static const char *const settings[] = {
      "AGGLOM_DEVICES=emulated", "AGGLOM_DEVICES=emulated AGGLOM_REUSE=off",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3", "AGGLOM_DEVICES=emulated AGGLOM_TRACE=/dev/null"};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) { /* and longer than one */
    start_with(settings[s]);
    assert_int_equal(mixes(y, x, 2 * WORDS), 3 * LEAST);
    assert_int_equal(mixes(y, plain, 2 * WORDS), LEAST);
    assert_int_equal(mixes(y, x, WORDS - 1), LEAST);
    assert_int_equal(mixes(plain, plain + WORDS, WORDS), 0);
    uint64_t *z = agglom_alloc(LEAST);
    memset(z, 3, LEAST);
    assert_int_equal(mixes(z, plain, 1), LEAST);
    agglom_free(z);
    assert_int_equal(agglom_shutdown(), 0);
  }
  start_with("AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=host_register,times=all");
  assert_int_equal(mixes(y, x, 2 * WORDS), 0);
  assert_int_equal(totals_of(&mix_task).failed, 0);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_free(x);
  agglom_free(y);
}

/* What is on the device already, in whole or in part, is not read again. */
static void only_what_is_sent(void **state) {
  (void)state;
  uint64_t *x = agglom_alloc(4 * LEAST), y[1] = {0};
  memset(x, 1, 4 * LEAST);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single");
  struct mix_args a = {.y = y, .x = x, .ny = 1, .nx = 2 * WORDS};
  assert_int_equal(submit_mix(&mix_task, a), 0);
  assert_int_equal(submit_mix(&mix_task, a), 0);
  a.nx = 4 * WORDS;
  assert_int_equal(submit_mix(&mix_task, a), 0);
  assert_int_equal(agglom_wait_on(y, sizeof y), 0);
  struct ag_observe_totals t = totals_of(&mix_task);
  assert_int_equal(t.bytes_direct, 4 * LEAST);
  assert_true(t.bytes_in < 5 * LEAST);
  assert_true(t.bytes_reused >= 4 * LEAST);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_free(x);
}

/* Memory that holds a pointer is not on the device what it is on the host. */
static void pointers_are_staged(void **state) {
  (void)state;
  enum { BOXES = LEAST / (int)sizeof(struct box) };
  struct box *boxes = agglom_alloc(LEAST);
  uint64_t *p = agglom_alloc(LEAST);
  memset(p, 0, LEAST);
  for (int i = 0; i < BOXES; ++i)
    boxes[i] = (struct box){p, WORDS};
  start_with("AGGLOM_DEVICES=emulated");
  assert_int_equal(agglom_register(&own_module), 0);
  submit_inner(boxes, BOXES);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(totals_of(&inner_task).bytes_direct, LEAST); /* p */
  for (long j = 0; j < WORDS; ++j)
    assert_int_equal(p[j], 1);
  for (int i = 0; i < BOXES; ++i)
    assert_ptr_equal(boxes[i].p, p);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_free(boxes);
  agglom_free(p);
}

/* A batch has failed while its kernel is still to come: its units do not run before that has happened, or the
 * kernel might find its input half changed. */
static void failed_batches_are_over(void **state) {
  (void)state;
  unsigned seen = 0, *arg = &seen;
  start_with("AGGLOM_DEVICES=emulated AGGLOM_EMULATE=launch=30ms AGGLOM_FAULT=call=mark,times=all");
  assert_int_equal(agglom_register(&own_module), 0);
  atomic_store(&looked, 0);
  capture_begin();
  assert_int_equal(agglom_submit(&look_task, &arg, &(struct agglom_range){arg, 0, 1}, 0, 0), 0);
  assert_int_equal(agglom_wait(), 0);
  capture_end();
  assert_int_equal(seen, 1);
  assert_int_equal(agglom_shutdown(), 0);
}

/* The pages that the parent writes after a fork may not be those that are locked. */
static void forks(void **state) {
  (void)state;
  uint64_t *x = agglom_alloc(LEAST), *y = agglom_alloc(LEAST);
  memset(x, 1, LEAST);
  memset(y, 1, LEAST);
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1");
  assert_int_equal(mixes(y, x, WORDS), 2 * LEAST);
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    agglom_free(x);
    char *fresh = agglom_alloc(LEAST);
    _exit(fresh && y[0] ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  memset(x, 2, LEAST);
  assert_int_equal(mixes(y, x, WORDS), 0);
  uint64_t *z = agglom_alloc(LEAST);
  memset(z, 1, LEAST);
  assert_int_equal(mixes(z, x, WORDS), LEAST);
  agglom_free(x);
  agglom_free(z);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_free(y);
}

int main(void) {
  if (!load_gpu("test_pinned"))
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_memory),
      cmocka_unit_test(parts),
      cmocka_unit_test_setup(registered_at_first_use, reset),
      cmocka_unit_test_setup(left_alone_by_children, reset),
      cmocka_unit_test_setup(refused, reset),
      cmocka_unit_test_setup(lost_devices_keep_it, reset),
      cmocka_unit_test(read_where_it_is),
      cmocka_unit_test(only_what_is_sent),
      cmocka_unit_test(pointers_are_staged),
      cmocka_unit_test(failed_batches_are_over),
      cmocka_unit_test(forks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
