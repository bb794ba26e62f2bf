/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/footprint.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST = 64 }; /* places of a table */

static size_t bytes_of(const struct ag_access *hull) { return hull->hi - hull->lo + AG_REGION_KEEP; }

size_t ag_unit_footprint(const struct ag_unit *u, bool *large) {
  size_t bytes = u->task->args_size;
  *large = false;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    struct ag_access hull;
    if (!ag_unit_hull(u, i, &hull))
      continue;
    *large |= hull.hi - hull.lo >= AG_SHARED_LEAST;
    /* A sum of hulls may be more than there is memory in the world: saturate. */
    if (__builtin_add_overflow(bytes, hull.hi - hull.lo, &bytes) ||
        __builtin_add_overflow(bytes, (size_t)AG_REGION_KEEP, &bytes))
      return SIZE_MAX;
  }
  return bytes;
}

/* --- The table ---------------------------------------------------------------------------------------- */

static bool taken(const struct ag_footprint *f, const struct ag_footprint_hull *h) {
  return h->era == f->era + 1;
}

/* The place of the hull in the table, or the free place where it belongs. The table has free places:
 * reserve(). */
static struct ag_footprint_hull *find(const struct ag_footprint *f, uintptr_t lo, uintptr_t hi) {
  uint64_t hash = ((uint64_t)lo ^ (uint64_t)hi << 32 ^ (uint64_t)hi >> 32) * 0x9E3779B97F4A7C15U;
  for (size_t i = (size_t)(hash >> 32);; ++i) {
    struct ag_footprint_hull *h = &f->at[i & (f->room - 1)];
    if (!taken(f, h) || (h->lo == lo && h->hi == hi))
      return h;
  }
}

/* Makes room for one more hull: a table that is half full is made anew, without the hulls that no unit has
 * any longer. False: no memory. */
static bool reserve(struct ag_footprint *f) {
  if (2 * (f->used + 1) <= f->room)
    return true;
  struct ag_footprint old = *f;
  size_t live = 0;
  for (size_t i = 0; i < f->room; ++i)
    live += taken(f, &f->at[i]) && f->at[i].units;
  size_t room = FEWEST;
  while (room < 4 * (live + 1))
    room *= 2;
  struct ag_footprint_hull *fresh = calloc(room, sizeof *fresh);
  if (!fresh)
    return false;
  f->at = fresh;
  f->room = room;
  f->used = live;
  f->era = 0;
  for (size_t i = 0; i < old.room; ++i)
    if (taken(&old, &old.at[i]) && old.at[i].units) {
      struct ag_footprint_hull *h = find(f, old.at[i].lo, old.at[i].hi);
      *h = old.at[i];
      h->era = f->era + 1;
    }
  free(old.at);
  return true;
}

void ag_footprint_clear(struct ag_footprint *f) {
  f->bytes = f->used = f->apart = f->covered = f->n_extents = 0;
  if (++f->era == UINT_MAX)
    ag_footprint_free(f);
}

void ag_footprint_free(struct ag_footprint *f) {
  free(f->at);
  *f = (struct ag_footprint){0};
}

/* --- Extents ------------------------------------------------------------------------------------------ */

/* Extents first .. last-1 and the hull become one extent; where first == last the hull is one of its own. */
static void join(struct ag_footprint *f, unsigned first, unsigned last, struct ag_interval hull) {
  for (unsigned i = first; i < last; ++i) {
    const struct ag_interval *e = &f->extents[i];
    hull.lo = e->lo < hull.lo ? e->lo : hull.lo;
    hull.hi = e->hi > hull.hi ? e->hi : hull.hi;
    f->covered -= e->hi - e->lo;
  }
  unsigned behind = f->n_extents - last;
  memmove(f->extents + first + 1, f->extents + last, behind * sizeof *f->extents);
  f->extents[first] = hull;
  f->n_extents = first + 1 + behind;
  f->covered += hull.hi - hull.lo;
}

/* Adds the hull to the extents. Where all AG_FOOTPRINT_EXTENTS are in use, the one next to it grows up to the
 * hull, with what lies between them. */
static void cover(struct ag_footprint *f, const struct ag_access *hull) {
  if (f->covered == SIZE_MAX)
    return;
  unsigned first = 0, last;
  while (first < f->n_extents && f->extents[first].hi < hull->lo)
    ++first;
  for (last = first; last < f->n_extents && f->extents[last].lo <= hull->hi;)
    ++last;
  if (first == last && f->n_extents == AG_FOOTPRINT_EXTENTS) {
    bool before = first && (first == f->n_extents ||
                            hull->lo - f->extents[first - 1].hi < f->extents[first].lo - hull->hi);
    first -= before;
    last = first + 1;
  }
  join(f, first, last, (struct ag_interval){hull->lo, hull->hi, 0, 0});
}

/* --- Units -------------------------------------------------------------------------------------------- */

/* Whether the unit's group `first` is large, and what it covers. */
static bool large_hull(const struct ag_unit *u, unsigned first, struct ag_access *hull) {
  return ag_unit_hull(u, first, hull) && hull->hi - hull->lo >= AG_SHARED_LEAST;
}

/* Counts large hulls once. In `apart` AG_REGION_KEEP stays for each: what its region may lose by
 * alignment. */
static void share(struct ag_footprint *f, const struct ag_unit *u) {
  struct ag_access hull;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    if (!large_hull(u, i, &hull))
      continue;
    f->apart -= hull.hi - hull.lo;
    struct ag_footprint_hull *h = f->room ? find(f, hull.lo, hull.hi) : NULL;
    if (!h || !taken(f, h)) {
      if (!reserve(f)) {
        f->covered = SIZE_MAX;
        continue;
      }
      h = find(f, hull.lo, hull.hi);
      *h = (struct ag_footprint_hull){hull.lo, hull.hi, f->era + 1, 0};
      ++f->used;
      cover(f, &hull);
    }
    if (h->units)
      f->bytes -= bytes_of(&hull);
    ++h->units;
  }
}

static void unshare(struct ag_footprint *f, const struct ag_unit *u) {
  struct ag_access hull;
  for (unsigned i = 0; i < u->task->n_sections; ++i) {
    if (!large_hull(u, i, &hull))
      continue;
    f->apart += hull.hi - hull.lo;
    struct ag_footprint_hull *h = f->room ? find(f, hull.lo, hull.hi) : NULL;
    if (!h || !taken(f, h) || !h->units)
      continue;
    --h->units;
    if (h->units)
      f->bytes += bytes_of(&hull);
  }
}

void ag_footprint_add(struct ag_footprint *f, const struct ag_unit *u) {
  f->bytes += u->footprint;
  f->apart += u->footprint;
  if (u->large)
    share(f, u);
}

void ag_footprint_remove(struct ag_footprint *f, const struct ag_unit *u) {
  f->bytes -= u->footprint;
  f->apart -= u->footprint;
  if (u->large)
    unshare(f, u);
}
