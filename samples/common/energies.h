/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The energies of a simulation over its steps, and how well their sum is kept. */
#ifndef SAMPLES_ENERGIES_H
#define SAMPLES_ENERGIES_H

#include <stdbool.h>
#include <stdio.h>

struct energy {
  double kinetic, potential;
};

/* Begins as {0}. */
struct energies {
  struct energy first, last;
  double drift; /* largest |E - E(0)| / (K(0) + |U(0)|) of all steps */
  bool any;
};

/* Those of the next step; the first ones are what the others are compared with. False where the total energy
 * is no number any more. */
bool energies_add(struct energies *all, struct energy now);

/* The columns kinetic,potential,total of a table. */
void energy_write(struct energy e, FILE *table);

/* The last ones, a line each. */
void energies_print(const struct energies *all);

#endif
