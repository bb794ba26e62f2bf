/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* States to begin with. The total mass is 1. */
#ifndef BARNESHUT_START_H
#define BARNESHUT_START_H

#include "world.h"
#include <stdint.h>

/* Plummer's sphere in equilibrium, in N-body units: the energy is -1/4 (Aarseth, Henon and Wielen 1974). */
void start_plummer(struct world *w, uint64_t seed);

/* Bodies at rest, anywhere in a cube from -side/2 to side/2. */
void start_uniform(struct world *w, double side, uint64_t seed);

#endif
