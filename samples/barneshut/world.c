/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The work units of barneshut and what submits them. A step builds the tree; tree pieces, each some buckets,
 * walk it and submit a unit for each bucket with what its bodies interact with. In a periodic world there are
 * besides units that sum waves over bodies, and one for each bucket that adds what the waves do to its
 * bodies. */
#include "world.h"
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* for compilers without agglom */

enum { IMAGES = 27, PIECE = 32, GROUP = 512 }; /* buckets of a piece; bodies of a unit that sums waves */

/* A part of a list of interactions. */
struct list {
  const int *index;
  const unsigned char *image;
  int n;
};

/* The law of force. With alpha 0 it is Newton's. */
struct law {
  double softening2, alpha;
};

struct shift {
  double by[3];
};

/* Some buckets, and what a walk for each of them has found. */
struct piece {
  const struct world *world;
  int first, count;
  struct interactions cells, bodies;
};

struct world_scratch {
  struct shift shift[IMAGES]; /* of the periodic images; the first one is none */
  struct piece *piece;
  int pieces;
  struct field *force; /* in the order of the tree */
  struct world sorted; /* where bodies go when they are sorted */
  double *sum, *sums;  /* over waves: of all bodies, and of each group of them */
};

/* ---- The work units ---------------------------------------------------------------------------------- */

static inline void radial(double r2, struct law law, double g[4]) {
  if (law.alpha > 0)
    ewald_screened(r2, law.softening2, law.alpha, g);
  else
    octree_plummer(r2, law.softening2, g);
}

/* What the cells and bodies of two lists do at one place. */
static inline struct field feel(const struct cell *cell, const struct source *body, struct list cells,
                                struct list bodies, const struct shift *shift, struct source at,
                                struct law law) {
  struct field f = {0, 0, 0, 0};
  double g[4];
  for (int k = 0; k < cells.n; ++k) {
    const struct cell *c = &cell[cells.index[k]];
    const double *by = shift[cells.image[k]].by;
    double r[3] = {at.x - by[0] - c->x, at.y - by[1] - c->y, at.z - by[2] - c->z};
    radial(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], law, g);
    octree_feel_cell(&f, c, r, g);
  }
  for (int k = 0; k < bodies.n; ++k) {
    const struct source *b = &body[bodies.index[k]];
    const double *by = shift[bodies.image[k]].by;
    double r[3] = {at.x - by[0] - b->x, at.y - by[1] - b->y, at.z - by[2] - b->z};
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (r2 > 0) { /* 0: the body itself */
      radial(r2, law, g);
      octree_feel_body(&f, b->w, r, g);
    }
  }
  return f;
}

/* The forces on the bodies of one bucket by its lists, which index all cells and all bodies. */
/* clang-format off */
#pragma agglom task in(cell[0:all_cells], body[0:all_bodies], shift[0:IMAGES], target[0:n]) \
    in(cells.index[0:cells.n], cells.image[0:cells.n], bodies.index[0:bodies.n], bodies.image[0:bodies.n]) \
    out(force[0:n]) independent cost((long)n * (cells.n + bodies.n))
/* clang-format on */
static void attract(const struct cell *cell, int all_cells, const struct source *body, int all_bodies,
                    struct list cells, struct list bodies, const struct shift *shift, const int *target,
                    int n, struct law law, struct field *force) {
  (void)all_cells, (void)all_bodies;
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    force[i] = feel(cell, body, cells, bodies, shift, body[target[i]], law);
}

/* The same with sections that name what the lists name and no more: a gather. A bucket's own bodies are in
 * its list. */
/* clang-format off */
#pragma agglom task in(cell[cells.index[0:cells.n]], body[bodies.index[0:bodies.n]], shift[0:IMAGES], target[0:n]) \
    in(cells.index[0:cells.n], cells.image[0:cells.n], bodies.index[0:bodies.n], bodies.image[0:bodies.n]) \
    out(force[0:n]) independent cost((long)n * (cells.n + bodies.n))
/* clang-format on */
static void attract_gathered(const struct cell *cell, const struct source *body, struct list cells,
                             struct list bodies, const struct shift *shift, const int *target, int n,
                             struct law law, struct field *force) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    force[i] = feel(cell, body, cells, bodies, shift, body[target[i]], law);
}

/* The sums of a group of bodies over all waves. */
#pragma agglom task in(row[0:rows], body[0:n]) out(sum[0:2 * waves]) independent
static void sum_waves(const struct wave_row *row, int rows, int waves, double wave, const struct source *body,
                      int n, double *sum) {
  (void)waves;
#pragma agglom loop
  for (int r = 0; r < rows; ++r) {
    for (int k = 2 * row[r].first; k < 2 * (row[r].first + row[r].count); ++k)
      sum[k] = 0;
    for (int i = 0; i < n; ++i)
      ewald_add_to_row(&row[r], wave, body[i], sum);
  }
}

