/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is measured of devices, tasks and loops is kept in a file between runs (AGGLOM_MODELS). The file is
 * read when the runtime starts, and written when it ends: what this run has not measured stays as it is in
 * the file by then. Without the variable nothing here does anything. Any thread; has a lock of its own, taken
 * after those of the registry and of all loops, and before that of a task's model. */
#ifndef AG_MODELS_H
#define AG_MODELS_H

#include "device/device.h"
#include "policy/loop/loop.h"
#include "policy/model/model.h"
#include "policy/model/power.h"
#include <agglom/abi.h>

struct ag_config;

/* After the devices were opened. A file that is not to be believed is one warning. */
void ag_models_start(const struct ag_config *config, const struct ag_device_info *const *infos, int n);

/* Seeds the model of a registered task with what the book has of it; keeps what the model knows. */
void ag_models_seed_task(const struct agglom_task *task, struct ag_model *model);
void ag_models_keep_task(const struct agglom_task *task, const struct ag_model *model);

/* What a loop is called in the file, which depends on its schedule and the units that run it, where[i] being
 * the index of its device i. To be freed; NULL: without memory, or nothing is kept. */
char *ag_models_loop_key(const struct agglom_task *task, const struct ag_loop_view *view, const int *where);

/* Seeds and keeps the state of a loop; to be seeded it is zeroed memory. With key NULL they do nothing. */
void ag_models_seed_loop(const char *key, void *state, const struct ag_loop_view *view);
void ag_models_keep_loop(const char *key, const void *state);

/* Seeds and keeps the power of a device; -1: of the CPU. */
void ag_models_seed_power(int device, struct ag_power *power);
void ag_models_keep_power(int device, const struct ag_power *power);

/* Seeds and keeps the times of a device's transfers, to it and back, by the bytes of a batch. */
void ag_models_seed_transfers(int device, struct ag_device_model *in, struct ag_device_model *out);
void ag_models_keep_transfers(int device, const struct ag_device_model *in,
                              const struct ag_device_model *out);

/* Writes the file, if anything is new. */
void ag_models_write(void);

void ag_models_stop(void);

/* In a child after fork(): the file is its parent's business. */
void ag_models_forsake(void);

/* How this machine is called in the file: the CPU and how many there are. */
void ag_models_machine(char *text, size_t size);

#endif /* AG_MODELS_H */
