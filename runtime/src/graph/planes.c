/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/planes.h"

#include "graph/segments.h"

#include <errno.h>

/* Boxes that are recorded at least between two looks for planes without records. */
enum { LOOK_EVERY = 1 << 16 };

enum { MOST_STRIPS = 8 }; /* of a box that is looked at before it is recorded */

struct ag_strip {
  struct ag_node at;       /* columns; first */
  struct ag_segments rows; /* by number */
};

struct ag_plane {
  struct ag_node at; /* bytes; first */
  /* The byte at origin + r * pitch + c, with c < pitch, is in row r and column c. origin < pitch. */
  uintptr_t origin;
  size_t pitch;
  struct ag_tree strips;  /* disjoint; columns that nobody has used may be missing */
  struct ag_strip *guess; /* where the next access may be; or NULL */
};

/* Rows first .. end-1 of columns lo .. hi-1. */
struct rectangle {
  uintptr_t first, end, lo, hi;
};

/* What is done to rectangles. */
struct user {
  struct ag_graph *graph;
  struct ag_graph_store *store;
  struct ag_unit *u;
  struct ag_use use; /* AG_WHOLE or AG_EXACTLY */
};

static struct ag_plane *plane_behind(const struct ag_graph *graph, uintptr_t address) {
  return (struct ag_plane *)(void *)ag_tree_behind(&graph->planes, address);
}

static struct ag_plane *next_plane(struct ag_plane *p) {
  return (struct ag_plane *)(void *)ag_tree_next(&p->at);
}

static struct ag_strip *strip_behind(const struct ag_plane *p, uintptr_t column) {
  return (struct ag_strip *)(void *)ag_tree_behind(&p->strips, column);
}

/* The same, quickly where programs go through memory in order. */
static struct ag_strip *strip_of(const struct ag_plane *p, uintptr_t column) {
  struct ag_strip *s = p->guess;
  return s && s->at.lo <= column && s->at.hi > column ? s : strip_behind(p, column);
}

static struct ag_strip *next_strip(struct ag_strip *s) {
  return (struct ag_strip *)(void *)ag_tree_next(&s->at);
}

static uintptr_t least(uintptr_t a, uintptr_t b) { return a < b ? a : b; }
static uintptr_t most(uintptr_t a, uintptr_t b) { return a > b ? a : b; }

/* --- Rectangles of a plane ------------------------------------------------------------------------------ */

/* Bytes lo .. hi-1, lo < hi, as up to three rectangles: the end of a row, whole rows, the begin of a row. */
static unsigned rectangles_of(const struct ag_plane *p, uintptr_t lo, uintptr_t hi, struct rectangle r[3]) {
  uintptr_t first = (lo - p->origin) / p->pitch, last = (hi - 1 - p->origin) / p->pitch;
  uintptr_t from = (lo - p->origin) % p->pitch, to = (hi - 1 - p->origin) % p->pitch + 1;
  unsigned n = 0;
  if (first == last) {
    r[n++] = (struct rectangle){first, first + 1, from, to};
    return n;
  }
  if (from)
    r[n++] = (struct rectangle){first, first + 1, from, p->pitch};
  first += from > 0;
  last += to == p->pitch; /* behind the last whole row */
  if (first < last)
    r[n++] = (struct rectangle){first, last, 0, p->pitch};
  if (to < p->pitch)
    r[n++] = (struct rectangle){last, last + 1, 0, to};
  return n;
}

static struct ag_strip *add_strip(struct ag_plane *p, struct ag_graph_store *store, uintptr_t lo,
                                  uintptr_t hi) {
  struct ag_strip *s = ag_pool_take(&store->strips);
  if (!s)
    return NULL;
  s->at.lo = lo;
  s->at.hi = hi;
  s->rows = (struct ag_segments){.lattice = {p->origin, p->pitch, lo, hi}};
  ag_tree_add(&p->strips, &s->at);
  return s;
}

