/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* nbody: gravity between all pairs of bodies.
 *
 * Each body pulls each other one: n bodies have n (n - 1) pulls a step, all of them added up, none
 * approximated. Plummer's softening keeps close encounters finite, and leapfrog moves the bodies. The forces
 * are computed in one of two ways, which give the same bits: as work units that each add the pulls of one
 * tile of bodies on another tile (--as tiles), or as one loop over the bodies that CPU cores and devices
 * share (--as loop).
 *
 * Any C11 compiler builds the serial program:  cc -O2 nbody.c ../common/[a-z]*.c -o nbody -lm
 * OpenMP's, same source:                       cc -O2 -fopenmp nbody.c ../common/[a-z]*.c -o nbody -lm
 * The agglomerated program, same source:       agglomcc -O2 nbody.c ../common/[a-z]*.c -o nbody -lm
 *
 * Units of the N-body problem (Heggie and Mathieu 1986): the constant of gravity and the total mass are 1. */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* for compilers without agglom */
#include "../common/energies.h"
#include "../common/options.h"
#include "../common/output.h"
#include "../common/progress.h"
#include "../common/random.h"
#include "../common/verify.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

struct vec {
  double x, y, z;
};

struct body {
  double x, y, z; /* where it is */
  double mass;
};

/* What all others do to a body: its acceleration, and the potential where it is. */
struct pull {
  double x, y, z;
  double potential;
};

/* How far one advance() goes: half a kick to reach the time of the forces, half a kick and a drift to leave
 * it. Before the first step there is nothing to catch up; after the last nothing to do. */
struct stride {
  double before, after, drift;
};

/* ---- Forces ------------------------------------------------------------------------------------ */

/* Adds the pulls of n bodies on one, in their order. soft2 is the square of Plummer's softening. */
static struct pull attract(struct pull sum, struct body one, const struct body *by, int n, double soft2) {
  for (int j = 0; j < n; ++j) {
    double dx = by[j].x - one.x, dy = by[j].y - one.y, dz = by[j].z - one.z;
    double d2 = dx * dx + dy * dy + dz * dz;
    if (d2 > 0) { /* 0: the body itself */
      double r2 = d2 + soft2, u = by[j].mass / sqrt(r2), a = u / r2;
      sum.x += a * dx;
      sum.y += a * dy;
      sum.z += a * dz;
      sum.potential -= u;
    }
  }
  return sum;
}

/* A work unit: adds the pulls of one tile's bodies on those of another tile. The units of a tile update the
 * same pulls: they take effect one after another, in program order. */
#pragma agglom task in(on[0:n], by[0:m]) inout(pull[0:n])
static void attract_tile(int n, const struct body *on, struct pull *pull, int m, const struct body *by,
                         double soft2) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    pull[i] = attract(pull[i], on[i], by, m, soft2);
}

static int at_most(int a, int b) { return a < b ? a : b; }

static void attract_in_tiles(int n, const struct body *body, struct pull *pull, int tile, double soft2) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i += tile) {
    int rows = at_most(tile, n - i);
    memset(&pull[i], 0, (size_t)rows * sizeof *pull);
    for (int j = 0; j < n; j += tile)
      attract_tile(rows, &body[i], &pull[i], at_most(tile, n - j), &body[j], soft2);
  }
#pragma agglom wait
}

static void attract_in_loop(int n, const struct body *body, struct pull *pull, double soft2) {
#pragma omp parallel for schedule(static)
#pragma agglom for in(body[0:n]) out(pull[i]) cost(n) schedule(runtime) name(attract)
  for (int i = 0; i < n; ++i) {
    struct pull none = {0, 0, 0, 0};
    pull[i] = attract(none, body[i], body, n, soft2);
  }
}

/* ---- Motion ------------------------------------------------------------------------------------ */

struct system {
  int n;
  struct body *body;
  struct vec *velocity;
  struct pull *pull;
};