/* Adds what the waves of all bodies do to those of one bucket. */
/* clang-format off */
#pragma agglom task in(row[0:rows], strength[0:waves], sum[0:2 * waves], target[0:n], body[0:all_bodies]) \
    inout(force[0:n]) independent
/* clang-format on */
static void feel_waves(const struct wave_row *row, int rows, int waves, double wave, const double *strength,
                       const double *sum, const struct source *body, int all_bodies, const int *target, int n,
                       struct field *force) {
  (void)waves, (void)all_bodies;
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    struct field f = force[i];
    ewald_feel_waves(&f, row, rows, wave, strength, sum, body[target[i]]);
    force[i] = f;
  }
}

/* ---- What submits them ------------------------------------------------------------------------------- */

static struct list part(const struct interactions *all, int from, int to) {
  return (struct list){all->index + from, all->image + from, to - from};
}

/* Walks the tree for the buckets of a piece, then submits their units: before, the lists may still move. */
#pragma agglom task device(cpu) independent
static void walk(struct piece *p) {
  const struct world *w = p->world;
  const struct octree *t = &w->tree;
  int images = w->ewald.side > 0 ? IMAGES : 1, cells_end[PIECE + 1] = {0}, bodies_end[PIECE + 1] = {0};
  struct opening how = {w->theta, w->ewald.side > 0 ? w->ewald.reach : INFINITY};
  p->cells.n = p->bodies.n = 0;
  for (int b = 0; b < p->count; ++b) {
    for (int k = 0; k < images; ++k)
      octree_walk(t, t->leaf[p->first + b], w->scratch->shift[k].by, k, how, &p->cells, &p->bodies);
    cells_end[b + 1] = p->cells.n;
    bodies_end[b + 1] = p->bodies.n;
  }
  if (p->cells.failed || p->bodies.failed)
    return;
  struct law law = {w->softening * w->softening, w->ewald.alpha};
  for (int b = 0; b < p->count; ++b) {
    const struct node *v = &t->node[t->leaf[p->first + b]];
    struct list cells = part(&p->cells, cells_end[b], cells_end[b + 1]);
    struct list bodies = part(&p->bodies, bodies_end[b], bodies_end[b + 1]);
    const int *target = t->order + v->first;
    struct field *force = w->scratch->force + v->first;
    if (w->gather)
      attract_gathered(t->cell, w->source, cells, bodies, w->scratch->shift, target, v->count, law, force);
    else
      attract(t->cell, t->nodes, w->source, w->n, cells, bodies, w->scratch->shift, target, v->count, law,
              force);
  }
}

static int groups_of(const struct world *w) { return (w->n + GROUP - 1) / GROUP; }

/* Where a group of bodies has its sums over all waves. */
static double *sums_of(const struct world *w, int group) {
  return w->scratch->sums + 2 * (size_t)w->ewald.waves * (size_t)group;
}

/* Submits units that sum waves, one for each group of bodies. */
static void submit_wave_sums(const struct world *w) {
  const struct ewald *e = &w->ewald;
  double wave = ewald_wave(e);
#pragma omp parallel for schedule(dynamic)
  for (int g = 0; g < groups_of(w); ++g) {
    int first = g * GROUP, n = w->n - first < GROUP ? w->n - first : GROUP;
    sum_waves(e->row, e->rows, e->waves, wave, w->source + first, n, sums_of(w, g));
  }
}

/* Adds up what these units have found, in the order of the groups, and what it does to all bodies. */
static void feel_all_waves(const struct world *w) {
  const struct ewald *e = &w->ewald;
  double wave = ewald_wave(e), *sum = w->scratch->sum;
  memset(sum, 0, 2 * (size_t)e->waves * sizeof *sum);
  for (int g = 0; g < groups_of(w); ++g)
    for (int k = 0; k < 2 * e->waves; ++k)
      sum[k] += sums_of(w, g)[k];
#pragma omp parallel for schedule(dynamic)
  for (int b = 0; b < w->tree.leaves; ++b) {
    const struct node *v = &w->tree.node[w->tree.leaf[b]];
    feel_waves(e->row, e->rows, e->waves, wave, e->strength, sum, w->source, w->n, w->tree.order + v->first,
               v->count, w->scratch->force + v->first);
  }
#pragma agglom wait
}

