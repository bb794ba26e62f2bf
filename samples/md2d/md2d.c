/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* md2d: molecular dynamics in two dimensions with short-range forces.
 *
 * A periodic box is cut into nx x ny cells, none smaller than the cut-off of the force, so that a
 * particle only feels particles of its own cell and of the eight around it. Each step makes one work
 * unit per (cell, neighbour) pair, nine per cell, which adds the neighbour's forces to the cell's
 * particles, and one unit per cell that moves the particles. Then, on the host, particles that left
 * their cell migrate.
 *
 * Any C11 compiler builds the serial program:  cc -O2 md2d.c ../common/[a-z]*.c -o md2d -lm
 * OpenMP's, same source:                       cc -O2 -fopenmp md2d.c ../common/[a-z]*.c -o md2d -lm
 * The agglomerated program, same source:       agglomcc -O2 md2d.c ../common/[a-z]*.c -o md2d -lm
 *
 * Reduced units: mass, length and energy of the Lennard-Jones potential are 1. */
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

struct vec {
  double x, y;
};

struct particle {
  double x, y;   /* position in the box: 0 <= x < width, 0 <= y < height after a migration */
  double vx, vy; /* velocity */
};

struct force {
  double x, y;
  double u; /* the particle's share of the potential energy: half of each pair it is part of */
};

/* Lennard-Jones, shifted by a + b r^2 so that potential and force both reach 0 at the cut-off
 * (Stoddard and Ford): nothing jumps when a pair crosses it, so energy is conserved. */
struct potential {
  double cutoff2; /* cut-off squared */
  double a, b;
};

/* How far one advance() goes: half a kick to reach the time of the forces, half a kick and a drift
 * to leave it. Before the first step there is nothing to catch up; after the last nothing to do. */
struct stride {
  double before, after, drift;
};

/* ---- The work units -------------------------------------------------------------------------- */

/* Adds to f the forces that the particles b, seen displaced by shift, exert on the particles a.
 * The nine units of a cell update the same f: they take effect one after another, in program order. */
#pragma agglom task in(a[0:na], b[0:nb]) inout(f[0:na])
static void interact(const struct particle *a, int na, const struct particle *b, int nb, struct force *f,
                     struct vec shift, struct potential pot) {
#pragma agglom loop
  for (int i = 0; i < na; ++i) {
    double x = a[i].x - shift.x, y = a[i].y - shift.y;
    double fx = 0, fy = 0, u = 0;
    for (int j = 0; j < nb; ++j) {
      double dx = x - b[j].x, dy = y - b[j].y;
      double r2 = dx * dx + dy * dy;
      if (r2 < pot.cutoff2 && r2 > 0) { /* 0: the particle itself */
        double s = 1 / r2, s3 = s * s * s;
        double pull = 24 * (2 * s3 - 1) * s3 * s - 2 * pot.b;
        fx += pull * dx;
        fy += pull * dy;
        u += 4 * (s3 - 1) * s3 + pot.a + pot.b * r2;
      }
    }
    f[i].x += fx;
    f[i].y += fy;
    f[i].u += u / 2;
  }
}

/* Velocity Verlet for the particles of one cell; e gets the energies at the time of the forces. */
#pragma agglom task inout(p[0:n]) in(f[0:n]) out(e[0:1])
static void advance(struct particle *p, const struct force *f, int n, struct energy *e, struct stride dt) {
  double kinetic = 0, potential = 0;
#pragma agglom loop reduction(+: kinetic, potential)
  for (int i = 0; i < n; ++i) {
    double vx = p[i].vx + f[i].x * dt.before, vy = p[i].vy + f[i].y * dt.before;
    kinetic += (vx * vx + vy * vy) / 2;
    potential += f[i].u;
    vx += f[i].x * dt.after;
    vy += f[i].y * dt.after;
    p[i].vx = vx;
    p[i].vy = vy;
    p[i].x += vx * dt.drift;
    p[i].y += vy * dt.drift;
  }
  e->kinetic = kinetic;
  e->potential = potential;
}

