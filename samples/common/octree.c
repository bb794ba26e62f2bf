/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "octree.h"
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a coordinate in a key: 63 bits in all. */
enum { LEVELS = 21 };

struct key {
  uint64_t bits;
  int body;
};

struct octree_scratch {
  struct key *key, *other;
  double *weight; /* of each node, the sum of the sizes of its weights */
};

/* ---- Bodies along a space-filling curve -------------------------------------------------------------- */

/* The 21 bits of x at every third place. */
static uint64_t spread(uint64_t x) {
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

static uint64_t steps_from(double lo, double x, double scale) {
  double steps = (x - lo) * scale;
  return steps < (1 << LEVELS) ? (uint64_t)steps : (1 << LEVELS) - 1;
}

/* Morton's order: the bits of the three coordinates by turns. */
static void make_keys(struct key *key, const struct source *body, int n) {
  double lo[3] = {body->x, body->y, body->z}, hi[3] = {body->x, body->y, body->z};
  for (int i = 0; i < n; ++i) {
    const double at[3] = {body[i].x, body[i].y, body[i].z};
    for (int d = 0; d < 3; ++d) {
      lo[d] = fmin(lo[d], at[d]);
      hi[d] = fmax(hi[d], at[d]);
    }
  }
  double side = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
  double scale = side > 0 ? (1 << LEVELS) / side : 0;
  for (int i = 0; i < n; ++i) {
    key[i].bits = spread(steps_from(lo[0], body[i].x, scale)) << 2 |
                  spread(steps_from(lo[1], body[i].y, scale)) << 1 |
                  spread(steps_from(lo[2], body[i].z, scale));
    key[i].body = i;
  }
}

/* By radix, byte by byte: equal keys stay in the order of the bodies. The result is in *key. */
static void sort_keys(struct key **key, struct key **other, int n) {
  for (int shift = 0; shift < 64; shift += 8) {
    int begin[257] = {0};
    for (int i = 0; i < n; ++i)
      begin[((*key)[i].bits >> shift & 255) + 1]++;
    for (int b = 0; b < 256; ++b)
      begin[b + 1] += begin[b];
    for (int i = 0; i < n; ++i)
      (*other)[begin[(*key)[i].bits >> shift & 255]++] = (*key)[i];
    struct key *swap = *key;
    *key = *other;
    *other = swap;
  }
}

/* ---- Cells ------------------------------------------------------------------------------------------- */

static void add_moments(struct cell *c, const struct cell *part) {
  double t[3] = {part->x - c->x, part->y - c->y, part->z - c->z};
  c->w += part->w;
  for (int i = 0, k = 0; i < 3; ++i) {
    c->d[i] += part->d[i] + part->w * t[i];
    for (int j = i; j < 3; ++j, ++k)
      c->q[k] += part->q[k] + t[i] * part->d[j] + part->d[i] * t[j] + part->w * t[i] * t[j];
  }
}

static double distance_to(const struct cell *c, double x, double y, double z) {
  return sqrt((x - c->x) * (x - c->x) + (y - c->y) * (y - c->y) + (z - c->z) * (z - c->z));
}

static void widen(struct node *v, const double lo[3], const double hi[3]) {
  for (int d = 0; d < 3; ++d) {
    v->lo[d] = fmin(v->lo[d], lo[d]);
    v->hi[d] = fmax(v->hi[d], hi[d]);
  }
}

/* Puts the centre at the mean place, or in the middle of the box where nothing has a weight. */
static void set_centre(struct cell *c, const struct node *v, const double sum[3], double weight) {
  c->x = weight > 0 ? sum[0] / weight : (v->lo[0] + v->hi[0]) / 2;
  c->y = weight > 0 ? sum[1] / weight : (v->lo[1] + v->hi[1]) / 2;
  c->z = weight > 0 ? sum[2] / weight : (v->lo[2] + v->hi[2]) / 2;
}

static void sum_up_leaf(struct octree *t, int at, const struct source *body) {
  struct node *v = &t->node[at];
  struct cell *c = &t->cell[at];
  double sum[3] = {0, 0, 0}, weight = 0, farthest = 0;
  for (int k = v->first; k < v->first + v->count; ++k) {
    const struct source *s = &body[t->order[k]];
    const double place[3] = {s->x, s->y, s->z};
    widen(v, place, place);
    weight += fabs(s->w);
    for (int d = 0; d < 3; ++d)
      sum[d] += fabs(s->w) * place[d];
  }
  set_centre(c, v, sum, weight);
  for (int k = v->first; k < v->first + v->count; ++k) {
    const struct source *s = &body[t->order[k]];
    add_moments(c, &(struct cell){.x = s->x, .y = s->y, .z = s->z, .w = s->w});
    farthest = fmax(farthest, distance_to(c, s->x, s->y, s->z));
  }
  t->scratch->weight[at] = weight;
  v->size = 2 / sqrt(3) * farthest;
}

static void sum_up_children(struct octree *t, int at) {
  struct node *v = &t->node[at];
  struct cell *c = &t->cell[at];
  double sum[3] = {0, 0, 0}, weight = 0, farthest = 0;
  for (int k = at + 1; k < v->next; k = t->node[k].next) {
    double w = t->scratch->weight[k];
    widen(v, t->node[k].lo, t->node[k].hi);
    weight += w;
    sum[0] += w * t->cell[k].x;
    sum[1] += w * t->cell[k].y;
    sum[2] += w * t->cell[k].z;
  }
  set_centre(c, v, sum, weight);
  for (int k = at + 1; k < v->next; k = t->node[k].next) {
    const struct cell *part = &t->cell[k];
    add_moments(c, part);
    farthest = fmax(farthest, distance_to(c, part->x, part->y, part->z) + sqrt(3) / 2 * t->node[k].size);
  }
  t->scratch->weight[at] = weight;
  v->size = 2 / sqrt(3) * farthest;
}

/* Makes the node of some consecutive bodies whose keys agree above bit `shift` + 3, and all below it. */
static void grow(struct octree *t, const struct source *body, int first, int count, int bucket, int shift) {
  const struct key *key = t->scratch->key + first;
  int at = t->nodes++;
  t->node[at] = (struct node){.lo = {INFINITY, INFINITY, INFINITY},
                              .hi = {-INFINITY, -INFINITY, -INFINITY},
                              .first = first,
                              .count = count};
  t->cell[at] = (struct cell){0};
  /* A level that does not part them makes no cell: each cell that is no leaf has two children or more. */
  while (shift >= 0 && key[0].bits >> shift == key[count - 1].bits >> shift)
    shift -= 3;
  if (count <= bucket || shift < 0) {
    t->node[at].leaf = 1;
    t->node[at].next = t->nodes;
    t->leaf[t->leaves++] = at;
    sum_up_leaf(t, at, body);
    return;
  }
  for (int begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && key[end].bits >> shift == key[begin].bits >> shift)
      ++end;
    grow(t, body, first + begin, end - begin, bucket, shift - 3);
  }
  t->node[at].next = t->nodes;
  sum_up_children(t, at);
}

