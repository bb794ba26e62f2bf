/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/lattice.h"

#include "graph/unit.h"

/* Rows first .. end-1 of a place. */
struct rows {
  const struct ag_lattice *at;
  uintptr_t first, end;
};

/* Whether bytes lo .. hi-1 are partly in the rows. */
static bool meets(const struct rows *r, uintptr_t lo, uintptr_t hi) {
  uintptr_t row = r->first, begin = r->at->origin + row * r->at->pitch;
  if (begin + r->at->hi <= lo) { /* the first row that ends behind lo */
    uintptr_t further = (lo - begin - r->at->hi) / r->at->pitch + 1;
    row += further;
    begin += further * r->at->pitch;
  }
  return row < r->end && begin + r->at->lo < hi;
}

static bool box_meets(const struct rows *r, const struct ag_box *box, size_t blocks) {
  const struct ag_lattice *at = r->at;
  if (box->n_dims == 1 && box->dim[0].pitch == at->pitch && box->first >= at->origin) {
    uintptr_t row = (box->first - at->origin) / at->pitch, column = box->first - at->origin - row * at->pitch;
    if (column + box->block <= at->pitch)
      return row < r->end && r->first < row + box->dim[0].n && column < at->hi &&
             at->lo < column + box->block;
  }
  bool any = false;
  for (size_t i = 0; i < blocks && !any; ++i) {
    struct ag_interval block = ag_box_block(box, i);
    any = meets(r, block.lo, block.hi);
  }
  return any;
}

bool ag_unit_uses(const struct ag_unit *u, const struct ag_lattice *at, uintptr_t first, uintptr_t end) {
  struct rows rows = {at, first, end};
  struct ag_access all = {first, end, NULL};
  if (at->pitch) {
    all.lo = at->origin + first * at->pitch + at->lo;
    all.hi = at->origin + (end - 1) * at->pitch + at->hi;
  }
  bool any = u->more; /* it keeps the sections of the first call alone */
  for (unsigned i = 0; i < u->task->n_sections && !any; ++i) {
    const struct ag_access *a = &u->access[i];
    if (a->lo >= all.hi || all.lo >= a->hi)
      continue;
    const struct ag_pieces *p = a->pieces;
    if (!at->pitch && p && p->n && !p->box.n_dims) {
      size_t k = ag_intervals_behind(p->at, p->n, first);
      any = k < p->n && p->at[k].lo < end;
    } else if (!at->pitch)
      any = ag_access_overlap(a, &all);
    else if (p && p->box.n_dims)
      any = box_meets(&rows, &p->box, p->n);
    else
      for (size_t k = 0; k < ag_access_pieces(a) && !any; ++k) {
        struct ag_interval piece = ag_access_piece(a, k);
        any = meets(&rows, piece.lo, piece.hi);
      }
  }
  return any;
}
