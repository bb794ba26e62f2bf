/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of particles in TIPSY's standard format: all numbers big-endian, 32-bit floats; a header of 32 bytes,
 * then gas, dark matter and stars. Each particle begins with its mass, three coordinates and three
 * velocities. */
#ifndef BARNESHUT_TIPSY_H
#define BARNESHUT_TIPSY_H

#include <stdbool.h>
#include <stdio.h>

struct tipsy {
  double time;
  int gas, dark, stars;
  float *values; /* of all particles, one behind the other */
};

/* Where in a particle's values: mass, x, y, z, vx, vy, vz; what follows depends on the sort. */
enum { TIPSY_MASS, TIPSY_X, TIPSY_V = 4, TIPSY_LEAST = 7 };

static inline int tipsy_bodies(const struct tipsy *t) { return t->gas + t->dark + t->stars; }

/* The values of particle i. */
float *tipsy_particle(const struct tipsy *t, int i);
float *tipsy_potential(const struct tipsy *t, int i);

/* n particles of dark matter, all zero. False without memory. */
bool tipsy_new(struct tipsy *t, int n, float softening);

/* Reads a file. False after a sentence on stderr that begins with `program`. */
bool tipsy_read(const char *program, const char *path, struct tipsy *t);

/* Who closes the file sees whether all has arrived. */
void tipsy_write(FILE *file, const struct tipsy *t);

void tipsy_free(struct tipsy *t);

#endif