/* ---- The box and its cells ------------------------------------------------------------------- */

struct cell {
  struct particle *p;
  struct force *f;
  int n, capacity;
};

struct box {
  int nx, ny;
  double width, height;
  struct cell *cells;      /* ny rows of nx */
  struct energy *energies; /* one per cell */
};

/* Says what is wrong on stderr; every failure of this program ends here. */
static int fail(int status, const char *sentence) {
  fprintf(stderr, "md2d: %s\n", sentence);
  return status;
}

static bool append(struct cell *c, struct particle p) {
  if (c->n == c->capacity) {
    int capacity = c->capacity < 8 ? 16 : c->capacity + c->capacity / 2;
    struct particle *more_p = realloc(c->p, (size_t)capacity * sizeof *more_p);
    if (!more_p)
      return false;
    c->p = more_p;
    struct force *more_f = realloc(c->f, (size_t)capacity * sizeof *more_f);
    if (!more_f)
      return false;
    c->f = more_f;
    c->capacity = capacity;
  }
  c->p[c->n++] = p;
  return true;
}

/* Is x in the box or in the next one on either side? A particle that goes further in one step has been
 * thrown by an overlap, not moved. False for what is not a number. */
static bool near_box(double x, double length) { return x >= -length && x < 2 * length; }

/* The coordinate of the periodic image inside [0, length). */
static double wrap(double x, double length) {
  if (x < 0)
    x += length;
  else if (x >= length)
    x -= length;
  return x < length ? x : 0; /* a tiny negative x rounds up to length */
}

static int cell_of(double x, double length, int n) {
  int i = (int)(x / length * n);
  return i < n ? i : n - 1; /* x just below length may round up to n */
}

/* Puts every particle into the cell it is in. Returns how many changed cell, or -1 without memory, or
 * -2 when a particle was thrown out of the box. */
static long migrate(struct box *box) {
  long moved = 0;
  for (int k = 0; k < box->nx * box->ny; ++k) {
    struct cell *from = &box->cells[k];
    int kept = 0;
    for (int i = 0; i < from->n; ++i) {
      struct particle p = from->p[i];
      if (!near_box(p.x, box->width) || !near_box(p.y, box->height))
        return -2;
      p.x = wrap(p.x, box->width);
      p.y = wrap(p.y, box->height);
      int to = cell_of(p.y, box->height, box->ny) * box->nx + cell_of(p.x, box->width, box->nx);
      if (to == k) {
        from->p[kept++] = p;
      } else {
        if (!append(&box->cells[to], p))
          return -1;
        ++moved;
      }
    }
    from->n = kept;
  }
  return moved;
}

/* How many boxes further cell i of n stands: -1 before the first, 1 behind the last, else 0. */
static int boxes_off(int i, int n) { return i < 0 ? -1 : i >= n ? 1 : 0; }

/* Submits all work of one step. Nothing may be read before the wait that follows. */
static void submit_step(struct box *box, struct potential pot, struct stride dt) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int cy = 0; cy < box->ny; ++cy)
    for (int cx = 0; cx < box->nx; ++cx) {
      struct cell *a = &box->cells[cy * box->nx + cx];
      memset(a->f, 0, (size_t)a->n * sizeof *a->f);
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          int ox = boxes_off(cx + dx, box->nx), oy = boxes_off(cy + dy, box->ny);
          struct cell *b = &box->cells[(cy + dy - oy * box->ny) * box->nx + cx + dx - ox * box->nx];
          struct vec shift = {ox * box->width, oy * box->height};
          interact(a->p, a->n, b->p, b->n, a->f, shift, pot);
        }
    }
#ifdef _OPENMP /* the calls above are of several threads, whose units have no order among each other */
#pragma agglom wait
#endif
#pragma omp parallel for schedule(static)
  for (int k = 0; k < box->nx * box->ny; ++k) {
    struct cell *c = &box->cells[k];
    advance(c->p, c->f, c->n, &box->energies[k], dt);
  }
}

