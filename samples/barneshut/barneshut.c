/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* barneshut: gravity of many bodies by an octree (Barnes and Hut 1986), also in a periodic cube (Ewald 1921).
 *
 * The leaves of the tree are buckets of some bodies. For each bucket the host walks the tree and lists the
 * cells and bodies that it interacts with; a work unit computes the forces on the bucket from its lists.
 * README.md has more.
 *
 * The serial program, any C11 compiler:      cc -O2 *.c ../common/[a-z]*.c -o barneshut -lm
 * The agglomerated program, same sources:    agglomcc -O2 *.c ../common/[a-z]*.c -o barneshut -lm
 *
 * G is 1. Bodies move by a leapfrog of kick, drift, kick. */
#include "../common/energies.h"
#include "../common/options.h"
#include "../common/output.h"
#include "../common/progress.h"
#include "exact.h"
#include "start.h"
#include "tipsy.h"
#include <stdio.h>
#include <string.h>

struct options {
  long long bodies, plummer, uniform, steps, bucket, sample, seed;
  double dt, theta, softening, side, max_error, max_drift, max_net_force;
  int unsorted, gather, time, selftest;
  const char *input, *output, *series, *snapshot;
};

struct outcome {
  struct energies energies;
  double net_force; /* largest |sum of forces| / sum of |forces| */
  double seconds;
  long long units, with_cells, with_bodies;
};

