/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which device gets the next batch, and how long it is still busy. Runtime and simulator show what they see.
 */
#ifndef AG_DEVICES_H
#define AG_DEVICES_H

#include <stdbool.h>

/* One device. Times are from now on, in ns. */
struct ag_device_facts {
  bool usable;    /* for this task */
  bool full;      /* it has no room for another batch */
  unsigned taken; /* batches that it has, or that are staged for it */
  bool known;     /* what these take is known */
  double left_ns; /* of what it was expected to take; 0: it should be through, for */
  double late_ns; /* so long */
};

/* How long the device will still be busy. Longer than it was expected to: as long again as it has been. */
double ag_device_busy_ns(const struct ag_device_facts *device);

/* The usable devices: how many, and how many of them have nothing to do. */
struct ag_devices {
  unsigned all, idle;
};
struct ag_devices ag_devices_of(const struct ag_device_facts *device, unsigned n);

/* The device that gets the next batch, if it is none of those of `tried`, one bit each: of those with room
 * the one that is believed to be through first, where that is measured, or has fewest batches; among equals
 * the first one. -1: there is none. */
int ag_device_next(const struct ag_device_facts *device, unsigned n, unsigned tried, bool measured);

#endif /* AG_DEVICES_H */