/* Sees to it that no strip reaches over the column. 0 or -ENOMEM. */
static int cut(struct ag_plane *p, struct ag_graph_store *store, uintptr_t column) {
  struct ag_strip *s = strip_behind(p, column);
  if (!s || s->at.lo >= column)
    return 0;
  uintptr_t hi = s->at.hi;
  s->at.hi = s->rows.lattice.hi = column;
  struct ag_strip *upper = add_strip(p, store, column, hi);
  if (upper && !ag_segments_copy_all(&upper->rows, store, &s->rows))
    return 0;
  if (upper) {
    p->guess = NULL;
    ag_tree_remove(&p->strips, &upper->at);
    ag_pool_give(&store->strips, upper);
  }
  s->at.hi = s->rows.lattice.hi = hi;
  return -ENOMEM;
}

/* Calls each() for the strips of the rectangle's columns, which are cut and filled up for it. */
static int each_strip(struct ag_plane *p, struct ag_graph_store *store, const struct rectangle *r,
                      int (*each)(struct ag_strip *strip, const struct rectangle *r, void *context),
                      void *context) {
  struct ag_strip *s = strip_of(p, r->lo);
  if (s && s->at.lo < r->lo) {
    if (cut(p, store, r->lo))
      return -ENOMEM;
    s = next_strip(s);
  }
  for (uintptr_t at = r->lo;;) {
    if (!s || s->at.lo > at)
      s = add_strip(p, store, at, s ? least(s->at.lo, r->hi) : r->hi);
    else if (s->at.hi > r->hi && cut(p, store, r->hi))
      return -ENOMEM;
    int err = s ? each(s, r, context) : -ENOMEM;
    if (err)
      return err;
    at = s->at.hi;
    s = next_strip(s);
    if (at >= r->hi) {
      p->guess = s;
      return 0;
    }
  }
}

static int use_strip(struct ag_strip *s, const struct rectangle *r, void *context) {
  const struct user *by = context;
  return ag_segments_use(&s->rows, by->store, by->u, r->first, r->end, &by->use);
}

/* Readers do not cut strips, as long as these have few. Where nobody has used anything, there will be one
 * strip up to the next: the first who write are to say where it is cut. */
static int read_strips(struct ag_plane *p, struct user *by, const struct rectangle *r) {
  struct ag_strip *s = strip_of(p, r->lo);
  for (uintptr_t at = r->lo; at < r->hi; s = next_strip(s)) {
    if (!s || s->at.lo > at) {
      const struct ag_node *before = ag_tree_before(&p->strips, at + 1);
      s = add_strip(p, by->store, before ? before->hi : 0, s ? s->at.lo : p->pitch);
      if (!s)
        return -ENOMEM;
    }
    struct ag_use use = by->use;
    if (s->at.lo < r->lo || s->at.hi > r->hi)
      use.extent = AG_PART;
    int err = ag_segments_use(&s->rows, by->store, by->u, r->first, r->end, &use);
    if (err == AG_TOO_MANY) {
      struct rectangle rest = {r->first, r->end, at, r->hi};
      return each_strip(p, by->store, &rest, use_strip, by);
    }
    if (err)
      return err;
    at = s->at.hi;
    p->guess = s;
  }
  return 0;
}

static int use_rectangle(struct ag_plane *p, struct user *by, const struct rectangle *r) {
  return by->use.how == AG_READS && by->use.extent == AG_WHOLE ? read_strips(p, by, r)
                                                               : each_strip(p, by->store, r, use_strip, by);
}

static int use_bytes_of(struct ag_plane *p, struct user *by, uintptr_t lo, uintptr_t hi) {
  struct rectangle r[3];
  unsigned n = rectangles_of(p, lo, hi, r);
  int err = 0;
  for (unsigned i = 0; i < n && !err; ++i)
    err = use_rectangle(p, by, &r[i]);
  return err;
}

/* --- Bytes ------------------------------------------------------------------------------------------------
 */

static int use_bytes(struct user *by, uintptr_t lo, uintptr_t hi) {
  struct ag_plane *p = plane_behind(by->graph, lo);
  int err = 0;
  while (lo < hi && !err) {
    bool inside = p && p->at.lo <= lo;
    uintptr_t end = least(hi, !p ? hi : inside ? p->at.hi : p->at.lo);
    err = inside ? use_bytes_of(p, by, lo, end)
                 : ag_segments_use(&by->graph->line, by->store, by->u, lo, end, &by->use);
    p = inside ? next_plane(p) : p;
    lo = end;
  }
  return err;
}

