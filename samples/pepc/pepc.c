/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* pepc: a plasma of point charges, whose Coulomb forces are found by an octree (Barnes and Hut 1986), after
 * the Pretty Efficient Parallel Coulomb solver of Juelich.
 *
 * Each iteration of one loop walks the tree for one charge. Charges are never sorted: neighbours in memory
 * are strangers in space, and iterations differ in what they cost. Cells carry charge, dipole and quadrupole
 * moments.
 *
 * The serial program, any C11 compiler:      cc -O2 pepc.c ../common/[a-z]*.c -o pepc -lm
 * The agglomerated program, same sources:    agglomcc -O2 pepc.c ../common/[a-z]*.c -o pepc -lm
 *
 * Units: the ball of charges has radius 1, a charge is 1/N or -1/N and weighs 1/N, Coulomb's constant is 1.
 */
#include "../common/energies.h"
#include "../common/octree.h"
#include "../common/options.h"
#include "../common/output.h"
#include "../common/progress.h"
#include "../common/random.h"
#include "../common/verify.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* for compilers without agglom */

struct velocity {
  double x, y, z;
};

struct plasma {
  int n;
  struct source *charge; /* place and charge */
  struct velocity *velocity;
  struct field *field; /* at each charge, of all others */
  struct octree *tree;
};

struct options {
  long long charges, steps, bucket, sample, seed;
  double dt, theta, softening, temperature, max_error, max_drift, max_net_force;
  int time;
  const char *start, *series, *snapshot;
};

struct outcome {
  struct energies energies;
  double net_force; /* largest |sum of forces| / sum of |forces| */
  double seconds;
};

/* Says what is wrong on stderr; every failure of this program ends here. */
static int fail(int status, const char *sentence) {
  fprintf(stderr, "pepc: %s\n", sentence);
  return status;
}

/* ---- Forces ------------------------------------------------------------------------------------------ */

/* Adds what a body does at a place; nothing when it is there itself. */
static inline void feel_charge(struct field *f, const struct source *s, struct source at, double softening2) {
  double r[3] = {at.x - s->x, at.y - s->y, at.z - s->z}, g[4];
  double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (r2 > 0) {
    octree_plummer(r2, softening2, g);
    octree_feel_body(f, s->w, r, g);
  }
}

/* Walks the tree for the charge `at`. A cell acts as a whole where its size is less than theta times its
 * distance, whatever charge it has. */
static inline struct field feel_tree(const struct node *node, const struct cell *cell, int nodes,
                                     const int *order, const struct source *charge, struct source at,
                                     double theta2, double softening2) {
  struct field f = {0, 0, 0, 0};
  for (int k = 0; k < nodes;) {
    const struct node *v = &node[k];
    const struct cell *c = &cell[k];
    double r[3] = {at.x - c->x, at.y - c->y, at.z - c->z}, g[4];
    double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (v->size * v->size < theta2 * r2 && v->count > 2) {
      octree_plummer(r2, softening2, g);
      octree_feel_cell(&f, c, r, g);
      k = v->next;
    } else if (v->leaf) {
      for (int i = v->first; i < v->first + v->count; ++i)
        feel_charge(&f, &charge[order[i]], at, softening2);
      k = v->next;
    } else {
      ++k;
    }
  }
  return f;
}

/* The field at each charge. False without memory for the tree. */
static bool find_forces(struct plasma *p, const struct options *o) {
  if (!octree_build(p->tree, p->charge, p->n, (int)o->bucket))
    return false;
  const struct node *node = p->tree->node;
  const struct cell *cell = p->tree->cell;
  const struct source *charge = p->charge;
  const int *order = p->tree->order;
  struct field *field = p->field;
  int n = p->n, nodes = p->tree->nodes;
  double theta2 = o->theta * o->theta, softening2 = o->softening * o->softening;
#pragma omp parallel for schedule(dynamic)
#pragma agglom for schedule(auto) in(node[0:nodes], cell[0:nodes], order[0:n], charge[0:n]) out(field[i])
  for (int i = 0; i < n; ++i)
    field[i] = feel_tree(node, cell, nodes, order, charge, charge[i], theta2, softening2);
  return true;
}

/* The mean relative error of the field at a sample of the charges, compared with a sum over all. */
static double field_error(const struct plasma *p, const struct options *o) {
  int sample = o->sample < p->n ? (int)o->sample : p->n;
  double error = 0;
  for (int k = 0; k < sample; ++k) {
    int i = (int)((long long)k * p->n / sample);
    struct field f = {0, 0, 0, 0};
    for (int j = 0; j < p->n; ++j)
      feel_charge(&f, &p->charge[j], p->charge[i], o->softening * o->softening);
    double x = p->field[i].x - f.x, y = p->field[i].y - f.y, z = p->field[i].z - f.z;
    double wrong2 = x * x + y * y + z * z;
    error += wrong2 > 0 ? sqrt(wrong2 / (f.x * f.x + f.y * f.y + f.z * f.z)) / sample : 0;
  }
  return error;
}

