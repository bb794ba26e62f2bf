/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "ewald.h"
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

bool ewald_make(struct ewald *e, double side, double alpha_side, double reach, int order) {
  size_t most_rows = (size_t)(order + 1) * (2 * (size_t)order + 1),
         most = most_rows * (2 * (size_t)order + 1);
  *e = (struct ewald){.side = side, .alpha = alpha_side / side, .reach = reach * side};
  e->row = malloc(most_rows * sizeof *e->row);
  e->strength = malloc(most * sizeof *e->strength);
  if (!e->row || !e->strength) {
    ewald_free(e);
    return false;
  }
  for (int x = 0; x <= order; ++x)
    for (int y = x ? -order : 0; y <= order; ++y) {
      int left = order * order - x * x - y * y;
      if (left < 0)
        continue;
      int top = (int)sqrt(left), z = x || y ? -top : 1; /* 0 is the mean, which does nothing */
      e->row[e->rows++] = (struct wave_row){x, y, z, e->waves, top - z + 1};
      for (; z <= top; ++z) {
        double k2 = 4 * pi * pi * (x * x + y * y + z * z) / (side * side);
        e->strength[e->waves++] = 8 * pi / (side * side * side * k2) * exp(-k2 / (4 * e->alpha * e->alpha));
      }
    }
  return true;
}

void ewald_free(struct ewald *e) {
  free(e->row);
  free(e->strength);
  memset(e, 0, sizeof *e);
}

double ewald_own_potential(const struct ewald *e, double own_weight, double all_weights) {
  double volume = e->side * e->side * e->side;
  return 2 * e->alpha / sqrt(pi) * own_weight + pi / (e->alpha * e->alpha * volume) * all_weights;
}