int ag_planes_use(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                  uintptr_t hi, const struct ag_use *use) {
  struct user by = {graph, store, u, *use};
  return use_bytes(&by, lo, hi);
}

/* --- New planes -------------------------------------------------------------------------------------------
 */

/* What is taken over from the line. */
struct takeover {
  struct ag_plane *plane;
  struct ag_graph_store *store;
  const struct ag_segment *segment;
};

static int copy_to_strip(struct ag_strip *s, const struct rectangle *r, void *context) {
  const struct takeover *t = context;
  return ag_segments_copy(&s->rows, t->store, t->segment, r->first, r->end);
}

static int take_over(const struct ag_segment *segment, void *context) {
  struct takeover *t = context;
  struct ag_interval at = ag_segment_place(segment);
  struct rectangle r[3];
  unsigned n = rectangles_of(t->plane, at.lo, at.hi, r);
  int err = 0;
  t->segment = segment;
  for (unsigned i = 0; i < n && !err; ++i)
    err = each_strip(t->plane, t->store, &r[i], copy_to_strip, t);
  return err;
}

/* A plane for lo .. hi-1, which are in none: the one before it grows if it has the same rows, else it is a
 * new one. NULL: no memory. Records that could not be taken over stay in the line then. */
static struct ag_plane *make_plane(struct user *by, uintptr_t origin, size_t pitch, uintptr_t lo,
                                   uintptr_t hi) {
  struct ag_graph *graph = by->graph;
  struct ag_plane *p = (struct ag_plane *)(void *)ag_tree_before(&graph->planes, lo);
  if (!p || p->at.hi != lo || p->pitch != pitch || p->origin != origin) {
    p = ag_pool_take(&by->store->planes);
    if (!p)
      return NULL;
    p->at.lo = p->at.hi = lo;
    p->origin = origin;
    p->pitch = pitch;
    p->strips = (struct ag_tree){0};
    p->guess = NULL;
    ag_tree_add(&graph->planes, &p->at);
  }
  p->at.hi = hi;
  struct takeover t = {p, by->store, NULL};
  return ag_segments_take(&graph->line, by->store, lo, hi, take_over, &t) ? NULL : p;
}

/* --- Boxes ------------------------------------------------------------------------------------------------
 */

/* n blocks of bytes, pitch apart: rows of a plane, or rather what of them lies in lo .. hi-1. */
struct rows {
  uintptr_t first;
  size_t n, pitch, block;
};

/* Records the part of the rows that lies in lo .. hi-1, which are in plane p. */
static int use_rows_of(struct ag_plane *p, struct user *by, const struct rows *rows, uintptr_t lo,
                       uintptr_t hi) {
  uintptr_t from = lo > rows->first ? (lo - rows->first) / rows->pitch : 0; /* the first row may be cut */
  uintptr_t to = hi > rows->first ? (hi - 1 - rows->first) / rows->pitch + 1 : 0;
  to = least(to, rows->n);
  bool alike = p->pitch == rows->pitch;
  uintptr_t column = (rows->first - p->origin) % p->pitch;
  int err = 0;
  while (from < to && !err) {
    uintptr_t at = rows->first + from * rows->pitch, end = at + rows->block, last = to;
    bool whole = at >= lo && end <= hi;
    while (alike && last > from && rows->first + (last - 1) * rows->pitch + rows->block > hi)
      --last; /* the last row may be cut */
    if (alike && whole && column + rows->block <= p->pitch && last > from) {
      uintptr_t row = (at - p->origin) / p->pitch;
      struct rectangle r = {row, row + (last - from), column, column + rows->block};
      err = use_rectangle(p, by, &r);
      from = last;
    } else {
      if (most(at, lo) < least(end, hi))
        err = use_bytes_of(p, by, most(at, lo), least(end, hi));
      ++from;
    }
  }
  return err;
}

/* Where rows begin, modulo the pitch: as in a plane that is there already, for sections may begin with a
 * pointer into the array; else at its begin. */
static uintptr_t origin_of(const struct ag_graph *graph, const struct rows *rows, uintptr_t base) {
  const struct ag_plane *p = plane_behind(graph, rows->first);
  if (p && p->pitch == rows->pitch && p->at.lo - rows->first < rows->n * rows->pitch)
    return p->origin;
  if (p && p->pitch == rows->pitch && p->at.lo <= rows->first)
    return p->origin;
  p = (const struct ag_plane *)(const void *)ag_tree_before(&graph->planes, rows->first);
  return p && p->pitch == rows->pitch && rows->first - p->at.hi < rows->pitch ? p->origin
                                                                              : base % rows->pitch;
}