/* ---- Steps: a leapfrog of kick, drift, kick ---------------------------------------------------------- */

static void kick(struct plasma *p, double dt) {
  for (int i = 0; i < p->n; ++i) {
    double by = dt * p->charge[i].w * p->n; /* charge by mass */
    p->velocity[i].x += by * p->field[i].x;
    p->velocity[i].y += by * p->field[i].y;
    p->velocity[i].z += by * p->field[i].z;
  }
}

static void drift(struct plasma *p, double dt) {
  for (int i = 0; i < p->n; ++i) {
    p->charge[i].x += dt * p->velocity[i].x;
    p->charge[i].y += dt * p->velocity[i].y;
    p->charge[i].z += dt * p->velocity[i].z;
  }
}

/* Adds what the state is now to the outcome, and a line to the series. False where it is not a number any
 * more. */
static bool look(const struct plasma *p, struct outcome *out, double time, FILE *series) {
  struct energy e = {0, 0};
  for (int i = 0; i < p->n; ++i) {
    double q = p->charge[i].w;
    const struct velocity *v = &p->velocity[i];
    e.kinetic += (v->x * v->x + v->y * v->y + v->z * v->z) / (2.0 * p->n);
    e.potential += q / 2 * p->field[i].potential;
  }
  bool finite = energies_add(&out->energies, e);
  double net = octree_net_force(p->charge, p->field, p->n);
  out->net_force = fmax(out->net_force, net);
  if (series) {
    fprintf(series, "%.17g,", time);
    energy_write(e, series);
    fprintf(series, ",%.3g\n", net);
  }
  return finite && isfinite(net);
}

/* steps + 1 evaluations of the forces: one for the initial state and one after each step. */
static int simulate(struct plasma *p, const struct options *o, FILE *series, struct outcome *out) {
  struct progress progress = progress_of("steps", o->steps);
  double begin = seconds_now();
  for (long long step = 0; step <= o->steps; ++step) {
    if (step > 0) {
      kick(p, o->dt / 2);
      drift(p, o->dt);
    }
    if (!find_forces(p, o)) {
      progress_end(&progress);
      return fail(1, "out of memory for the tree; choose fewer --charges.");
    }
    if (step > 0)
      kick(p, o->dt / 2);
    if (!look(p, out, (double)step * o->dt, series)) {
      progress_end(&progress);
      return fail(1, "the energy is not a number any more; choose a smaller --dt or a larger --softening.");
    }
    progress_at(&progress, step);
  }
  out->seconds = seconds_now() - begin;
  progress_end(&progress);
  return 0;
}

/* ---- The initial state ------------------------------------------------------------------------------- */

/* A place in the ball of radius 1. */
static struct source random_place(uint64_t *state, double q) {
  for (;;) {
    struct source s = {random_pm1(state), random_pm1(state), random_pm1(state), q};
    if (s.x * s.x + s.y * s.y + s.z * s.z < 1)
      return s;
  }
}

/* Charges of both signs by turns, with random velocities. `ball`: anywhere in it. `pairs`: each negative
 * charge is 0.001 away from the positive one before it, so that every cell with whole pairs is neutral. */
static void start(struct plasma *p, const struct options *o) {
  uint64_t state = (uint64_t)o->seed;
  double speed = sqrt(3 * o->temperature); /* uniform in [-speed, speed]: variance = temperature */
  for (int i = 0; i < p->n; ++i) {
    struct source *s = &p->charge[i];
    bool negative = i % 2;
    *s = random_place(&state, (negative ? -1.0 : 1.0) / p->n);
    if (negative && !strcmp(o->start, "pairs")) {
      double away = sqrt(s->x * s->x + s->y * s->y + s->z * s->z), by = 1e-3 / (away > 0 ? away : 1);
      *s = (struct source){s[-1].x + by * s->x, s[-1].y + by * s->y, s[-1].z + by * s->z, s->w};
    }
    p->velocity[i].x = speed * random_pm1(&state);
    p->velocity[i].y = speed * random_pm1(&state);
    p->velocity[i].z = speed * random_pm1(&state);
  }
}

/* ---- Output ------------------------------------------------------------------------------------------ */

static void write_snapshot(const struct plasma *p, FILE *to) {
  for (int i = 0; i < p->n; ++i)
    fprintf(to, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", p->charge[i].x, p->charge[i].y, p->charge[i].z,
            p->velocity[i].x, p->velocity[i].y, p->velocity[i].z, p->charge[i].w, p->field[i].potential);
}

