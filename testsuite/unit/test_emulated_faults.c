/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The emulated device when it is made to fail (AGGLOM_FAULT): calls that return an error, a device that is
 * lost, and one that hangs. */
#include "capture.h"
#include "emulated_device.h"

#include <stdatomic.h>
#include <stdio.h>

static void fault_of_a_call(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, "call=alloc,nth=2,error=oom,times=2");
  void *p;
  assert_int_equal(d->ops->alloc(d, 8, &p), 0);
  assert_int_equal(d->ops->alloc(d, 8, &p), -ENOMEM);
  assert_int_equal(d->ops->alloc(d, 8, &p), -ENOMEM);
  assert_int_equal(d->ops->alloc(d, 8, &p), 0);
  assert_int_equal(d->health, AG_DEVICE_OK);
  d->ops->close(d);
  d = open_one(NULL, "call=copy_in,error=failed"); /* counting starts again */
  struct ag_stream *s = new_stream(d);
  p = device_alloc(d, 8);
  int x = 0;
  assert_int_equal(d->ops->copy_in(d, s, p, &x, sizeof x), -EIO);
  assert_int_equal(d->ops->copy_in(d, s, p, &x, sizeof x), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  d->ops->close(d);
}

static void sticky_launch(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, "call=launch,nth=2,error=sticky");
  struct ag_stream *s = new_stream(d), *other = new_stream(d);
  enum { N = 4 };
  long zero[N] = {0}, back[N] = {-1, -1, -1, -1};
  long *cell = put(d, s, zero, sizeof zero);
  struct args args[N];
  unsigned start[N], end[N];
  for (unsigned i = 0; i < N; ++i) {
    args[i] = (struct args){cell + i, 1};
    start[i] = i;
    end[i] = i + 1;
  }
  struct agglom_launch l = prepare(d, s, args, N, start, end, N, NULL, NULL);
  struct ag_kernel *k = kernel_of(d, &add_task);
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){N, 1}), 0);
  assert_int_equal(mark_and_wait(d, s), 0);
  capture_begin();
  assert_int_equal(d->ops->launch(d, s, k, &l, (struct ag_grid){N, 1}), 0);
  int late = d->ops->copy_out(d, s, back, cell, sizeof back); /* the device may be lost already */
  assert_true(late == 0 || late == -EIO);
  int err = d->ops->mark(d, s);
  assert_true(err == 0 || err == -EIO);
  assert_int_equal(wait_for(d, s), -EIO);
  const char *said = capture_end();
  assert_int_equal(occurrences(said, "agglom: warning: emulated:0 (emulated device 0) failed"), 1);
  assert_int_equal(back[0], -1); /* nothing queued after the fault took place */
  long seen[N];
  memcpy(seen, cell, sizeof seen); /* host and device share their address space here */
  assert_int_equal(seen[0] + seen[1], 1 * 3 + 1 + 1 * 3 + 1);
  assert_int_equal(seen[2] + seen[3], 2); /* half of the chains did not run */
  assert_int_equal(d->health, AG_DEVICE_QUARANTINED);
  void *p;
  assert_int_equal(d->ops->alloc(d, 8, &p), -EIO);
  assert_int_equal(d->ops->free(d, cell), -EIO);
  assert_int_equal(d->ops->host_alloc(d, 8, &p), -EIO);
  assert_int_equal(d->ops->copy_in(d, s, cell, zero, 8), -EIO);
  assert_int_equal(d->ops->fill(d, s, cell, 0, 8), -EIO);
  assert_int_equal(d->ops->kernel(d, &add_task, &k), -EIO);
  assert_int_equal(d->ops->mark(d, other), -EIO);
  assert_int_equal(d->ops->finished(d, other), -EIO);
  assert_int_equal(d->ops->stream_destroy(d, other), -EIO);
  d->ops->close(d);
}

/* What hangs does not end, nor does what stands behind it, until the device is given up. Then what is behind
 * it never happens; the hanging copy itself comes late, unless it had not begun. Whether it came. */
static bool late_copy(void) {
  struct ag_device *d = open_one(NULL, "call=copy_out,error=hang");
  struct ag_stream *s = new_stream(d), *other = new_stream(d);
  long x = 7, y = 8, back[2] = {-1, -1};
  void *p = put(d, s, &x, sizeof x), *q = put(d, s, &y, sizeof y);
  assert_int_equal(d->ops->copy_out(d, s, &back[0], p, sizeof x), 0);
  assert_int_equal(d->ops->copy_out(d, s, &back[1], q, sizeof y), 0);
  assert_int_equal(d->ops->mark(d, s), 0);
  for (int i = 0; i < 100; ++i)
    assert_int_equal(d->ops->finished(d, s), -EAGAIN);
  assert_int_equal(mark_and_wait(d, other), 0); /* another stream goes on */
  assert_int_equal(back[0], -1);
  capture_begin();
  ag_device_abandon(d, "the test has no patience");
  assert_int_equal(d->ops->finished(d, s), -EIO);
  assert_int_equal(d->ops->stream_destroy(d, s), -EIO);
  d->ops->close(d);
  assert_int_equal(occurrences(capture_end(), "agglom:"), 1);
  assert_true(back[0] == 7 || back[0] == -1);
  assert_int_equal(back[1], -1);
  return back[0] == 7;
}

