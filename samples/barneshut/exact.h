/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same forces without a tree, for a few bodies, to check those with one; and what is known of periodic
 * sums. */
#ifndef BARNESHUT_EXACT_H
#define BARNESHUT_EXACT_H

#include "../common/verify.h"
#include "world.h"

/* The mean, over a sample of bodies, of the relative error of world_forces(). In a periodic world the sum
 * over all bodies is Ewald's too, with other parameters. Negative without memory. */
double exact_error(const struct world *w, int sample);

/* Checks constants of Madelung and the force of a lattice against a sum over many images, all by
 * world_forces(). */
void exact_selftest(struct verdict *v);

#endif
