/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ewald's sum for bodies in a periodic cube (Ewald 1921; for gravity Hernquist, Bouchet and Suto 1991). 1/r
 * is cut in two: erfc(alpha r)/r, which is as good as nothing beyond some reach, so that a tree walk finds
 * all of it; and erf(alpha r)/r, which is smooth, so that few waves of the cube's lattice make all of it. The
 * waves are summed over all bodies. */
#ifndef BARNESHUT_EWALD_H
#define BARNESHUT_EWALD_H

#include "../common/octree.h"

/* Waves that differ in z alone: (x, y, z), (x, y, z + 1), ... times 2 pi / side. They are `count` from wave
 * number `first` on. */
struct wave_row {
  int x, y, z;
  int first, count;
};

struct ewald {
  double side, alpha, reach;
  int rows, waves; /* of each pair k and -k one */
  struct wave_row *row;
  double *strength; /* of each wave */
};

/* A cube from -side/2 to side/2. `alpha_side` is alpha times side; beyond `reach` (at most 1) sides and
 * `order` periods in a side nothing is summed. False without memory. */
bool ewald_make(struct ewald *e, double side, double alpha_side, double reach, int order);
void ewald_free(struct ewald *e);

/* 2 pi / side. */
static inline double ewald_wave(const struct ewald *e) { return 2 * 3.14159265358979323846 / e->side; }

/* What the sum over waves has too much: a body's force on itself, and the mean of all weights. */
double ewald_own_potential(const struct ewald *e, double own_weight, double all_weights);

/* erfc(alpha r)/r, softened as octree_plummer() does, and its derivatives. r2 is not 0. */
static inline void ewald_screened(double r2, double softening2, double alpha, double g[4]) {
  double s = 1 / r2, r = sqrt(r2);
  double gauss = 1.1283791670955126 * alpha * exp(-alpha * alpha * r2); /* 2 / sqrt(pi) */
  double growth = 2 * alpha * alpha;
  g[0] = erfc(alpha * r) / r;
  g[1] = (g[0] + gauss) * s;
  g[2] = (3 * g[1] + growth * gauss) * s;
  g[3] = (5 * g[2] + growth * growth * gauss) * s;
  if (softening2 > 0) {
    double soft[4], hard[4];
    octree_plummer(r2, softening2, soft);
    octree_plummer(r2, 0, hard);
    for (int k = 0; k < 4; ++k)
      g[k] += soft[k] - hard[k];
  }
}

/* Adds the weight w at (x, y, z) to the sums of w cos(k r) and w sin(k r) of a row's waves. */
static inline void ewald_add_to_row(const struct wave_row *row, double wave, struct source s, double *sum) {
  double phase = wave * (row->x * s.x + row->y * s.y + row->z * s.z), turn = wave * s.z;
  double c = s.w * cos(phase), d = s.w * sin(phase), turn_c = cos(turn), turn_d = sin(turn);
  for (int k = row->first; k < row->first + row->count; ++k) {
    sum[2 * k] += c;
    sum[2 * k + 1] += d;
    double next = c * turn_c - d * turn_d;
    d = c * turn_d + d * turn_c;
    c = next;
  }
}

/* What all waves do at (x, y, z). */
static inline void ewald_feel_waves(struct field *f, const struct wave_row *row, int rows, double wave,
                                    const double *strength, const double *sum, struct source at) {
  double turn = wave * at.z, turn_c = cos(turn), turn_d = sin(turn);
  for (int r = 0; r < rows; ++r) {
    double phase = wave * (row[r].x * at.x + row[r].y * at.y + row[r].z * at.z);
    double c = cos(phase), d = sin(phase), along = 0, along_z = 0;
    for (int k = 0; k < row[r].count; ++k) {
      int n = row[r].first + k;
      double push = strength[n] * (sum[2 * n] * d - sum[2 * n + 1] * c);
      f->potential += strength[n] * (sum[2 * n] * c + sum[2 * n + 1] * d);
      along += push;
      along_z += push * (row[r].z + k);
      double next = c * turn_c - d * turn_d;
      d = c * turn_d + d * turn_c;
      c = next;
    }
    f->x += wave * row[r].x * along;
    f->y += wave * row[r].y * along;
    f->z += wave * along_z;
  }
}

#endif
