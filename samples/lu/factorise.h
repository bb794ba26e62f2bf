/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A = P L U by blocks, with partial pivoting, and the solution of A x = b by it. */
#ifndef LU_FACTORISE_H
#define LU_FACTORISE_H

#include "../common/progress.h"
#include <stdbool.h>
#include <stddef.h>

/* n x n numbers in block columns of `block` columns, the last one narrower, one behind the other. Each is n
 * rows, row by row. So a tile, and all of a block column from some tile down, are one piece of memory. */
struct matrix {
  int n, block;
  int tiles; /* in each direction */
  double *at;
};

/* Rows of tile row i; columns of block column i. */
static inline int extent(const struct matrix *a, int i) {
  int left = a->n - i * a->block;
  return left < a->block ? left : a->block;
}

/* Tile (i, j): extent(i) rows of extent(j) numbers, and what lies below follows it. */
static inline double *tile(const struct matrix *a, int i, int j) {
  return a->at + (size_t)j * (size_t)a->block * (size_t)a->n +
         (size_t)i * (size_t)a->block * (size_t)extent(a, j);
}

struct how {
  bool tuned;     /* the trailing update: by hand, or three plain loops */
  bool step_wise; /* wait for all units of a step before the next one begins */
};

/* Puts U and, below the diagonal, L without its diagonal of ones in the place of A. Row r of tile row k was
 * exchanged with row pivot[k * block + r] of the rows from there down (0 is the first row of tile row k).
 * A block column of L has the order of rows that the exchanges up to its own have made, as in LINPACK and
 * HPL: later ones are not applied to it. `progress` counts GFLOP. */
void factorise(const struct matrix *a, int *pivot, struct how how, struct progress *progress);

/* x is b before and the solution afterwards. */
void solve(const struct matrix *a, const int *pivot, double *x);

/* Floating-point operations for the first `columns` columns of the factorisation. */
double operations(double n, double columns);

#endif