static void hanging_copy(void **state) {
  (void)state;
  unsigned tries = 0;
  while (!late_copy()) /* the stream's thread had no time to begin it */
    assert_true(++tries < 500);
}

static atomic_int chains_run;

static void count_emulated(const struct agglom_launch *l, unsigned c) {
  (void)l;
  (void)c;
  atomic_fetch_add(&chains_run, 1);
}

static struct agglom_task count_task = {
    .name = "count", .map = AGGLOM_MAP_BLOCK, .args_size = sizeof(struct args), .emulated = count_emulated};

/* Half of the chains run, the others never do. */
static void hanging_launch(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, "call=launch,error=hang");
  struct ag_stream *s = new_stream(d);
  enum { N = 4 };
  struct args args[N] = {{NULL, 0}};
  static const unsigned start[N] = {0, 1, 2, 3}, end[N] = {1, 2, 3, 4};
  struct agglom_launch l = prepare(d, s, args, N, start, end, N, NULL, NULL);
  assert_int_equal(d->ops->launch(d, s, kernel_of(d, &count_task), &l, (struct ag_grid){N, 1}), 0);
  assert_int_equal(d->ops->mark(d, s), 0);
  while (atomic_load(&chains_run) < N / 2)
    sched_yield();
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(d->ops->finished(d, s), -EAGAIN);
  d->ops->close(d); /* does not wait for what hangs */
  assert_int_equal(atomic_load(&chains_run), N / 2);
}

/* A stream is waited for as long as the device's patience lasts; then the device is given up, and said so. */
static void patience(void **state) {
  (void)state;
  static const char *const calls[] = {"copy_in", "copy_out", "fill", "move", "milestone", "follow", "mark"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    char fault[64];
    snprintf(fault, sizeof fault, "call=%s,error=hang", calls[i]);
    struct ag_device *d = open_one(NULL, fault);
    d->patience_ns = 5000000;
    struct ag_stream *s = new_stream(d);
    long x = 7;
    void *p = device_alloc(d, 16);
    assert_int_equal(d->ops->copy_in(d, s, p, &x, sizeof x), 0);
    assert_int_equal(d->ops->copy_out(d, s, &x, p, sizeof x), 0);
    assert_int_equal(d->ops->fill(d, s, p, 0, sizeof x), 0);
    assert_int_equal(d->ops->move(d, s, (char *)p + 8, p, 8), 0);
    assert_int_equal(d->ops->milestone(d, s), 0);
    assert_int_equal(d->ops->follow(d, s, s), 0);
    assert_int_equal(d->ops->mark(d, s), 0);
    capture_begin();
    assert_int_equal(d->ops->stream_destroy(d, s), -ETIMEDOUT);
    assert_int_equal(d->health, AG_DEVICE_ABANDONED);
    assert_int_equal(occurrences(capture_end(), "(AGGLOM_TIMEOUT); it is not used any more"), 1);
    d->ops->close(d);
  }
}

/* The device is done, but never says so. */
static void silent_device(void **state) {
  (void)state;
  struct ag_device *d = open_one(NULL, "call=finished,nth=2,error=hang");
  struct ag_stream *s = new_stream(d);
  assert_int_equal(mark_and_wait(d, s), 0);
  assert_int_equal(d->ops->mark(d, s), 0);
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(d->ops->finished(d, s), -EAGAIN);
  assert_int_equal(d->ops->stream_destroy(d, s), 0);
  d->ops->close(d);
}

/* What cannot be given back stays usable, is given back when the device is closed, and one line says so. */
static void nothing_can_be_given_back(void **state) {
  (void)state;
  static const char *const calls[] = {"free", "host_free", "stream_destroy", "close"};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    char fault[64];
    snprintf(fault, sizeof fault, "call=%s,times=all", calls[i]);
    struct ag_device *d = open_one(NULL, fault);
    struct ag_stream *s = new_stream(d);
    long x = 7, *host;
    void *p = put(d, s, &x, sizeof x);
    assert_int_equal(d->ops->host_alloc(d, sizeof *host, (void **)&host), 0);
    assert_int_equal(mark_and_wait(d, s), 0);
    capture_begin();
    for (int again = 0; again < 2 && i != 3; ++again)
      assert_int_equal(i == 0   ? d->ops->free(d, p)
                       : i == 1 ? d->ops->host_free(d, host)
                                : d->ops->stream_destroy(d, s),
                       -EIO);
    *host = 0;
    if (i != 2) {
      assert_int_equal(d->ops->copy_out(d, s, host, p, sizeof x), 0);
      assert_int_equal(mark_and_wait(d, s), 0);
      assert_int_equal(*host, 7);
    }
    assert_int_equal(d->health, AG_DEVICE_OK);
    d->ops->close(d);
    const char *said = capture_end();
    assert_int_equal(occurrences(said, "agglom:"), 1);
    assert_non_null(strstr(said, calls[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fault_of_a_call),
      cmocka_unit_test(sticky_launch),
      cmocka_unit_test(hanging_copy),
      cmocka_unit_test(hanging_launch),
      cmocka_unit_test(patience),
      cmocka_unit_test(silent_device),
      cmocka_unit_test(nothing_can_be_given_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
