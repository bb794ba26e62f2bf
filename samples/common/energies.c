/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "energies.h"
#include <math.h>

bool energies_add(struct energies *all, struct energy now) {
  if (!all->any)
    all->first = now;
  all->any = true;
  all->last = now;
  double change = fabs(now.kinetic + now.potential - all->first.kinetic - all->first.potential);
  double scale = all->first.kinetic + fabs(all->first.potential);
  if (change > all->drift * scale)
    all->drift = scale > 0 ? change / scale : INFINITY;
  return isfinite(change);
}

void energy_write(struct energy e, FILE *table) {
  fprintf(table, "%.17g,%.17g,%.17g", e.kinetic, e.potential, e.kinetic + e.potential);
}

void energies_print(const struct energies *all) {
  printf("%-16s %.17g\n", "kinetic energy", all->last.kinetic);
  printf("%-16s %.17g\n", "potential energy", all->last.potential);
  printf("%-16s %.17g\n", "total energy", all->last.kinetic + all->last.potential);
}
