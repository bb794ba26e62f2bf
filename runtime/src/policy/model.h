/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How long units of one task take, as measured: on a CPU unit, and in batches on each device. A batch of x
 * items takes launch + x * item: least squares over what was measured, of which the late counts most. What is
 * not a positive number is not believed, and a spike counts as three times what was expected. */
#ifndef AG_MODEL_H
#define AG_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum { AG_MODEL_DEVICES = 16 };

/* Batches of one task on one device. All zero at first: nothing is known. */
struct ag_device_model {
  double launch_ns, item_ns;   /* the line; item_ns 0: unknown */
  double host_ns;              /* what a launch takes of its thread's time; 0: unknown */
  double largest;              /* items of the largest batch that was measured */
  double weight, x, y, xx, xy; /* sums, decayed */
  uint64_t known;              /* batches that were measured */
};

/* One task. All zero at first. */
struct ag_model {
  double cpu_ns;      /* of an item on one CPU unit; 0: unknown */
  uint64_t cpu_known; /* how often that was measured */
  struct ag_device_model device[AG_MODEL_DEVICES];
};

/* A CPU unit took ns for so many items. */
void ag_model_cpu(struct ag_model *model, double items, double ns);

/* A batch of so many items took the device ns, transfers included and the batches before it excluded, and the
 * thread that launched it host_ns. */
void ag_model_device(struct ag_device_model *model, double items, double ns, double host_ns);

/* Time for a batch of so many items; 0: unknown. */
double ag_model_ns(const struct ag_device_model *model, double items);

/* --- Between runs of a program: as numbers, and back. False: nothing is known, or they make no sense. -- */

enum { AG_MODEL_CPU_NUMBERS = 2, AG_MODEL_DEVICE_NUMBERS = 10 };
bool ag_model_keep_cpu(const struct ag_model *model, double x[AG_MODEL_CPU_NUMBERS]);
bool ag_model_seed_cpu(struct ag_model *model, const double *x, unsigned n);
bool ag_model_keep_device(const struct ag_device_model *model, double x[AG_MODEL_DEVICE_NUMBERS]);
bool ag_model_seed_device(struct ag_device_model *model, const double *x, unsigned n);

#endif /* AG_MODEL_H */