static struct energy total_energy(const struct box *box) {
  struct energy sum = {0, 0};
  for (int k = 0; k < box->nx * box->ny; ++k) {
    sum.kinetic += box->energies[k].kinetic;
    sum.potential += box->energies[k].potential;
  }
  return sum;
}

/* ---- The initial state ----------------------------------------------------------------------- */

struct options {
  long long particles, steps, grain, seed;
  int cells[2];
  double dt, cutoff, density, temperature, max_drift;
  const char *series, *snapshot;
  int time, fingerprint;
};

/* A lattice, slightly shaken so that nothing overlaps, and random velocities without total momentum. */
static bool fill(struct box *box, const struct options *o) {
  int particles = (int)o->particles;
  int lx = (int)ceil(sqrt(particles * (box->width / box->height)));
  int ly = (particles + lx - 1) / lx;
  double sx = box->width / lx, sy = box->height / ly, shake = 0.05 * (sx < sy ? sx : sy);
  double speed = sqrt(3 * o->temperature); /* uniform in [-speed, speed]: variance = temperature */
  uint64_t state = (uint64_t)o->seed;
  struct vec mean = {0, 0};
  for (int i = 0; i < particles; ++i) {
    int64_t site = (int64_t)i * lx * ly / particles; /* the empty sites are spread evenly */
    struct particle p;
    p.x = ((double)(site % lx) + 0.5) * sx + shake * random_pm1(&state);
    p.y = ((double)(site / lx) + 0.5) * sy + shake * random_pm1(&state);
    p.vx = speed * random_pm1(&state);
    p.vy = speed * random_pm1(&state);
    mean.x += p.vx / particles;
    mean.y += p.vy / particles;
    int k = cell_of(p.y, box->height, box->ny) * box->nx + cell_of(p.x, box->width, box->nx);
    if (!append(&box->cells[k], p))
      return false;
  }
  for (int k = 0; k < box->nx * box->ny; ++k)
    for (int i = 0; i < box->cells[k].n; ++i) {
      box->cells[k].p[i].vx -= mean.x;
      box->cells[k].p[i].vy -= mean.y;
    }
  return true;
}

/* ---- The run --------------------------------------------------------------------------------- */

struct outcome {
  struct energies energies;
  long long migrated;
};

/* steps + 1 evaluations of the forces: one for the initial state and one after each step. Writes the energies
 * of each to `series`, if there is one. Returns the exit status. */
static int simulate(struct box *box, const struct options *o, FILE *series, struct progress *progress,
                    struct outcome *out) {
  double c2 = o->cutoff * o->cutoff, c6 = 1 / (c2 * c2 * c2);
  struct potential pot = {.cutoff2 = c2, .b = 12 * (2 * c6 - 1) * c6 / c2};
  pot.a = -4 * (c6 - 1) * c6 - pot.b * c2;
  for (long long step = 0; step <= o->steps; ++step) {
    bool first = step == 0, last = step == o->steps;
    struct stride dt = {first ? 0 : o->dt / 2, last ? 0 : o->dt / 2, last ? 0 : o->dt};
    submit_step(box, pot, dt);
#pragma agglom wait
    if (!energies_add(&out->energies, total_energy(box)))
      return fail(1, "the energy is not a number any more; choose a smaller --dt.");
    long moved = migrate(box);
    if (moved == -1)
      return fail(1, "out of memory while particles migrated; choose fewer --particles.");
    if (moved == -2)
      return fail(1, "a particle crossed the whole box in one step; choose a smaller --dt.");
    out->migrated += moved;
    if (series) {
      fprintf(series, "%lld,%.9g,", step, (double)step * o->dt);
      energy_write(out->energies.last, series);
      fputc('\n', series);
    }
    progress_at(progress, step + 1);
  }
  return 0;
}

static void write_snapshot(const struct box *box, FILE *file) {
  for (int k = 0; k < box->nx * box->ny; ++k)
    for (int i = 0; i < box->cells[k].n; ++i) {
      const struct particle *p = &box->cells[k].p[i];
      fprintf(file, "%.9g,%.9g,%.9g,%.9g\n", p->x, p->y, p->vx, p->vy);
    }
}

