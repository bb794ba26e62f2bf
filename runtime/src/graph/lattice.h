/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the segments of a line lie, and what a unit uses there. Pure functions. */
#ifndef AG_LATTICE_H
#define AG_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_unit;

/* Place i of the line is row i, columns lo .. hi-1: byte origin + i * pitch + lo and so on. With pitch 0 it
 * is byte i. */
struct ag_lattice {
  uintptr_t origin;
  size_t pitch;
  uintptr_t lo, hi;
};

/* Whether the unit, which is not complete, uses some of the places first .. end-1, in whatever way. */
bool ag_unit_uses(const struct ag_unit *u, const struct ag_lattice *at, uintptr_t first, uintptr_t end);

#endif /* AG_LATTICE_H */