static int report(const struct plasma *p, const struct options *o, const struct outcome *out) {
  struct verdict v = {.program = "pepc"};
  printf("%-16s %d\n", "charges", p->n);
  printf("%-16s %lld (%lld evaluations of the forces)\n", "steps", o->steps, o->steps + 1);
  printf("%-16s %d cells, %d leaves of %.1f charges\n", "last tree", p->tree->nodes, p->tree->leaves,
         (double)p->n / p->tree->leaves);
  energies_print(&out->energies);
  if (o->time)
    printf("%-16s %.3f\n", "seconds", out->seconds);
  if (o->sample)
    verify_at_most(&v, "force error", field_error(p, o), o->max_error,
                   "choose a smaller --theta, or a larger --max-error.");
  verify_at_most(&v, "energy drift", out->energies.drift, o->max_drift,
                 "choose a smaller --dt, a larger --softening or a larger --max-drift.");
  verify_at_most(&v, "net force", out->net_force, o->max_net_force,
                 "a tree does not conserve momentum exactly; choose a smaller --theta, or a larger "
                 "--max-net-force.");
  return verify_end(&v);
}

/* ---- The program ------------------------------------------------------------------------------------- */

static int run(const struct options *o) {
  struct octree tree = {0};
  struct plasma p = {.n = (int)o->charges, .tree = &tree};
  struct outcome out = {0};
  FILE *series = NULL, *snapshot = NULL;
  int status = 0;
  if (!output_open("pepc", o->series, "time,kinetic,potential,total,net_force", &series) ||
      !output_open("pepc", o->snapshot, "x,y,z,vx,vy,vz,charge,potential", &snapshot))
    status = 2;
  p.charge = calloc((size_t)p.n, sizeof *p.charge);
  p.velocity = calloc((size_t)p.n, sizeof *p.velocity);
  p.field = calloc((size_t)p.n, sizeof *p.field);
  if (!status && (!p.charge || !p.velocity || !p.field))
    status = fail(1, "out of memory for the charges; choose fewer --charges.");
  if (!status) {
    start(&p, o);
    status = simulate(&p, o, series, &out);
  }
  if (!status) {
    status = report(&p, o, &out);
    if (snapshot)
      write_snapshot(&p, snapshot);
  }
  bool written = output_close("pepc", o->series, series);
  written &= output_close("pepc", o->snapshot, snapshot);
  octree_free(&tree);
  free(p.charge);
  free(p.velocity);
  free(p.field);
  return status ? status : !written;
}

int main(int argc, char **argv) {
  struct options o = {.charges = 10000, .steps = 10, .bucket = 8, .sample = 50, .seed = 1, .start = "ball"};
  o.dt = 0.02, o.theta = 0.35, o.softening = 0.02, o.temperature = 0.01;
  o.max_error = 0.01, o.max_drift = 1e-3, o.max_net_force = 1e-3;
  const struct option table[] = {
      {"--charges", OPTION_INTEGER, &o.charges, 2, 1e8, NULL, "charges, of both signs by turns"},
      {"--start", OPTION_WORD, &o.start, 0, 0, "ball|pairs", "the initial state"},
      {"--steps", OPTION_INTEGER, &o.steps, 1, 1e9, NULL, "time steps"},
      {"--dt", OPTION_REAL, &o.dt, 1e-12, 1e3, NULL, "length of a time step"},
      {"--theta", OPTION_REAL, &o.theta, 0, 1, NULL, "opening angle; 0: no cell acts as a whole"},
      {"--bucket", OPTION_INTEGER, &o.bucket, 1, 4096, NULL, "most charges of a leaf of the tree"},
      {"--softening", OPTION_REAL, &o.softening, 0, 1e3, NULL, "Plummer's softening length"},
      {"--temperature", OPTION_REAL, &o.temperature, 0, 1e6, NULL, "mean square of each velocity component"},
      {"--seed", OPTION_INTEGER, &o.seed, 0, 9.2e18, NULL, "seed of the initial state"},
      {"--sample", OPTION_INTEGER, &o.sample, 0, 1e8, NULL,
       "charges whose force is compared with a sum over all"},
      {"--max-error", OPTION_REAL, &o.max_error, 0, 1e6, NULL, "largest mean relative error of their forces"},
      {"--max-drift", OPTION_REAL, &o.max_drift, 0, 1e6, NULL, "largest relative change of the energy"},
      {"--max-net-force", OPTION_REAL, &o.max_net_force, 0, 1, NULL,
       "largest sum of forces, by that of sizes"},
      {"--snapshot", OPTION_TEXT, &o.snapshot, 0, 0, NULL, "where the charges go at the end, as CSV"},
      {"--series", OPTION_TEXT, &o.series, 0, 0, NULL, "energies of all steps as CSV"},
      {"--time", OPTION_FLAG, &o.time, 0, 0, NULL, "print the seconds that the steps took"},
      {0}};
  int status = options_read("pepc", "A plasma of point charges, by an octree.", table, argc, argv);
  return status != OPTIONS_GO_ON ? status : run(&o);
}