/* FNV-1a over the particles' bits, in the order of the cells: equal when every rounding was. */
static uint64_t fingerprint(const struct box *box) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int k = 0; k < box->nx * box->ny; ++k)
    for (size_t i = 0; i < (size_t)box->cells[k].n * sizeof *box->cells[k].p; ++i)
      hash = (hash ^ ((const unsigned char *)box->cells[k].p)[i]) * 0x100000001b3u;
  return hash;
}

/* Prints the results and what they must be. Returns the exit status. */
static int report(const struct box *box, const struct options *o, const struct outcome *out, double seconds) {
  struct vec momentum = {0, 0};
  double size = 0;
  long long particles = 0;
  int cells = box->nx * box->ny;
  for (int k = 0; k < cells; ++k) {
    const struct cell *c = &box->cells[k];
    particles += c->n;
    for (int i = 0; i < c->n; ++i) {
      momentum.x += c->p[i].vx;
      momentum.y += c->p[i].vy;
      size += fabs(c->p[i].vx) + fabs(c->p[i].vy);
    }
  }
  double left = fabs(momentum.x) + fabs(momentum.y);
  printf("steps            %lld (%lld evaluations of the forces)\n", o->steps, o->steps + 1);
  printf("units a step     %d (%d interact, %d advance)\n", 10 * cells, 9 * cells, cells);
  printf("particles        %lld (%lld migrations)\n", particles, out->migrated);
  energies_print(&out->energies);
  printf("total momentum   %.3g %.3g (of %.3g)\n", momentum.x, momentum.y, size);
  if (o->fingerprint)
    printf("fingerprint      %016llx\n", (unsigned long long)fingerprint(box));
  if (o->time)
    printf("seconds          %.3f (%.6f a step)\n", seconds, seconds / (double)o->steps);
  struct verdict v = {.program = "md2d"};
  verify_that(&v, particles == o->particles,
              "there are not as many particles as before: some were lost or doubled.");
  verify_at_most(&v, "momentum", left > 0 ? left / size : left, 1e-9,
                 "it is not conserved: the forces of the pairs do not cancel.");
  verify_at_most(&v, "relative drift", out->energies.drift, o->max_drift,
                 "the total energy is not conserved; choose a smaller --dt or a larger --max-drift.");
  return verify_end(&v);
}

/* Simulates and says how it went, on the screen and in files. */
static int run(struct box *box, const struct options *o) {
  struct outcome out = {0};
  struct progress progress = progress_of("steps", o->steps + 1);
  FILE *series = NULL, *snapshot = NULL; /* a wrong name is said before the long part */
  double begin = seconds_now();
  int status = 2;
  if (output_open("md2d", o->series, "step,time,kinetic,potential,total", &series) &&
      output_open("md2d", o->snapshot, "x,y,vx,vy", &snapshot))
    status = simulate(box, o, series, &progress, &out);
  double seconds = seconds_now() - begin;
  progress_end(&progress);
  if (!status && snapshot)
    write_snapshot(box, snapshot);
  bool written = output_close("md2d", o->series, series);
  written &= output_close("md2d", o->snapshot, snapshot);
  if (status || !written)
    return status ? status : 1;
  return report(box, o, &out, seconds);
}

/* Square cells; the density decides how large they are. Returns the exit status: 2 where they are too small.
 */
static int cut(struct options *o, double *side) {
  if (o->grain) {
    int n = (int)(sqrt((double)o->particles / (double)o->grain) + 0.5);
    o->cells[0] = o->cells[1] = n > 1 ? n : 1;
  }
  *side = sqrt((double)o->particles / o->density / o->cells[0] / o->cells[1]);
  if (*side >= o->cutoff)
    return 0;
  fprintf(stderr,
          "md2d: the cells are %.4g wide, less than the cut-off %g, so neighbours would be missed; "
          "choose fewer --cells, more --particles, or a lower --density.\n",
          *side, o->cutoff);
  return 2;
}