static void system_free(struct system *s) {
  free(s->body);
  free(s->velocity);
  free(s->pull);
}

static bool system_make(struct system *s, long long n) {
  s->n = (int)n;
  s->body = calloc((size_t)n, sizeof *s->body);
  s->velocity = calloc((size_t)n, sizeof *s->velocity);
  s->pull = calloc((size_t)n, sizeof *s->pull);
  return s->body && s->velocity && s->pull;
}

/* Kick, drift, kick. Returns the energies at the time of the forces. */
static struct energy advance(struct system *s, struct stride dt) {
  struct energy sum = {0, 0};
  for (int i = 0; i < s->n; ++i) {
    struct body *b = &s->body[i];
    struct vec *v = &s->velocity[i];
    const struct pull *a = &s->pull[i];
    v->x += a->x * dt.before;
    v->y += a->y * dt.before;
    v->z += a->z * dt.before;
    sum.kinetic += b->mass * (v->x * v->x + v->y * v->y + v->z * v->z) / 2;
    sum.potential += b->mass * a->potential / 2; /* half of each pair it is part of */
    v->x += a->x * dt.after;
    v->y += a->y * dt.after;
    v->z += a->z * dt.after;
    b->x += v->x * dt.drift;
    b->y += v->y * dt.drift;
    b->z += v->z * dt.drift;
  }
  return sum;
}

struct options {
  long long plummer, uniform, steps, tile, seed;
  double dt, softening, max_drift;
  const char *as, *series, *snapshot;
  int time, selftest;
};

/* One evaluation of the forces and one advance; `step` counts from 0 to `steps`. Returns the energies before
 * it. */
static struct energy make_step(struct system *s, const struct options *o, double softening, double dt,
                               long long step, long long steps) {
  bool first = step == 0, last = step == steps;
  struct stride stride = {first ? 0 : dt / 2, last ? 0 : dt / 2, last ? 0 : dt};
  if (!strcmp(o->as, "tiles"))
    attract_in_tiles(s->n, s->body, s->pull, (int)o->tile, softening * softening);
  else
    attract_in_loop(s->n, s->body, s->pull, softening * softening);
  return advance(s, stride);
}

/* What gravity conserves: two sums, and the sums of their sizes, by which rounding is judged. */
struct momenta {
  struct vec linear, angular;
  double linear_size, angular_size;
};