static int use_rows(struct user *by, const struct rows *rows, uintptr_t base) {
  uintptr_t lo = rows->first, hi = lo, pitch = rows->pitch;
  int err = 0;
  struct ag_plane *p = plane_behind(by->graph, lo);
  if (p && p->pitch == pitch && p->at.lo <= lo && lo + (rows->n - 1) * pitch + rows->block <= p->at.hi) {
    uintptr_t row = (lo - p->origin) / pitch, column = lo - p->origin - row * pitch;
    struct rectangle r = {row, row + rows->n, column, column + rows->block};
    return r.hi <= pitch ? use_rectangle(p, by, &r) : use_rows_of(p, by, rows, p->at.lo, p->at.hi);
  }
  if (lo < pitch || __builtin_add_overflow(lo, (rows->n + 1) * pitch, &hi)) { /* no room for whole rows */
    for (size_t i = 0; i < rows->n && !err; ++i)
      err = use_bytes(by, lo + i * pitch, lo + i * pitch + rows->block);
    return err;
  }
  uintptr_t origin = origin_of(by->graph, rows, base), column = (lo - origin) % pitch;
  lo -= column;
  hi = lo + (rows->n + (column + rows->block > pitch)) * pitch;
  p = plane_behind(by->graph, lo);
  while (lo < hi && !err) {
    bool inside = p && p->at.lo <= lo;
    uintptr_t end = least(hi, !p ? hi : inside ? p->at.hi : p->at.lo);
    if (!inside && !(p = make_plane(by, origin, pitch, lo, end)))
      return -ENOMEM;
    err = use_rows_of(p, by, rows, lo, end);
    p = next_plane(p);
    lo = end;
  }
  return err;
}

/* Planes without records are of memory that is used in other ways by now, or no more. */
void ag_planes_sweep(struct ag_graph *graph, struct ag_graph_store *store) {
  struct ag_plane *p = plane_behind(graph, 0), *next;
  graph->boxes = 0;
  for (; p; p = next) {
    bool any = false;
    next = next_plane(p);
    for (struct ag_strip *s = strip_behind(p, 0); s; s = next_strip(s)) {
      ag_segments_sweep(&s->rows, store);
      any |= s->rows.tree.count > 0;
    }
    if (any)
      continue;
    ag_tree_empty(&p->strips, &store->strips);
    ag_tree_remove(&graph->planes, &p->at);
    ag_pool_give(&store->planes, p);
  }
}

int ag_planes_use_box(struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                      const struct ag_box *box, const struct ag_use *use) {
  struct user by = {graph, store, u, *use};
  by.use.extent = box->n_dims == 1 ? AG_WHOLE : AG_EXACTLY;
  const struct ag_box_dim *inner = &box->dim[box->n_dims - 1];
  size_t blocks = 1;
  int err = 0;
  for (unsigned d = 0; d + 1 < box->n_dims; ++d)
    blocks *= box->dim[d].n;
  ++graph->boxes;
  if (graph->boxes > LOOK_EVERY && graph->boxes > store->strips.live)
    ag_planes_sweep(graph, store);
  for (size_t i = 0; i < blocks && !err; ++i) {
    struct rows rows = {ag_box_block(box, i * inner->n).lo, inner->n, inner->pitch, box->block};
    err = use_rows(&by, &rows, box->base);
  }
  return err;
}

/* --- The rest ---------------------------------------------------------------------------------------------
 */

/* The rows of a strip, of these columns only: to look at them. */
static struct ag_segments part_of(const struct ag_strip *s, const struct rectangle *r) {
  struct ag_segments rows = s->rows;
  rows.lattice.lo = most(s->at.lo, r->lo);
  rows.lattice.hi = least(s->at.hi, r->hi);
  return rows;
}