static bool reserve(struct octree *t, int n) {
  if (n <= t->room)
    return true;
  octree_free(t);
  size_t bodies = (size_t)n, nodes = 2 * bodies;
  t->node = malloc(nodes * sizeof *t->node);
  t->cell = malloc(nodes * sizeof *t->cell);
  t->order = malloc(bodies * sizeof *t->order);
  t->leaf = malloc(bodies * sizeof *t->leaf);
  t->scratch = calloc(1, sizeof *t->scratch);
  if (t->scratch) {
    t->scratch->key = malloc(bodies * sizeof *t->scratch->key);
    t->scratch->other = malloc(bodies * sizeof *t->scratch->other);
    t->scratch->weight = malloc(nodes * sizeof *t->scratch->weight);
  }
  if (!t->node || !t->cell || !t->order || !t->leaf || !t->scratch || !t->scratch->key ||
      !t->scratch->other || !t->scratch->weight) {
    octree_free(t);
    return false;
  }
  t->room = n;
  return true;
}

bool octree_build(struct octree *t, const struct source *body, int n, int bucket) {
  if (!reserve(t, n))
    return false;
  t->bodies = n;
  t->nodes = t->leaves = 0;
  make_keys(t->scratch->key, body, n);
  sort_keys(&t->scratch->key, &t->scratch->other, n);
  for (int i = 0; i < n; ++i)
    t->order[i] = t->scratch->key[i].body;
  grow(t, body, 0, n, bucket, 3 * LEVELS - 3);
  return true;
}

