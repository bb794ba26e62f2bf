/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An octree over bodies (Barnes and Hut 1986) whose cells carry moments up to the quadrupole, for forces that
 * fall off as 1/r^2. Weights are masses, or charges of either sign: a cell is expanded about the mean place
 * of its bodies, each counted by the size of its weight, so a neutral cell has a centre like any other, and
 * whether it is far enough away is asked of its size alone. */
#ifndef SAMPLES_OCTREE_H
#define SAMPLES_OCTREE_H

#include <math.h>
#include <stdbool.h>

/* A body as others feel it. */
struct source {
  double x, y, z;
  double w;
};

/* The moments of a cell about (x, y, z): the sums of w, of w r and of w r r (xx, xy, xz, yy, yz, zz). */
struct cell {
  double x, y, z;
  double w, d[3], q[6];
};

/* What a tree walk has to know of a cell. The cells lie in the order of a walk that opens all: a cell's first
 * child is the one behind it, and `next` is the first one behind all that is in it. */
struct node {
  double lo[3], hi[3]; /* the box of its bodies */
  double size;         /* side of a cube whose corners are as far from the centre as the farthest body */
  int next;
  int first, count; /* its bodies: order[first] .. order[first + count - 1] */
  int leaf;         /* has it no children? */
};

struct octree {
  int bodies, nodes, leaves;
  struct node *node;
  struct cell *cell; /* of each node, its moments */
  int *order;        /* the bodies along a space-filling curve, so that each node's are consecutive */
  int *leaf;         /* the nodes that are leaves: the buckets */
  struct octree_scratch *scratch;
  int room;
};

/* Builds the tree of n bodies, all with finite positions, n at least 1. Leaves have at most `bucket` bodies,
 * but for those that lie in the same place to 1 in 2,000,000 of the whole. False without memory. A tree
 * begins as {0} and may be built again. */
bool octree_build(struct octree *t, const struct source *body, int n, int bucket);

/* To be called when the bodies have been sorted by `order`, which then is 0, 1, 2, ... */
void octree_sorted(struct octree *t);

void octree_free(struct octree *t);

/* A list of interactions that grows: what, and in which periodic image. */
struct interactions {
  int *index;
  unsigned char *image;
  int n, room;
  bool failed; /* without memory */
};

void interactions_add(struct interactions *list, int index, int image);
void interactions_free(struct interactions *list);

/* How a walk decides. A cell acts as a whole where its size is less than theta times the distance between its
 * centre and the nearest point of the target's box. What is farther than `reach` does not act at all. */
struct opening {
  double theta, reach;
};

/* Appends what acts on the bodies of node `target` when the tree is seen displaced by shift: numbers of
 * cells, and numbers of bodies, in the order of the tree. The target's own bodies are among them. */
void octree_walk(const struct octree *t, int target, const double shift[3], int image, struct opening how,
                 struct interactions *cells, struct interactions *bodies);

struct field;

/* |sum of w F| / sum of |w F| over n bodies: what a tree leaves of the third law. 0 without any force. */
double octree_net_force(const struct source *body, const struct field *field, int n);

/* ---- What a source does at a place ------------------------------------------------------------------- */

/* Sums over sources of w g0(R) and of w g1(R) R, where R leads from the source to the place: potential and
 * field of charges, and those of masses with the sign changed. */
struct field {
  double x, y, z;
  double potential;
};

/* 1/r with Plummer's softening and its derivatives: g[k+1] = -(dg[k]/dr) / r. */
static inline void octree_plummer(double r2, double softening2, double g[4]) {
  double s = 1 / (r2 + softening2);
  g[0] = sqrt(s);
  g[1] = g[0] * s;
  g[2] = 3 * g[1] * s;
  g[3] = 5 * g[2] * s;
}

static inline void octree_feel_body(struct field *f, double w, const double r[3], const double g[4]) {
  f->potential += w * g[0];
  f->x += w * g[1] * r[0];
  f->y += w * g[1] * r[1];
  f->z += w * g[1] * r[2];
}

static inline void octree_feel_cell(struct field *f, const struct cell *c, const double r[3],
                                    const double g[4]) {
  double qx = c->q[0] * r[0] + c->q[1] * r[1] + c->q[2] * r[2];
  double qy = c->q[1] * r[0] + c->q[3] * r[1] + c->q[4] * r[2];
  double qz = c->q[2] * r[0] + c->q[4] * r[1] + c->q[5] * r[2];
  double rqr = r[0] * qx + r[1] * qy + r[2] * qz, trace = c->q[0] + c->q[3] + c->q[5];
  double dr = c->d[0] * r[0] + c->d[1] * r[1] + c->d[2] * r[2];
  double along = c->w * g[1] + (dr - trace / 2) * g[2] + rqr / 2 * g[3];
  f->potential += c->w * g[0] + (dr - trace / 2) * g[1] + rqr / 2 * g[2];
  f->x += along * r[0] - c->d[0] * g[1] - qx * g[2];
  f->y += along * r[1] - c->d[1] * g[1] - qy * g[2];
  f->z += along * r[2] - c->d[2] * g[1] - qz * g[2];
}

#endif
