/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* '#pragma agglom for': a loop of the host program as units, each of them a chunk of its iterations. */
#include "device/device.h"
#include "runtime.h"
#include "sys/log.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>

static size_t padded(size_t size) {
  size_t align = alignof(max_align_t);
  return (size + align - 1) / align * align;
}

int agglom_for(void (*submit)(const void *env, unsigned long long from, unsigned long long to, void *slot),
               void (*combine)(void *env, const void *slot), void *env, unsigned long env_size,
               unsigned long slot_size, unsigned long long n, unsigned schedule, long long chunk,
               unsigned flags) {
  (void)env_size; /* for schedules that go on after the return */
  struct ag_worker *w = ag_worker_here();
  struct ag_runtime *rt;
  if ((w && w->plain) || (!w && ag_emulated_here()) || !(rt = ag_runtime_get()))
    return 1;
  struct ag_schedule_view view = {
      .n = n, .kind = schedule, .chunk = chunk > 0 ? (uint64_t)chunk : 0, .cpus = rt->cpus, .devices = 0};
  if (rt->config.split == AG_SPLIT_GPU && !(flags & AGGLOM_FOR_CPU))
    view.devices = (unsigned)rt->n_accelerators;
  if (schedule == AGGLOM_SCHEDULE_RUNTIME) {
    view.kind = rt->config.schedule.kind;
    view.chunk = rt->config.schedule.chunk;
  }
  struct ag_schedule_cut cut = ag_schedule_cut(&view);
  size_t size = padded(slot_size), all;
  char *slots = NULL;
  if (slot_size && (__builtin_mul_overflow(cut.chunks, size, &all) || !(slots = calloc(1, all))))
    return 1;
  /* One message says what is wrong with the sections of all chunks. */
  if (!w)
    w = ag_worker_mine(rt);
  struct ag_domain *d = w ? ag_worker_domain(w) : NULL;
  bool said = false, *said_outside = d ? d->said : NULL;
  if (d)
    d->said = &said;
  uint64_t from = 0;
  for (uint64_t i = 0; i < cut.chunks; ++i) {
    uint64_t to = ag_schedule_from(&view, &cut, i + 1);
    submit(env, from, to, slots ? slots + i * size : NULL);
    from = to;
  }
  if (d)
    d->said = said_outside;
  if (flags & AGGLOM_FOR_NOWAIT)
    return 0;
  int err = agglom_wait();
  for (uint64_t i = 0; slots && i < cut.chunks; ++i)
    combine(env, slots + i * size);
  free(slots);
  return err;
}