static int follow_in(const struct ag_plane *p, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                     uintptr_t hi, unsigned how) {
  struct rectangle r[3];
  unsigned n = rectangles_of(p, lo, hi, r);
  int err = 0;
  for (unsigned i = 0; i < n; ++i) {
    struct ag_interval rows = {r[i].first, r[i].end, 0, 0};
    for (struct ag_strip *s = strip_behind(p, r[i].lo); s && s->at.lo < r[i].hi && !err; s = next_strip(s)) {
      struct ag_segments part = part_of(s, &r[i]);
      err = ag_segments_follow(&part, store, u, &rows, 1, how);
    }
  }
  return err;
}

int ag_planes_follow(const struct ag_graph *graph, struct ag_graph_store *store, struct ag_unit *u,
                     const struct ag_interval *pieces, size_t n, unsigned how) {
  int err = ag_segments_follow(&graph->line, store, u, pieces, n, how);
  struct ag_plane *p = plane_behind(graph, pieces[0].lo);
  for (size_t k = 0; k < n && p && p->at.lo < pieces[n - 1].hi && !err; ++k) {
    for (; p && p->at.hi <= pieces[k].lo; p = plane_behind(graph, pieces[k].lo))
      ;
    for (struct ag_plane *in = p; in && in->at.lo < pieces[k].hi && !err; in = next_plane(in))
      err = follow_in(in, store, u, most(pieces[k].lo, in->at.lo), least(pieces[k].hi, in->at.hi), how);
  }
  return err;
}

int ag_planes_users(const struct ag_graph *graph, uintptr_t lo, uintptr_t hi, bool writers,
                    int (*each)(struct ag_unit *unit, void *context), void *context) {
  for (struct ag_plane *p = plane_behind(graph, lo); p && p->at.lo < hi; p = next_plane(p)) {
    struct rectangle r[3];
    unsigned n = rectangles_of(p, most(lo, p->at.lo), least(hi, p->at.hi), r);
    for (unsigned i = 0; i < n; ++i)
      for (struct ag_strip *s = strip_behind(p, r[i].lo); s && s->at.lo < r[i].hi; s = next_strip(s)) {
        struct ag_segments part = part_of(s, &r[i]);
        int err = ag_segments_users(&part, r[i].first, r[i].end, writers, each, context);
        if (err)
          return err;
      }
  }
  return 0;
}

int ag_planes_users_of_box(struct ag_graph *graph, const struct ag_box *box, unsigned section, bool writers,
                           int (*each)(struct ag_unit *unit, void *context), void *context) {
  const struct ag_box_dim *rows = &box->dim[box->n_dims - 1];
  uintptr_t lo = box->first, hi = lo + (rows->n - 1) * rows->pitch + box->block;
  struct ag_plane *p = plane_behind(graph, lo);
  if (box->n_dims > 1)
    return AG_TOO_MANY;
  if (!p || p->at.lo >= hi) /* then the line has all that is there */
    return ag_segments_users_near(&graph->line, section, lo, hi, writers, each, context);
  uintptr_t row = (lo - p->origin) / p->pitch, column = lo - p->origin - row * p->pitch;
  struct rectangle r = {row, row + rows->n, column, column + box->block};
  if (p->at.lo > lo || p->at.hi < hi || p->pitch != rows->pitch || r.hi > p->pitch)
    return AG_TOO_MANY;
  struct ag_strip *s = strip_of(p, r.lo);
  for (unsigned n = 0; s && s->at.lo < r.hi; s = next_strip(s)) {
    struct ag_segments part = part_of(s, &r);
    int err = ag_segments_users_near(&part, section, r.first, r.end, writers, each, context);
    if (err)
      return err;
    if (++n == MOST_STRIPS)
      return AG_TOO_MANY;
  }
  return 0;
}

void ag_planes_init(struct ag_graph_store *store) {
  ag_pool_init(&store->planes, sizeof(struct ag_plane), 0);
  ag_pool_init(&store->strips, sizeof(struct ag_strip), 0);
}

void ag_planes_clear(struct ag_graph *graph, struct ag_graph_store *store) {
  for (struct ag_plane *p = plane_behind(graph, 0); p; p = next_plane(p)) {
    for (struct ag_strip *s = strip_behind(p, 0); s; s = next_strip(s))
      ag_segments_clear(&s->rows, store);
    ag_tree_empty(&p->strips, &store->strips);
  }
  ag_tree_empty(&graph->planes, &store->planes);
  graph->boxes = 0;
}