int main(int argc, char **argv) {
  struct options o = {.particles = 20000, .cells = {16, 16}, .steps = 20, .seed = 1};
  o.dt = 0.002, o.cutoff = 2.5, o.density = 0.6, o.temperature = 1, o.max_drift = 1e-3;
  const struct option table[] = {
      {"--particles", OPTION_INTEGER, &o.particles, 1, 1e8, NULL, "number of particles"},
      {"--cells", OPTION_GRID, o.cells, 1, 4096, NULL,
       "cells across and down, none smaller than the cut-off"},
      {"--grain", OPTION_INTEGER, &o.grain, 1, 1e8, NULL, "instead: as many particles a cell, about"},
      {"--steps", OPTION_INTEGER, &o.steps, 1, 1e9, NULL, "time steps"},
      {"--dt", OPTION_REAL, &o.dt, 1e-9, 1, NULL, "length of a time step"},
      {"--cutoff", OPTION_REAL, &o.cutoff, 0.5, 1e6, NULL, "cut-off radius of the force"},
      {"--density", OPTION_REAL, &o.density, 1e-9, 1, NULL,
       "particles per unit of area; gives the size of the box"},
      {"--temperature", OPTION_REAL, &o.temperature, 0, 1e6, NULL, "initial kinetic energy per particle"},
      {"--seed", OPTION_INTEGER, &o.seed, 0, 9e18, NULL, "seed of the initial state"},
      {"--max-drift", OPTION_REAL, &o.max_drift, 0, 1e6, NULL,
       "largest relative change of the total energy accepted"},
      {"--small", OPTION_PRESET, NULL, 0, 0, "--particles 5000 --cells 5x5 --steps 50", "as in the papers"},
      {"--large", OPTION_PRESET, NULL, 0, 0, "--particles 100000 --cells 16x16 --steps 100",
       "as in the papers"},
      {"--series", OPTION_TEXT, &o.series, 0, 0, NULL, "writes the energies of each step there, as CSV"},
      {"--snapshot", OPTION_TEXT, &o.snapshot, 0, 0, NULL, "writes the final particles there, as CSV"},
      {"--fingerprint", OPTION_FLAG, &o.fingerprint, 0, 0, NULL, "print a hash of all bits of all particles"},
      {"--time", OPTION_FLAG, &o.time, 0, 0, NULL, "print the seconds the steps took"},
      {0}};
  int status = options_read("md2d", "Molecular dynamics in two dimensions.", table, argc, argv);
  if (status != OPTIONS_GO_ON)
    return status;
  double side;
  if ((status = cut(&o, &side)))
    return status;
  int nx = o.cells[0], ny = o.cells[1], cells = nx * ny;
  struct box box = {.nx = nx, .ny = ny, .width = side * nx, .height = side * ny};
  box.cells = calloc((size_t)cells, sizeof *box.cells);
  box.energies = calloc((size_t)cells, sizeof *box.energies);
  bool ok = box.cells && box.energies;
  struct particle none = {0, 0, 0, 0};
  for (int k = 0; ok && k < cells; ++k) { /* so that empty cells have arrays too */
    ok = append(&box.cells[k], none);
    box.cells[k].n = 0;
  }
  if (ok && fill(&box, &o)) {
    printf("md2d: %lld particles in %dx%d cells, box %.6g x %.6g, %lld steps of %g\n", o.particles, nx, ny,
           box.width, box.height, o.steps, o.dt);
    printf("md2d: cut-off %g, density %g, temperature %g, seed %lld\n", o.cutoff, o.density, o.temperature,
           o.seed);
    status = run(&box, &o);
  } else {
    status = fail(1, "out of memory; choose fewer --particles or --cells.");
  }
  for (int k = 0; box.cells && k < cells; ++k) {
    free(box.cells[k].p);
    free(box.cells[k].f);
  }
  free(box.cells);
  free(box.energies);
  return status;
}