/* Says what is wrong on stderr; every failure of this program ends here. */
static int fail(int status, const char *sentence) {
  fprintf(stderr, "barneshut: %s\n", sentence);
  return status;
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

static void kick(struct world *w, double dt) {
  for (int i = 0; i < w->n; ++i) {
    w->velocity[i].x -= dt * w->field[i].x;
    w->velocity[i].y -= dt * w->field[i].y;
    w->velocity[i].z -= dt * w->field[i].z;
  }
}

static void drift(struct world *w, double dt) {
  for (int i = 0; i < w->n; ++i) {
    w->source[i].x += dt * w->velocity[i].x;
    w->source[i].y += dt * w->velocity[i].y;
    w->source[i].z += dt * w->velocity[i].z;
  }
}

/* Takes a coordinate back into the cube. False where it is more than a cube outside, or not a number. */
static bool wrap(double *x, double side) {
  if (!(fabs(*x) < 1.5 * side))
    return false;
  if (*x >= side / 2)
    *x -= side;
  else if (*x < -side / 2)
    *x += side;
  return true;
}

static bool wrap_all(struct world *w) {
  for (int i = 0; i < w->n; ++i)
    if (!wrap(&w->source[i].x, w->ewald.side) || !wrap(&w->source[i].y, w->ewald.side) ||
        !wrap(&w->source[i].z, w->ewald.side))
      return false;
  return true;
}

/* Adds what the state is now to the outcome, and a line to the series. False where it is not a number any
 * more. */
static bool look(const struct world *w, struct outcome *out, double time, FILE *series) {
  struct energy e = {0, 0};
  for (int i = 0; i < w->n; ++i) {
    double m = w->source[i].w;
    const struct velocity *v = &w->velocity[i];
    e.kinetic += m / 2 * (v->x * v->x + v->y * v->y + v->z * v->z);
    e.potential -= m / 2 * w->field[i].potential;
  }
  bool finite = energies_add(&out->energies, e);
  double net = octree_net_force(w->source, w->field, w->n);
  out->net_force = fmax(out->net_force, net);
  out->units += w->units;
  out->with_cells += w->with_cells;
  out->with_bodies += w->with_bodies;
  if (series) {
    fprintf(series, "%.17g,", time);
    energy_write(e, series);
    fprintf(series, ",%.3g\n", net);
  }
  return finite && isfinite(net);
}

static const char no_memory[] =
    "out of memory for the tree or the lists of interactions; choose fewer bodies.";

/* steps + 1 evaluations of the forces: one for the initial state and one after each step. */
static int simulate(struct world *w, const struct options *o, FILE *series, struct outcome *out) {
  struct progress progress = progress_of("steps", o->steps);
  double begin = seconds_now();
  for (long long step = 0; step <= o->steps; ++step) {
    if (step > 0) {
      kick(w, o->dt / 2);
      drift(w, o->dt);
    }
    if (o->side > 0 && !wrap_all(w)) {
      progress_end(&progress);
      return step ? fail(1, "a body crossed the whole cube in one step; choose a smaller --dt.")
                  : fail(2, "a body is far outside of the cube; choose a larger --periodic.");
    }
    if (!world_forces(w)) {
      progress_end(&progress);
      return fail(1, no_memory);
    }
    if (step > 0)
      kick(w, o->dt / 2);
    if (!look(w, out, (double)step * o->dt, series)) {
      progress_end(&progress);
      return fail(1, "the energy is not a number any more; choose a smaller --dt or a larger --softening.");
    }
    progress_at(&progress, step);
  }
  out->seconds = seconds_now() - begin;
  progress_end(&progress);
  return 0;
}

/* ---- Input and output -------------------------------------------------------------------------------- */

/* The bodies to begin with; those of a file go through `file`, which keeps all else that it says of them. */
static int make_world(struct world *w, const struct options *o, struct tipsy *file) {
  int n = (int)(o->uniform ? o->uniform : o->plummer ? o->plummer : o->bodies);
  if (o->input && !tipsy_read("barneshut", o->input, file))
    return 2;
  if (o->input)
    n = tipsy_bodies(file);
  *w = (struct world){.bucket = (int)o->bucket,
                      .theta = o->theta,
                      .softening = o->softening,
                      .sorted = !o->unsorted,
                      .gather = o->gather};
  if (!world_reserve(w, n) || (o->side > 0 && !ewald_make(&w->ewald, o->side, 5, 0.7, 5)))
    return fail(1, "out of memory for the bodies; choose fewer.");
  if (o->uniform)
    start_uniform(w, o->side > 0 ? o->side : 1, (uint64_t)o->seed);
  else if (!o->input)
    start_plummer(w, (uint64_t)o->seed);
  for (int i = 0; o->input && i < n; ++i) {
    const float *p = tipsy_particle(file, i), *x = p + TIPSY_X, *v = p + TIPSY_V;
    w->source[i] = (struct source){x[0], x[1], x[2], p[TIPSY_MASS]};
    w->velocity[i] = (struct velocity){v[0], v[1], v[2]};
  }
  return 0;
}

static bool write_tipsy(const struct world *w, const struct options *o, struct tipsy *file, FILE *to) {
  if (!o->input && !tipsy_new(file, w->n, (float)o->softening)) {
    fail(1, "out of memory for the file to write.");
    return false;
  }
  file->time += (double)o->steps * o->dt;
  for (int i = 0; i < w->n; ++i) {
    const struct source *s = &w->source[i];
    const struct velocity *u = &w->velocity[i];
    const double values[TIPSY_LEAST] = {s->w, s->x, s->y, s->z, u->x, u->y, u->z};
    for (int k = 0; k < TIPSY_LEAST; ++k)
      tipsy_particle(file, w->id[i])[k] = (float)values[k];
    *tipsy_potential(file, w->id[i]) = (float)-w->field[i].potential;
  }
  tipsy_write(to, file);
  return true;
}

static void write_snapshot(const struct world *w, FILE *to) {
  for (int i = 0; i < w->n; ++i)
    fprintf(to, "%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", w->id[i], w->source[i].x, w->source[i].y,
            w->source[i].z, w->velocity[i].x, w->velocity[i].y, w->velocity[i].z, w->source[i].w,
            -w->field[i].potential);
}

/* ---- The program ------------------------------------------------------------------------------------- */

static void print(const struct world *w, const struct options *o, const struct outcome *out) {
  double evaluations = (double)o->steps + 1, listed = 1.0 / (evaluations * w->tree.leaves);
  printf("%-16s %d\n", "bodies", w->n);
  printf("%-16s %lld (%.0f evaluations of the forces)\n", "steps", o->steps, evaluations);
  printf("%-16s %d cells, %d buckets of %.1f bodies\n", "last tree", w->tree.nodes, w->tree.leaves,
         (double)w->n / w->tree.leaves);
  printf("%-16s %.0f\n", "units a step", (double)out->units / evaluations);
  printf("%-16s %.0f cells, %.0f bodies\n", "a bucket's lists", (double)out->with_cells * listed,
         (double)out->with_bodies * listed);
  energies_print(&out->energies);
  if (o->time)
    printf("%-16s %.3f\n", "seconds", out->seconds);
}

static void verify(struct verdict *v, const struct world *w, const struct options *o,
                   const struct outcome *out) {
  if (o->sample) {
    double error = exact_error(w, (int)o->sample);
    verify_that(v, error >= 0, "out of memory for the forces to compare with.");
    verify_at_most(v, "force error", error, o->max_error,
                   "choose a smaller --theta, or a larger --max-error.");
  }
  verify_at_most(v, "energy drift", out->energies.drift, o->max_drift,
                 "choose a smaller --dt, a larger --softening or a larger --max-drift.");
  verify_at_most(
      v, "net force", out->net_force, o->max_net_force,
      "a tree does not conserve momentum exactly; choose a smaller --theta, or a larger --max-net-force.");
}

static int run(const struct options *o) {
  struct world w = {0};
  struct tipsy file = {0};
  struct outcome out = {0};
  struct verdict verdict = {.program = "barneshut"};
  FILE *series = NULL, *snapshot = NULL, *output = NULL;
  int status = make_world(&w, o, &file);
  if (!status && (!output_open("barneshut", o->series, "time,kinetic,potential,total,net_force", &series) ||
                  !output_open("barneshut", o->snapshot, "id,x,y,z,vx,vy,vz,mass,potential", &snapshot) ||
                  !output_open("barneshut", o->output, NULL, &output)))
    status = 2;
  if (!status)
    status = simulate(&w, o, series, &out);
  bool written = true;
  if (!status) {
    print(&w, o, &out);
    verify(&verdict, &w, o, &out);
    status = verify_end(&verdict);
    if (snapshot)
      write_snapshot(&w, snapshot);
    if (output)
      written = write_tipsy(&w, o, &file, output);
  }
  written &= output_close("barneshut", o->series, series);
  written &= output_close("barneshut", o->snapshot, snapshot);
  written &= output_close("barneshut", o->output, output);
  world_free(&w);
  tipsy_free(&file);
  return status ? status : !written;
}

int main(int argc, char **argv) {
  struct options o = {.bodies = 10000, .steps = 10, .bucket = 12, .sample = 50, .seed = 1};
  o.dt = 0.01, o.theta = 0.5, o.softening = 0.05, o.max_error = 0.01, o.max_drift = 1e-3,
  o.max_net_force = 1e-3;
  const struct option table[] = {
      {"--bodies", OPTION_INTEGER, &o.bodies, 1, 1e8, NULL, "bodies of Plummer's sphere"},
      {"--plummer", OPTION_INTEGER, &o.plummer, 1, 1e8, NULL,
       "the same, where another start is named before"},
      {"--uniform", OPTION_INTEGER, &o.uniform, 1, 1e8, NULL, "so many bodies at rest in a cube instead"},
      {"--input", OPTION_TEXT, &o.input, 0, 0, NULL, "bodies of a file in TIPSY's standard format instead"},
      {"--periodic", OPTION_REAL, &o.side, 1e-6, 1e12, NULL,
       "side of a periodic cube around 0; none without it"},
      {"--steps", OPTION_INTEGER, &o.steps, 1, 1e9, NULL, "time steps"},
      {"--dt", OPTION_REAL, &o.dt, 1e-12, 1e12, NULL, "length of a time step"},
      {"--theta", OPTION_REAL, &o.theta, 0, 1, NULL, "opening angle; 0: no cell acts as a whole"},
      {"--bucket", OPTION_INTEGER, &o.bucket, 1, 4096, NULL, "most bodies of a leaf of the tree"},
      {"--softening", OPTION_REAL, &o.softening, 0, 1e12, NULL, "Plummer's softening length"},
      {"--unsorted", OPTION_FLAG, &o.unsorted, 0, 0, NULL, "leave the bodies in their order"},
      {"--gather", OPTION_FLAG, &o.gather, 0, 0, NULL,
       "units name the cells and bodies of their lists alone"},
      {"--seed", OPTION_INTEGER, &o.seed, 0, 9.2e18, NULL, "seed of the initial state"},
      {"--sample", OPTION_INTEGER, &o.sample, 0, 1e8, NULL,
       "bodies whose force is compared with a sum over all"},
      {"--max-error", OPTION_REAL, &o.max_error, 0, 1e6, NULL, "largest mean relative error of their forces"},
      {"--max-drift", OPTION_REAL, &o.max_drift, 0, 1e6, NULL, "largest relative change of the energy"},
      {"--max-net-force", OPTION_REAL, &o.max_net_force, 0, 1, NULL,
       "largest sum of forces, by that of sizes"},
      {"--output", OPTION_TEXT, &o.output, 0, 0, NULL, "where the bodies go at the end, as TIPSY"},
      {"--snapshot", OPTION_TEXT, &o.snapshot, 0, 0, NULL, "the same as CSV"},
      {"--series", OPTION_TEXT, &o.series, 0, 0, NULL, "energies of all steps as CSV"},
      {"--selftest", OPTION_FLAG, &o.selftest, 0, 0, NULL,
       "check Ewald's sum against what is known, and end"},
      {"--logfit", OPTION_PRESET, NULL, 0, 0, "--bodies 100000 --steps 75", "as in the paper of LogFit"},
      {"--time", OPTION_FLAG, &o.time, 0, 0, NULL, "print the seconds that the steps took"},
      {0}};
  int status = options_read("barneshut", "Gravity of many bodies by an octree.", table, argc, argv);
  if (status != OPTIONS_GO_ON)
    return status;
  if ((o.plummer > 0) + (o.uniform > 0) + (o.input != NULL) > 1)
    return fail(2, "--plummer, --uniform and --input exclude one another: choose one.");
  if (o.selftest) {
    struct verdict verdict = {.program = "barneshut"};
    exact_selftest(&verdict);
    return verify_end(&verdict);
  }
  return run(&o);
}
