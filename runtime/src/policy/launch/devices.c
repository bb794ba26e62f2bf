/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/launch/devices.h"

#include <math.h> /* INFINITY */

double ag_device_busy_ns(const struct ag_device_facts *d) {
  return !d->taken ? 0 : d->left_ns > 0 ? d->left_ns : d->late_ns;
}

struct ag_devices ag_devices_of(const struct ag_device_facts *device, unsigned n) {
  struct ag_devices all = {0};
  for (unsigned d = 0; d < n; ++d)
    if (device[d].usable) {
      ++all.all;
      all.idle += !device[d].taken;
    }
  return all;
}

/* When a device can begin; of something that is not known nobody knows when it ends. */
static double free_ns(const struct ag_device_facts *d, bool measured) {
  return !measured || !d->taken ? 0 : d->known ? ag_device_busy_ns(d) : INFINITY;
}

static bool sooner(const struct ag_device_facts *a, const struct ag_device_facts *b, bool measured) {
  double x = free_ns(a, measured), y = free_ns(b, measured);
  if (a->full != b->full)
    return b->full;
  return x < y || (x <= y && a->taken < b->taken);
}

int ag_device_next(const struct ag_device_facts *device, unsigned n, unsigned tried, bool measured) {
  int next = -1;
  for (unsigned d = 0; d < n; ++d)
    if (!(tried >> d & 1) && device[d].usable && (next < 0 || sooner(&device[d], &device[next], measured)))
      next = (int)d;
  return next;
}
