/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/elements.h"

#include "graph/edges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* AHEAD: places that are fetched while others are looked at. KEPT: places that an empty table may have. */
enum { FEW = 256, AHEAD = 12, KEPT = 1 << 12, MOST_UNITS = 4 };

/* --- The table -------------------------------------------------------------------------------------- */

static size_t place_of(const struct ag_elements *e, uintptr_t at) {
  return (size_t)(at * 0x9E3779B97F4A7C15u >> e->shift); /* addresses of one distance are spread evenly */
}

/* The place of the element, or the free one where it belongs. */
static struct ag_element *find(struct ag_elements *e, uintptr_t at) {
  for (size_t i = place_of(e, at);; i = (i + 1) & (e->room - 1)) {
    ++e->steps;
    if (e->table[i].at == at || !e->table[i].at)
      return &e->table[i];
  }
}

static struct ag_element *make(struct ag_elements *e, uintptr_t at) {
  struct ag_element *x = find(e, at);
  e->used += !x->at;
  x->at = at;
  return x;
}

/* Goes through the elements of a set. */
struct walk {
  const struct ag_interval *piece;
  uintptr_t at;
};

static uintptr_t next_of(struct walk *w, size_t element) {
  if (w->at >= w->piece->hi)
    w->at = (++w->piece)->lo;
  uintptr_t at = w->at;
  w->at += element;
  return at;
}

/* Two walks, one of which fetches what the other comes to. */
struct walks {
  struct walk here, ahead;
  size_t left; /* elements that the second one has before it */
};

static void fetch(const struct ag_elements *e, const struct ag_element_set *set, struct walks *w) {
  if (!w->left)
    return;
  --w->left;
  __builtin_prefetch(&e->table[place_of(e, next_of(&w->ahead, set->element))], 1);
}

static struct walks walk(const struct ag_elements *e, const struct ag_element_set *set) {
  struct walk at = {set->pieces, set->pieces->lo};
  struct walks w = {at, at, set->n};
  for (int i = 0; i < AHEAD; ++i)
    fetch(e, set, &w);
  return w;
}

static uintptr_t step(const struct ag_elements *e, const struct ag_element_set *set, struct walks *w) {
  fetch(e, set, w);
  return next_of(&w->here, set->element);
}

/* --- Complete units --------------------------------------------------------------------------------- */

/* Numbers units anew, without complete ones: number[old] is the new one, or 0. */
static void number_units(struct ag_elements *e, uint32_t *number) {
  uint32_t kept = 0;
  number[0] = 0;
  for (uint32_t i = 1; i <= e->n_units; ++i) {
    number[i] = ag_ref_alive(e->units[i].ref) ? ++kept : 0;
    if (number[i])
      e->units[kept] = e->units[i];
  }
  e->n_units = kept;
}

/* Moves the element into the new table, unless only complete units have used it. */
static void move(struct ag_elements *to, const struct ag_elements *from, const struct ag_element *x,
                 const uint32_t *number) {
  uint32_t reader = 0;
  for (uint32_t r = x->reader; r; r = from->readings[r].next)
    if (number[from->readings[r].unit]) {
      to->readings[++to->n_readings] = (struct ag_reading){number[from->readings[r].unit], reader};
      reader = to->n_readings;
    }
  if (reader || number[x->writer])
    *make(to, x->at) = (struct ag_element){x->at, number[x->writer], reader};
}

/* The larger of the numbers of places and readings that units that are not complete have. */
static size_t live(const struct ag_elements *e, const uint32_t *number) {
  size_t places = 0, readings = 0;
  for (size_t i = 0; i < e->room; ++i) {
    size_t before = readings;
    for (uint32_t r = e->table[i].reader; r; r = e->readings[r].next)
      readings += number[e->readings[r].unit] > 0;
    places += number[e->table[i].writer] || readings > before;
  }
  return places > readings ? places : readings;
}

int ag_elements_sweep(struct ag_elements *e, size_t n) {
  uint32_t *number = malloc((e->n_units + (size_t)1) * sizeof *number);
  if (!number)
    return -ENOMEM;
  for (uint32_t i = number[0] = 0; i < e->n_units; ++i)
    number[i + 1] = ag_ref_alive(e->units[i + 1].ref);
  size_t most = live(e, number), limit = 2 * most + n + FEW, room = 1, shift = 64;
  for (; room < limit + limit / 2; --shift)
    room *= 2;
  struct ag_elements to = {.units = e->units,
                           .n_units = e->n_units,
                           .cap_units = e->cap_units,
                           .room = room,
                           .shift = (unsigned)shift,
                           .limit = limit,
                           .steps = e->steps};
  if (limit < UINT32_MAX / MOST_UNITS) {
    to.table = calloc(room, sizeof *to.table);
    to.readings = malloc((limit + 1) * sizeof *to.readings);
  }
  if (!to.table || !to.readings) {
    free(to.table);
    free(to.readings);
    free(number);
    return -ENOMEM;
  }
  number_units(&to, number);
  for (size_t i = 0; i < e->room; ++i)
    if (e->table[i].at)
      move(&to, e, &e->table[i], number);
  free(e->table);
  free(e->readings);
  free(number);
  *e = to;
  return 0;
}