void octree_sorted(struct octree *t) {
  for (int i = 0; i < t->bodies; ++i)
    t->order[i] = i;
}

void octree_free(struct octree *t) {
  free(t->node);
  free(t->cell);
  free(t->order);
  free(t->leaf);
  if (t->scratch) {
    free(t->scratch->key);
    free(t->scratch->other);
    free(t->scratch->weight);
  }
  free(t->scratch);
  memset(t, 0, sizeof *t);
}

/* ---- Walks ------------------------------------------------------------------------------------------- */

void interactions_add(struct interactions *list, int index, int image) {
  if (list->n == list->room) {
    if (list->room > INT_MAX / 2) {
      list->failed = true;
      return;
    }
    int room = list->room < 1024 ? 1024 : list->room + list->room / 2;
    int *more_index = realloc(list->index, (size_t)room * sizeof *more_index);
    if (more_index)
      list->index = more_index;
    unsigned char *more_image = realloc(list->image, (size_t)room * sizeof *more_image);
    if (more_image)
      list->image = more_image;
    if (!more_index || !more_image) {
      list->failed = true;
      return;
    }
    list->room = room;
  }
  list->index[list->n] = index;
  list->image[list->n++] = (unsigned char)image;
}

void interactions_free(struct interactions *list) {
  free(list->index);
  free(list->image);
  memset(list, 0, sizeof *list);
}

static double gap(double lo, double hi, double other_lo, double other_hi) {
  return other_lo > hi ? other_lo - hi : lo > other_hi ? lo - other_hi : 0;
}

void octree_walk(const struct octree *t, int target, const double shift[3], int image, struct opening how,
                 struct interactions *cells, struct interactions *bodies) {
  double lo[3], hi[3]; /* the target, as the tree sees it */
  for (int d = 0; d < 3; ++d) {
    lo[d] = t->node[target].lo[d] - shift[d];
    hi[d] = t->node[target].hi[d] - shift[d];
  }
  double theta2 = how.theta * how.theta, reach2 = how.reach * how.reach;
  for (int at = 0; at < t->nodes;) {
    const struct node *v = &t->node[at];
    const struct cell *c = &t->cell[at];
    if (how.reach < INFINITY) {
      double x = gap(lo[0], hi[0], v->lo[0], v->hi[0]), y = gap(lo[1], hi[1], v->lo[1], v->hi[1]),
             z = gap(lo[2], hi[2], v->lo[2], v->hi[2]);
      if (x * x + y * y + z * z > reach2) {
        at = v->next;
        continue;
      }
    }
    double x = gap(lo[0], hi[0], c->x, c->x), y = gap(lo[1], hi[1], c->y, c->y),
           z = gap(lo[2], hi[2], c->z, c->z);
    bool far = v->size * v->size < theta2 * (x * x + y * y + z * z);
    if (far && v->count > 2) { /* one or two bodies are less work than their moments */
      interactions_add(cells, at, image);
      at = v->next;
    } else if (v->leaf) {
      for (int k = v->first; k < v->first + v->count; ++k)
        interactions_add(bodies, t->order[k], image);
      at = v->next;
    } else {
      ++at;
    }
  }
}

double octree_net_force(const struct source *body, const struct field *field, int n) {
  double net[3] = {0, 0, 0}, all = 0;
  for (int i = 0; i < n; ++i) {
    double w = body[i].w;
    const struct field *f = &field[i];
    net[0] += w * f->x, net[1] += w * f->y, net[2] += w * f->z;
    all += fabs(w) * sqrt(f->x * f->x + f->y * f->y + f->z * f->z);
  }
  return sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]) / (all > 0 ? all : 1);
}
