/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bodies that attract one another, and their accelerations by a tree. G is 1. */
#ifndef BARNESHUT_WORLD_H
#define BARNESHUT_WORLD_H

#include "ewald.h"

struct velocity {
  double x, y, z;
};

struct world {
  /* How it is computed: to be set before the first world_forces(). */
  int bucket;
  double theta, softening;
  bool sorted;        /* bodies are kept in the order of the tree; else they stay where they are */
  bool gather;        /* units name the cells and bodies of their lists, not all of them */
  struct ewald ewald; /* with a side of 0 the world is not periodic */

  /* The bodies. `source` has their places and masses; id is where a body was at the beginning. */
  int n;
  struct source *source;
  struct velocity *velocity;
  int *id;

  /* What world_forces() finds for body i: field[i] is minus its acceleration, and minus its potential. */
  struct field *field;

  /* Of the last world_forces(). */
  struct octree tree;
  long long units, with_cells, with_bodies; /* units, and their interactions with cells and with bodies */

  struct world_scratch *scratch;
};

/* Memory for n bodies. False without. */
bool world_reserve(struct world *w, int n);
void world_free(struct world *w);

/* Computes `field`; sorts the bodies first when `sorted`. In a periodic world all bodies have to be in the
 * cube. False without memory. */
bool world_forces(struct world *w);

#endif
