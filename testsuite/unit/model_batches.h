/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Models of devices: telling them, and comparing them. */
#ifndef AG_TEST_MODEL_BATCHES_H
#define AG_TEST_MODEL_BATCHES_H

#include "policy/model/model.h"

#include <stdbool.h>

/* A batch of a device of which only the items count. */
static inline void tell_model(struct ag_device_model *m, double items, double ns, double host_ns) {
  ag_model_device(m,
                  &(struct ag_measured_batch){.units = items, .items = items, .ns = ns, .host_ns = host_ns});
}

static inline bool same_times(const struct ag_device_model *a, const struct ag_device_model *b) {
  return a->times.launch_ns == b->times.launch_ns && a->times.item_ns == b->times.item_ns &&
         a->times.fill == b->times.fill && a->times.form == b->times.form &&
         a->host.launch_ns == b->host.launch_ns && a->host.unit_ns == b->host.unit_ns &&
         a->largest == b->largest && a->known == b->known;
}

/* What is kept of them is the same. */
static inline bool same_model(const struct ag_model *a, const struct ag_model *b) {
  for (int d = 0; d < AG_MODEL_DEVICES; ++d)
    if (!same_times(&a->device[d], &b->device[d]))
      return false;
  return a->cpu_ns == b->cpu_ns && a->cpu_known == b->cpu_known;
}

#endif /* AG_TEST_MODEL_BATCHES_H */
