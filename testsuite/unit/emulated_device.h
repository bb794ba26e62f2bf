/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests of the emulated device by itself: a task, and shorter ways to use a device. */
#ifndef EMULATED_DEVICE_H
#define EMULATED_DEVICE_H

#include "device/device.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- A task: c[k] += the unit's value, over its chain ----------------------------------------------- */

struct args {
  long *cell;
  long value;
};

static inline void add_emulated(const struct agglom_launch *l, unsigned c) {
  const struct args *args = l->units;
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    *args[u].cell = (long)((unsigned long)*args[u].cell * 3 +
                           (unsigned long)args[u].value); /* not commutative: shows the order */
    agglom_emulated_end(l, u);
  }
}

static struct agglom_task add_task = {.name = "add",
                                      .file = "t.c",
                                      .line = 1,
                                      .map = AGGLOM_MAP_BLOCK,
                                      .args_size = sizeof(struct args),
                                      .emulated = add_emulated};
/* --- Helpers ------------------------------------------------------------------------------------------ */

static inline struct ag_device *open_one(const char *emulate, const char *fault) {
  struct ag_device *dev[4];
  setenv("AGGLOM_EMULATE", emulate ? emulate : "", 1);
  setenv("AGGLOM_FAULT", fault ? fault : "", 1);
  assert_int_equal(ag_devices_open("emulated", dev, 4), 1);
  return dev[0];
}

static inline void *device_alloc(struct ag_device *d, size_t n) {
  void *p = NULL;
  assert_int_equal(d->ops->alloc(d, n, &p), 0);
  assert_non_null(p);
  assert_int_equal((uintptr_t)p % 256, 0);
  return p;
}

static inline struct ag_stream *new_stream(struct ag_device *d) {
  struct ag_stream *s = NULL;
  assert_int_equal(d->ops->stream_create(d, &s), 0);
  return s;
}

static inline int wait_for(struct ag_device *d, struct ag_stream *s) {
  int err;
  while ((err = d->ops->finished(d, s)) == -EAGAIN)
    sched_yield();
  return err;
}

static inline int mark_and_wait(struct ag_device *d, struct ag_stream *s) {
  int err = d->ops->mark(d, s);
  return err ? err : wait_for(d, s);
}

static inline void *put(struct ag_device *d, struct ag_stream *s, const void *src, size_t n) {
  void *p = device_alloc(d, n);
  assert_int_equal(d->ops->copy_in(d, s, p, src, n), 0);
  return p;
}

/* A launch in device memory: units, chains and, with pred_start, flags. */
static inline struct agglom_launch prepare(struct ag_device *d, struct ag_stream *s, const struct args *args,
                                           unsigned n_units, const unsigned *start, const unsigned *end,
                                           unsigned n_chains, const unsigned *pred_start,
                                           const unsigned *pred) {
  unsigned zeros[64] = {0}, ones[64];
  assert_true(n_chains <= 64);
  for (unsigned i = 0; i < 64; ++i)
    ones[i] = 1;
  struct agglom_launch l = {.units = put(d, s, args, n_units * sizeof *args),
                            .start = put(d, s, start, n_chains * sizeof *start),
                            .end = put(d, s, end, n_chains * sizeof *end),
                            .part = put(d, s, zeros, n_chains * sizeof *start),
                            .parts = put(d, s, ones, n_chains * sizeof *start),
                            .epoch = 7,
                            .n_chains = n_chains,
                            .n_units = n_units};
  if (pred_start) {
    l.pred_start = put(d, s, pred_start, (n_units + 1) * sizeof *pred_start);
    l.pred = put(d, s, pred, pred_start[n_units] * sizeof *pred + sizeof *pred);
    void *done = device_alloc(d, n_units * sizeof(unsigned));
    assert_int_equal(d->ops->fill(d, s, done, 0, n_units * sizeof(unsigned)), 0);
    l.done = done;
  }
  /* The sources are on the caller's stack. */
  assert_int_equal(mark_and_wait(d, s), 0);
  return l;
}

static inline struct ag_kernel *kernel_of(struct ag_device *d, const struct agglom_task *t) {
  struct ag_kernel *k = NULL;
  assert_int_equal(d->ops->kernel(d, t, &k), 0);
  return k;
}

#endif /* EMULATED_DEVICE_H */