/* Has the pieces walk the tree and the units done that they submit. False without memory for the lists. */
static bool walk_all(struct world *w) {
  struct piece *piece = w->scratch->piece;
  int leaves = w->tree.leaves, pieces = (leaves + PIECE - 1) / PIECE;
  for (int p = 0; p < pieces; ++p) {
    piece[p].world = w;
    piece[p].first = p * PIECE;
    piece[p].count = leaves - p * PIECE < PIECE ? leaves - p * PIECE : PIECE;
  }
#pragma omp parallel for schedule(dynamic)
  for (int p = 0; p < pieces; ++p)
    walk(&piece[p]);
#pragma agglom wait
  w->with_cells = w->with_bodies = 0;
  for (int p = 0; p < pieces; ++p) {
    if (piece[p].cells.failed || piece[p].bodies.failed)
      return false;
    w->with_cells += piece[p].cells.n;
    w->with_bodies += piece[p].bodies.n;
  }
  return true;
}

/* Puts the bodies into the order of the tree. */
static void sort_bodies(struct world *w) {
  struct world *to = &w->scratch->sorted;
  for (int k = 0; k < w->n; ++k) {
    int i = w->tree.order[k];
    to->source[k] = w->source[i];
    to->velocity[k] = w->velocity[i];
    to->id[k] = w->id[i];
  }
  struct world from = *w;
  w->source = to->source, w->velocity = to->velocity, w->id = to->id;
  to->source = from.source, to->velocity = from.velocity, to->id = from.id;
  octree_sorted(&w->tree);
}

/* What a periodic world has besides: images, and sums over waves. False without memory. */
static bool make_periodic(struct world *w) {
  struct world_scratch *s = w->scratch;
  size_t numbers = 2 * (size_t)w->ewald.waves;
  s->sum = malloc(numbers * sizeof *s->sum);
  s->sums = malloc((size_t)groups_of(w) * numbers * sizeof *s->sums);
  for (int k = 1; k < IMAGES; ++k) /* image 0 is the cube itself */
    for (int d = 0, digits = k <= 13 ? k - 1 : k; d < 3; ++d, digits /= 3)
      s->shift[k].by[d] = (digits % 3 - 1) * w->ewald.side;
  return s->sum && s->sums;
}

bool world_forces(struct world *w) {
  struct octree *t = &w->tree;
  bool periodic = w->ewald.side > 0;
  if (periodic && !w->scratch->sum && !make_periodic(w))
    return false;
  if (!octree_build(t, w->source, w->n, w->bucket))
    return false;
  if (w->sorted)
    sort_bodies(w);
  if (periodic)
    submit_wave_sums(w);
  if (!walk_all(w))
    return false;
  if (periodic)
    feel_all_waves(w);
  double all = 0;
  for (int i = 0; i < w->n; ++i)
    all += w->source[i].w;
  for (int k = 0; k < w->n; ++k) {
    int i = t->order[k];
    w->field[i] = w->scratch->force[k];
    if (periodic)
      w->field[i].potential -= ewald_own_potential(&w->ewald, w->source[i].w, all);
  }
  w->units = t->leaves + (periodic ? t->leaves + groups_of(w) : 0);
  return true;
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

bool world_reserve(struct world *w, int n) {
  size_t bodies = (size_t)n, pieces = (bodies + PIECE - 1) / PIECE;
  w->n = n;
  w->source = calloc(bodies, sizeof *w->source);
  w->velocity = calloc(bodies, sizeof *w->velocity);
  w->id = calloc(bodies, sizeof *w->id);
  w->field = calloc(bodies, sizeof *w->field);
  w->scratch = calloc(1, sizeof *w->scratch);
  if (!w->source || !w->velocity || !w->id || !w->field || !w->scratch)
    return false;
  struct world_scratch *s = w->scratch;
  s->piece = calloc(pieces, sizeof *s->piece);
  s->pieces = (int)pieces;
  s->force = calloc(bodies, sizeof *s->force);
  s->sorted.source = calloc(bodies, sizeof *w->source);
  s->sorted.velocity = calloc(bodies, sizeof *w->velocity);
  s->sorted.id = calloc(bodies, sizeof *w->id);
  for (int i = 0; i < n; ++i)
    w->id[i] = i;
  return s->piece && s->force && s->sorted.source && s->sorted.velocity && s->sorted.id;
}

static void free_bodies(struct world *w) {
  free(w->source);
  free(w->velocity);
  free(w->id);
  free(w->field);
}

void world_free(struct world *w) {
  struct world_scratch *s = w->scratch;
  free_bodies(w);
  octree_free(&w->tree);
  ewald_free(&w->ewald);
  if (s) {
    for (int p = 0; s->piece && p < s->pieces; ++p) {
      interactions_free(&s->piece[p].cells);
      interactions_free(&s->piece[p].bodies);
    }
    free_bodies(&s->sorted);
    free(s->piece);
    free(s->force);
    free(s->sum);
    free(s->sums);
  }
  free(s);
  memset(w, 0, sizeof *w);
}