int ag_elements_reserve(struct ag_elements *e, size_t n) {
  if ((e->used + n > e->limit || e->n_readings + n > e->limit || e->since + n > MOST_UNITS * e->limit) &&
      ag_elements_sweep(e, n))
    return -ENOMEM;
  if (e->n_units + 1 >= e->cap_units) {
    uint32_t cap = e->cap_units ? 2 * e->cap_units : FEW;
    struct ag_element_unit *grown = realloc(e->units, cap * sizeof *grown);
    if (!grown)
      return -ENOMEM;
    e->units = grown;
    e->cap_units = cap;
  }
  return 0;
}

/* --- Uses ------------------------------------------------------------------------------------------- */

static uint32_t number_of(struct ag_elements *e, struct ag_unit_ref unit, uintptr_t lo, uintptr_t hi,
                          size_t element, bool writes) {
  e->units[++e->n_units] = (struct ag_element_unit){unit, lo, hi, element, writes};
  return e->n_units;
}

static int each_reader(struct ag_elements *e, const struct ag_element *x, size_t element, ag_each_ref *each,
                       void *context) {
  int err = 0;
  for (uint32_t r = x->reader; r && !err; r = e->readings[r].next) {
    const struct ag_element_unit *u = &e->units[e->readings[r].unit];
    ++e->steps;
    if (u->element == element)
      err = each(u->ref, context);
  }
  return err;
}

int ag_elements_writers(struct ag_elements *e, const struct ag_element_set *set, ag_each_ref *each,
                        void *context) {
  int err = 0;
  if (!e->used)
    return 0;
  struct walks w = walk(e, set);
  for (size_t k = 0; k < set->n && !err; ++k) {
    const struct ag_element *x = find(e, step(e, set, &w));
    if (x->writer && e->units[x->writer].element == set->element)
      err = each(e->units[x->writer].ref, context);
  }
  return err;
}

void ag_elements_read(struct ag_elements *e, const struct ag_element_set *set, struct ag_unit_ref unit,
                      uintptr_t lo, uintptr_t hi) {
  uint32_t me = number_of(e, unit, lo, hi, set->element, false);
  struct walks w = walk(e, set);
  e->since += set->n;
  for (size_t k = 0; k < set->n; ++k) {
    struct ag_element *x = make(e, step(e, set, &w));
    e->readings[++e->n_readings] = (struct ag_reading){me, x->reader};
    x->reader = e->n_readings;
  }
}

int ag_elements_write(struct ag_elements *e, const struct ag_element_set *set, struct ag_unit_ref unit,
                      uintptr_t lo, uintptr_t hi, ag_each_ref *each, void *context) {
  uint32_t me = number_of(e, unit, lo, hi, set->element, true);
  struct walks w = walk(e, set);
  int err = 0;
  e->since += set->n;
  for (size_t k = 0; k < set->n && !err; ++k) {
    struct ag_element *x = make(e, step(e, set, &w));
    if (x->writer && e->units[x->writer].element == set->element)
      err = each(e->units[x->writer].ref, context);
    if (!err)
      err = each_reader(e, x, set->element, each, context);
    x->writer = me;
    x->reader = 0;
  }
  return err;
}

/* --- Ranges ----------------------------------------------------------------------------------------- */

int ag_elements_within(struct ag_elements *e, uintptr_t lo, uintptr_t hi, size_t element, uintptr_t origin,
                       bool writers, bool forget, ag_each_ref *each, void *context) {
  uintptr_t first = lo - (lo - origin % element) % element; /* may begin before the range */
  size_t n = (hi - first + element - 1) / element;
  bool all = n >= e->room; /* each place of the table is looked at, or each element of the range */
  int err = 0;
  for (size_t i = 0; i < (all ? e->room : n) && !err; ++i) {
    struct ag_element *x = all ? &e->table[i] : find(e, first + i * element);
    e->steps += all;
    if (!x->at || x->at < first || x->at >= hi)
      continue;
    if (x->writer && e->units[x->writer].element == element)
      err = each(e->units[x->writer].ref, context);
    if (!writers && !err)
      err = each_reader(e, x, element, each, context);
    if (forget && !err && x->at >= lo && x->at + element <= hi)
      x->writer = x->reader = 0;
  }
  e->looks += all ? e->room : n;
  return err;
}

int ag_elements_of(struct ag_elements *e, uintptr_t lo, uintptr_t hi, bool writers, ag_each_ref *each,
                   void *context) {
  int err = 0;
  for (uint32_t i = 1; i <= e->n_units && !err; ++i) {
    const struct ag_element_unit *u = &e->units[i];
    ++e->steps;
    if (u->lo >= lo && u->hi <= hi && (u->writes || !writers))
      err = each(u->ref, context);
  }
  return err;
}

size_t ag_elements_bytes(const struct ag_elements *e) {
  size_t readings = e->readings ? e->limit + 1 : 0;
  return e->room * sizeof *e->table + readings * sizeof *e->readings + e->cap_units * sizeof *e->units;
}

void ag_elements_clear(struct ag_elements *e) {
  if (e->room > KEPT) {
    ag_elements_free(e);
    return;
  }
  if (e->used)
    memset(e->table, 0, e->room * sizeof *e->table);
  e->used = e->since = 0;
  e->n_units = e->n_readings = 0;
  e->looks = 0;
}

void ag_elements_free(struct ag_elements *e) {
  free(e->table);
  free(e->units);
  free(e->readings);
  *e = (struct ag_elements){.steps = e->steps};
}
