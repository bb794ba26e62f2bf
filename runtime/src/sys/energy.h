/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The machine's energy meters, where there are any: of the CPU the kernel's powercap files (RAPL), of a GPU
 * the management library of its driver (NVML, loaded with dlopen). They measure the whole package and the
 * whole GPU, whoever uses them. A meter that cannot be read says why, and that is no error. */
#ifndef AG_ENERGY_H
#define AG_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

enum { AG_ENERGY_METERS = 33 };

struct ag_energy_gpu {
  char name[32]; /* "cuda:0" */
  char pci[24];  /* "00000000:3b:00.0"; "" when it is not known */
};

/* What a meter has counted since ag_energy_start(). */
struct ag_energy_reading {
  char name[32];     /* "CPU", or the GPU's */
  uint64_t uj;       /* microjoules */
  uint64_t ns;       /* in this time */
  char why_not[256]; /* why it cannot be read; "" when it can */
};

/* Begins to count, unless it has begun: the CPU below the folder powercap, and n GPUs. */
void ag_energy_start(const char *powercap, const char *nvml_library, const struct ag_energy_gpu *gpus,
                     unsigned n);

/* Reads all meters: how many there are; 0 when nothing has been started. Any thread. */
unsigned ag_energy_read(struct ag_energy_reading readings[AG_ENERGY_METERS]);

/* To be called now and then: a CPU's meter begins again at 0 after some ten minutes to hours, and is read
 * once a minute so that none of that is missed. Costs a comparison otherwise. */
void ag_energy_tick(uint64_t now_ns);

/* Forgets all meters. */
void ag_energy_stop(void);

#endif /* AG_ENERGY_H */