static double length(struct vec a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

static struct momenta momenta_of(const struct system *s) {
  struct momenta sum = {{0, 0, 0}, {0, 0, 0}, 0, 0};
  for (int i = 0; i < s->n; ++i) {
    struct body b = s->body[i];
    struct vec v = s->velocity[i], r = {b.x, b.y, b.z};
    sum.linear.x += b.mass * v.x;
    sum.linear.y += b.mass * v.y;
    sum.linear.z += b.mass * v.z;
    sum.angular.x += b.mass * (b.y * v.z - b.z * v.y);
    sum.angular.y += b.mass * (b.z * v.x - b.x * v.z);
    sum.angular.z += b.mass * (b.x * v.y - b.y * v.x);
    sum.linear_size += b.mass * length(v);
    sum.angular_size += b.mass * length(r) * length(v);
  }
  return sum;
}

/* ---- Initial states ---------------------------------------------------------------------------- */

/* A vector of this length in a random direction. */
static struct vec random_direction(double size, uint64_t *state) {
  double z = random_pm1(state), angle = 2 * pi * random_unit(state), flat = size * sqrt(1 - z * z);
  return (struct vec){flat * cos(angle), flat * sin(angle), size * z};
}

/* Plummer's sphere as Aarseth, Henon and Wielen (1974) draw it, in virial equilibrium, of total energy about
 * -1/4. The outermost thousandth of the mass, which reaches to infinity, is left out. */
static void draw_plummer(struct vec *r, struct vec *v, uint64_t *state) {
  double scale = 3 * pi / 16, q, g;
  double radius = 1 / sqrt(pow(1 - 0.999 * random_unit(state), -2.0 / 3) - 1 + 1e-12);
  do { /* speed as a part of that of escape */
    q = random_unit(state);
    g = 0.1 * random_unit(state);
  } while (g > q * q * pow(1 - q * q, 3.5));
  double speed = q * sqrt(2) * pow(1 + radius * radius, -0.25);
  *r = random_direction(scale * radius, state);
  *v = random_direction(speed / sqrt(scale), state);
}

/* A ball of radius 1 and even density; the speeds are those of virial equilibrium: 2 K = 3/5. */
static void draw_uniform(struct vec *r, struct vec *v, uint64_t *state) {
  *r = random_direction(cbrt(random_unit(state)), state);
  *v = random_direction(sqrt(0.6) * sqrt(5.0 / 3) * cbrt(random_unit(state)), state);
}

/* The centre of mass rests at the origin. */
static void fill(struct system *s, bool plummer, uint64_t seed) {
  struct vec r = {0, 0, 0}, v = {0, 0, 0}, centre = {0, 0, 0}, drift = {0, 0, 0};
  uint64_t state = seed;
  for (int i = 0; i < s->n; ++i) {
    if (plummer)
      draw_plummer(&r, &v, &state);
    else
      draw_uniform(&r, &v, &state);
    s->body[i] = (struct body){r.x, r.y, r.z, 1.0 / s->n};
    s->velocity[i] = v;
    centre = (struct vec){centre.x + r.x / s->n, centre.y + r.y / s->n, centre.z + r.z / s->n};
    drift = (struct vec){drift.x + v.x / s->n, drift.y + v.y / s->n, drift.z + v.z / s->n};
  }
  for (int i = 0; i < s->n; ++i) {
    s->body[i].x -= centre.x;
    s->body[i].y -= centre.y;
    s->body[i].z -= centre.z;
    s->velocity[i].x -= drift.x;
    s->velocity[i].y -= drift.y;
    s->velocity[i].z -= drift.z;
  }
}

/* ---- The self-test: an orbit that is known ------------------------------------------------------- */

/* Two bodies of masses 3 and 1 on ellipses: Kepler's third law gives the period, his equation the place at
 * any time. The plane of the orbit is spanned by `along`, which points to the pericentre, and `across`. */
static const double eccentricity = 0.5, heavy = 3, light = 1;
static const struct vec along = {2.0 / 3, 1.0 / 3, 2.0 / 3}, across = {-2.0 / 3, 2.0 / 3, 1.0 / 3};

static struct vec in_plane(double x, double y) {
  return (struct vec){x * along.x + y * across.x, x * along.y + y * across.y, x * along.z + y * across.z};
}

/* From the heavy body to the light one, this part of a period after the pericentre; the large half-axis is 1.
 */
static struct vec kepler(double part) {
  double mean = 2 * pi * part, e = mean;
  for (int k = 0; k < 50; ++k)
    e -= (e - eccentricity * sin(e) - mean) / (1 - eccentricity * cos(e));
  return in_plane(cos(e) - eccentricity, sqrt(1 - eccentricity * eccentricity) * sin(e));
}

/* The largest distance from Kepler's orbit in one period of so many steps; -1 without memory. */
static double orbit_error(const struct options *o, int steps) {
  struct system s = {0, NULL, NULL, NULL};
  double total = heavy + light, worst = 0, dt = 2 * pi / sqrt(total) / steps;
  struct vec r = kepler(0);
  struct vec v = in_plane(0, sqrt(total * (1 + eccentricity) / (1 - eccentricity)));
  if (system_make(&s, 2)) {
    double part[2] = {-light / total, heavy / total}, mass[2] = {heavy, light};
    for (int i = 0; i < 2; ++i) {
      s.body[i] = (struct body){part[i] * r.x, part[i] * r.y, part[i] * r.z, mass[i]};
      s.velocity[i] = (struct vec){part[i] * v.x, part[i] * v.y, part[i] * v.z};
    }
    for (int step = 0; step < steps; ++step) {
      make_step(&s, o, 0, dt, step, steps);
      struct vec want = kepler((step + 1.0) / steps);
      struct vec off = {s.body[1].x - s.body[0].x - want.x, s.body[1].y - s.body[0].y - want.y,
                        s.body[1].z - s.body[0].z - want.z};
      worst = fmax(worst, length(off));
    }
  } else {
    worst = -1;
  }
  system_free(&s);
  return worst;
}

/* Leapfrog is of second order: with twice the steps a quarter of the error is left. */
static int selftest(const struct options *o) {
  struct verdict v = {.program = "nbody"};
  double coarse = orbit_error(o, 1000), fine = orbit_error(o, 2000);
  if (coarse < 0 || fine < 0) {
    fputs("nbody: out of memory for two bodies.\n", stderr);
    return 1;
  }
  printf("nbody: a Kepler orbit of eccentricity %g, forces as %s\n", eccentricity, o->as);
  printf("order            %.4f\n", log2(coarse / fine));
  verify_at_most(&v, "orbit error", fine, 1e-3, "the bodies do not stay on Kepler's ellipse.");
  verify_at_most(&v, "order less 2", fabs(log2(coarse / fine) - 2), 0.01, "leapfrog is not of second order.");
  return verify_end(&v);
}

/* ---- The run ----------------------------------------------------------------------------------- */

/* steps + 1 evaluations of the forces: one for the initial state and one after each step. Returns the exit
 * status. */
static int simulate(struct system *s, const struct options *o, FILE *series, struct energies *all) {
  struct progress progress = progress_of("steps", o->steps + 1);
  int status = 0;
  for (long long step = 0; !status && step <= o->steps; ++step) {
    struct energy e = make_step(s, o, o->softening, o->dt, step, o->steps);
    bool finite = energies_add(all, e);
    if (series) {
      fprintf(series, "%lld,%.9g,", step, (double)step * o->dt);
      energy_write(e, series);
      fputc('\n', series);
    }
    progress_at(&progress, step + 1);
    if (!finite) {
      progress_end(&progress);
      fputs("nbody: the energy is not a number any more; choose a smaller --dt or a larger --softening.\n",
            stderr);
      status = 1;
    }
  }
  progress_end(&progress);
  return status;
}

static void write_snapshot(const struct system *s, FILE *file) {
  for (int i = 0; i < s->n; ++i)
    fprintf(file, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", s->body[i].x, s->body[i].y, s->body[i].z,
            s->velocity[i].x, s->velocity[i].y, s->velocity[i].z, s->body[i].mass);
}

/* Simulates, prints the results and what they must be. */
static int run(struct system *s, const struct options *o) {
  struct energies all = {0};
  struct momenta before = momenta_of(s);
  FILE *series = NULL, *snapshot = NULL; /* a wrong name is said before the long part */
  double begin = seconds_now();
  int status = 2;
  if (output_open("nbody", o->series, "step,time,kinetic,potential,total", &series) &&
      output_open("nbody", o->snapshot, "x,y,z,vx,vy,vz,mass", &snapshot))
    status = simulate(s, o, series, &all);
  double seconds = seconds_now() - begin;
  if (!status && snapshot)
    write_snapshot(s, snapshot);
  bool written = output_close("nbody", o->series, series);
  written &= output_close("nbody", o->snapshot, snapshot);
  if (status || !written)
    return status ? status : 1;
  struct momenta after = momenta_of(s);
  struct vec turned = {after.angular.x - before.angular.x, after.angular.y - before.angular.y,
                       after.angular.z - before.angular.z};
  double pairs = (double)s->n * (s->n - 1) * (double)(o->steps + 1);
  printf("%-16s %lld (%lld evaluations of the forces)\n", "steps", o->steps, o->steps + 1);
  energies_print(&all);
  if (o->time)
    printf("%-16s %.3f (%.3g pairs a second)\n", "seconds", seconds, pairs / seconds);
  struct verdict v = {.program = "nbody"};
  verify_at_most(&v, "relative drift", all.drift, o->max_drift,
                 "the total energy is not conserved; choose a smaller --dt or a larger --softening.");
  verify_at_most(&v, "momentum", length(after.linear) / after.linear_size, 1e-12,
                 "the pulls of the pairs do not cancel.");
  verify_at_most(&v, "angular momentum", length(turned) / after.angular_size, 1e-12,
                 "the pulls are not along the lines between the bodies.");
  return verify_end(&v);
}

int main(int argc, char **argv) {
  struct options o = {.steps = 10, .tile = 128, .seed = 1, .dt = 0.005, .softening = 0.05, .max_drift = 1e-4};
  o.as = "tiles";
  const struct option table[] = {
      {"--plummer", OPTION_INTEGER, &o.plummer, 2, 1e8, NULL, "bodies of a Plummer sphere (2000)"},
      {"--uniform", OPTION_INTEGER, &o.uniform, 2, 1e8, NULL, "bodies of a ball of even density instead"},
      {"--steps", OPTION_INTEGER, &o.steps, 1, 1e9, NULL, "time steps"},
      {"--as", OPTION_WORD, &o.as, 0, 0, "tiles|loop", "how the forces are computed"},
      {"--tile", OPTION_INTEGER, &o.tile, 1, 1e6, NULL, "bodies of a tile"},
      {"--dt", OPTION_REAL, &o.dt, 1e-9, 1, NULL, "length of a time step"},
      {"--softening", OPTION_REAL, &o.softening, 0, 1e3, NULL, "Plummer's softening of the force"},
      {"--seed", OPTION_INTEGER, &o.seed, 0, 9e18, NULL, "seed of the initial state"},
      {"--max-drift", OPTION_REAL, &o.max_drift, 0, 1e6, NULL,
       "largest relative change of the energy accepted"},
      {"--selftest", OPTION_FLAG, &o.selftest, 0, 0, NULL, "two bodies on a known orbit instead"},
      {"--series", OPTION_TEXT, &o.series, 0, 0, NULL, "writes the energies of each step there, as CSV"},
      {"--snapshot", OPTION_TEXT, &o.snapshot, 0, 0, NULL, "writes the final bodies there, as CSV"},
      {"--time", OPTION_FLAG, &o.time, 0, 0, NULL, "print the seconds the steps took"},
      {0}};
  int status = options_read("nbody", "Gravity between all pairs of bodies.", table, argc, argv);
  if (status != OPTIONS_GO_ON)
    return status;
  if (o.selftest)
    return selftest(&o);
  if (o.plummer && o.uniform) {
    fputs("nbody: --plummer and --uniform are two initial states; choose one.\n", stderr);
    return 2;
  }
  bool plummer = !o.uniform;
  struct system s = {0, NULL, NULL, NULL};
  if (system_make(&s, !plummer ? o.uniform : o.plummer ? o.plummer : 2000)) {
    fill(&s, plummer, (uint64_t)o.seed);
    printf("nbody: %d bodies, %s, %lld steps of %g, softening %g, seed %lld\n", s.n,
           plummer ? "a Plummer sphere" : "a ball of even density", o.steps, o.dt, o.softening, o.seed);
    if (!strcmp(o.as, "tiles"))
      printf("nbody: %lld tiles of %lld bodies\n", (s.n + o.tile - 1) / o.tile, o.tile);
    else
      puts("nbody: one loop over the bodies");
    status = run(&s, &o);
  } else {
    fputs("nbody: out of memory; choose fewer bodies.\n", stderr);
    status = 1;
  }
  system_free(&s);
  return status;
}
