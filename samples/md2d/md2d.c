/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* md2d: molecular dynamics in two dimensions with short-range forces.
 *
 * A periodic box is cut into nx x ny cells, none smaller than the cut-off of the force, so that a
 * particle only feels particles of its own cell and of the eight around it. Each step makes one work
 * unit per (cell, neighbour) pair, nine per cell, which adds the neighbour's forces to the cell's
 * particles, and one unit per cell that moves the particles. Then, on the host, particles that left
 * their cell migrate.
 *
 * Any C11 compiler builds the serial program:  cc -O2 -Wno-unknown-pragmas md2d.c -o md2d -lm
 * The agglomerated program, same source:       agglomcc -O2 md2d.c -o md2d -lm
 *
 * Reduced units: mass, length and energy of the Lennard-Jones potential are 1. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

struct energy {
  double kinetic, potential;
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

/* splitmix64: small, and the same everywhere. Returns a number in [-1, 1). */
static double random_pm1(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

struct options {
  int particles, nx, ny, steps;
  double dt, cutoff, density, temperature, max_drift;
  uint64_t seed;
  bool time, fingerprint;
};

/* A lattice, slightly shaken so that nothing overlaps, and random velocities without total momentum. */
static bool fill(struct box *box, const struct options *o) {
  int lx = (int)ceil(sqrt(o->particles * (box->width / box->height)));
  int ly = (o->particles + lx - 1) / lx;
  double sx = box->width / lx, sy = box->height / ly, shake = 0.05 * (sx < sy ? sx : sy);
  double speed = sqrt(3 * o->temperature); /* uniform in [-speed, speed]: variance = temperature */
  uint64_t state = o->seed;
  struct vec mean = {0, 0};
  for (int i = 0; i < o->particles; ++i) {
    int64_t site = (int64_t)i * lx * ly / o->particles; /* the empty sites are spread evenly */
    struct particle p;
    p.x = ((double)(site % lx) + 0.5) * sx + shake * random_pm1(&state);
    p.y = ((double)(site / lx) + 0.5) * sy + shake * random_pm1(&state);
    p.vx = speed * random_pm1(&state);
    p.vy = speed * random_pm1(&state);
    mean.x += p.vx / o->particles;
    mean.y += p.vy / o->particles;
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

/* ---- Options --------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: md2d [option...]\n"
    "  --particles N     number of particles (20000)\n"
    "  --cells NxM       cells across and down (16x16); none may be smaller than the cut-off\n"
    "  --steps S         time steps (20)\n"
    "  --dt T            length of a time step (0.002)\n"
    "  --cutoff R        cut-off radius of the force (2.5)\n"
    "  --density D       particles per unit of area (0.6); gives the size of the box\n"
    "  --temperature T   initial kinetic energy per particle (1)\n"
    "  --seed K          seed of the initial state (1)\n"
    "  --max-drift E     largest relative change of the total energy accepted (1e-3)\n"
    "  --small           as in the papers: 5000 particles, 5x5 cells, 50 steps\n"
    "  --large           as in the papers: 100000 particles, 16x16 cells, 100 steps\n"
    "  --fingerprint     print a hash of all bits of all particles\n"
    "  --time            print the seconds the steps took\n"
    "  --help            this text\n"
    "A later option overrides an earlier one.\n";

static bool parse_integer(const char *option, const char *text, long long lo, long long hi,
                          long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (end != text && !*end && !errno && *value >= lo && *value <= hi)
    return true;
  fprintf(stderr, "md2d: %s takes an integer from %lld to %lld, not '%s'.\n", option, lo, hi, text);
  return false;
}

static bool parse_real(const char *option, const char *text, double lo, double hi, double *value) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= lo && *value <= hi)
    return true;
  fprintf(stderr, "md2d: %s takes a number from %g to %g, not '%s'.\n", option, lo, hi, text);
  return false;
}

static bool parse_cells(const char *text, int *nx, int *ny) {
  char *end;
  long x = strtol(text, &end, 10), y = 0;
  if (end != text && *end == 'x') {
    const char *second = end + 1;
    y = strtol(second, &end, 10);
    if (end != second && !*end && x >= 1 && x <= 4096 && y >= 1 && y <= 4096) {
      *nx = (int)x;
      *ny = (int)y;
      return true;
    }
  }
  fprintf(stderr,
          "md2d: --cells takes two integers from 1 to 4096 with an x between, like 16x16, not '%s'.\n", text);
  return false;
}

/* Returns 0, or -1 after --help, or the exit status 2 after saying what is wrong. */
static int parse(int argc, char **argv, struct options *o) {
  for (int i = 1; i < argc; ++i) {
    const char *opt = argv[i];
    if (!strcmp(opt, "--help")) {
      fputs(usage, stdout);
      return -1;
    }
    if (!strcmp(opt, "--small")) {
      o->particles = 5000, o->nx = 5, o->ny = 5, o->steps = 50;
      continue;
    }
    if (!strcmp(opt, "--large")) {
      o->particles = 100000, o->nx = 16, o->ny = 16, o->steps = 100;
      continue;
    }
    if (!strcmp(opt, "--fingerprint")) {
      o->fingerprint = true;
      continue;
    }
    if (!strcmp(opt, "--time")) {
      o->time = true;
      continue;
    }
    static const char *const with_value[] = {"--particles", "--cells",       "--steps",
                                             "--dt",        "--cutoff",      "--density",
                                             "--seed",      "--temperature", "--max-drift"};
    size_t known = 0, count = sizeof with_value / sizeof *with_value;
    while (known < count && strcmp(opt, with_value[known]))
      ++known;
    if (known == count) {
      fprintf(stderr, "md2d: there is no option '%s'; md2d --help lists them.\n", opt);
      return 2;
    }
    if (++i == argc) {
      fprintf(stderr, "md2d: %s needs a value after it.\n", opt);
      return 2;
    }
    const char *text = argv[i];
    long long n = 0;
    bool ok;
    if (!strcmp(opt, "--particles")) {
      ok = parse_integer(opt, text, 1, 100000000, &n);
      o->particles = (int)n;
    } else if (!strcmp(opt, "--steps")) {
      ok = parse_integer(opt, text, 1, 1000000000, &n);
      o->steps = (int)n;
    } else if (!strcmp(opt, "--seed")) {
      ok = parse_integer(opt, text, 0, INT64_MAX, &n);
      o->seed = (uint64_t)n;
    } else if (!strcmp(opt, "--cells")) {
      ok = parse_cells(text, &o->nx, &o->ny);
    } else if (!strcmp(opt, "--dt")) {
      ok = parse_real(opt, text, 1e-9, 1, &o->dt);
    } else if (!strcmp(opt, "--cutoff")) {
      ok = parse_real(opt, text, 0.5, 1e6, &o->cutoff);
    } else if (!strcmp(opt, "--density")) {
      ok = parse_real(opt, text, 1e-9, 1, &o->density);
    } else if (!strcmp(opt, "--temperature")) {
      ok = parse_real(opt, text, 0, 1e6, &o->temperature);
    } else {
      ok = parse_real(opt, text, 0, 1e6, &o->max_drift);
    }
    if (!ok)
      return 2;
  }
  return 0;
}

/* ---- The run --------------------------------------------------------------------------------- */

struct outcome {
  struct energy first, last;
  double drift; /* largest |E - E(0)| / (K(0) + |U(0)|) of all steps */
  long long migrated;
};

/* steps + 1 evaluations of the forces: one for the initial state and one after each step. */
static int simulate(struct box *box, const struct options *o, struct outcome *out) {
  double c2 = o->cutoff * o->cutoff, c6 = 1 / (c2 * c2 * c2);
  struct potential pot = {.cutoff2 = c2, .b = 12 * (2 * c6 - 1) * c6 / c2};
  pot.a = -4 * (c6 - 1) * c6 - pot.b * c2;
  for (int step = 0; step <= o->steps; ++step) {
    bool first = step == 0, last = step == o->steps;
    struct stride dt = {first ? 0 : o->dt / 2, last ? 0 : o->dt / 2, last ? 0 : o->dt};
    submit_step(box, pot, dt);
#pragma agglom wait
    out->last = total_energy(box);
    if (first)
      out->first = out->last;
    double change = fabs(out->last.kinetic + out->last.potential - out->first.kinetic - out->first.potential);
    double scale = out->first.kinetic + fabs(out->first.potential);
    if (!isfinite(change))
      return fail(1, "the energy is not a number any more; choose a smaller --dt.");
    if (change > out->drift * scale)
      out->drift = scale > 0 ? change / scale : INFINITY;
    long moved = migrate(box);
    if (moved == -1)
      return fail(1, "out of memory while particles migrated; choose fewer --particles.");
    if (moved == -2)
      return fail(1, "a particle crossed the whole box in one step; choose a smaller --dt.");
    out->migrated += moved;
  }
  return 0;
}

/* FNV-1a over the particles' bits, in the order of the cells: equal when every rounding was. */
static uint64_t fingerprint(const struct box *box) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (int k = 0; k < box->nx * box->ny; ++k)
    for (size_t i = 0; i < (size_t)box->cells[k].n * sizeof *box->cells[k].p; ++i)
      hash = (hash ^ ((const unsigned char *)box->cells[k].p)[i]) * 0x100000001b3u;
  return hash;
}

/* Prints the results and says what is not as it must be. */
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
  printf("steps            %d (%d evaluations of the forces)\n", o->steps, o->steps + 1);
  printf("units a step     %d (%d interact, %d advance)\n", 10 * cells, 9 * cells, cells);
  printf("particles        %lld (%lld migrations)\n", particles, out->migrated);
  printf("kinetic energy   %.17g\n", out->last.kinetic);
  printf("potential energy %.17g\n", out->last.potential);
  printf("total energy     %.17g\n", out->last.kinetic + out->last.potential);
  printf("relative drift   %.3g (at most %g)\n", out->drift, o->max_drift);
  printf("total momentum   %.3g %.3g (of %.3g)\n", momentum.x, momentum.y, size);
  if (o->fingerprint)
    printf("fingerprint      %016llx\n", (unsigned long long)fingerprint(box));
  if (o->time)
    printf("seconds          %.3f (%.6f a step)\n", seconds, seconds / o->steps);
  if (particles != o->particles) {
    fprintf(stderr, "md2d: %lld particles are left of %d: particles were lost or doubled.\n", particles,
            o->particles);
    return 1;
  }
  if (!(fabs(momentum.x) + fabs(momentum.y) <= 1e-9 * size))
    return fail(1, "the total momentum is not conserved: the forces of the pairs do not cancel.");
  if (!(out->drift <= o->max_drift))
    return fail(1, "the total energy is not conserved; choose a smaller --dt or a larger --max-drift.");
  return 0;
}

int main(int argc, char **argv) {
  struct options o = {.particles = 20000, .nx = 16, .ny = 16, .steps = 20, .seed = 1};
  o.dt = 0.002, o.cutoff = 2.5, o.density = 0.6, o.temperature = 1, o.max_drift = 1e-3;
  int status = parse(argc, argv, &o);
  if (status)
    return status < 0 ? 0 : status;

  /* Square cells; the density decides how large they are. */
  double side = sqrt(o.particles / o.density / o.nx / o.ny);
  if (side < o.cutoff) {
    fprintf(stderr,
            "md2d: the cells are %.4g wide, less than the cut-off %g, so neighbours would be missed; "
            "choose fewer --cells, more --particles, or a lower --density.\n",
            side, o.cutoff);
    return 2;
  }
  int cells = o.nx * o.ny;
  struct box box = {.nx = o.nx, .ny = o.ny, .width = side * o.nx, .height = side * o.ny};
  box.cells = calloc((size_t)cells, sizeof *box.cells);
  box.energies = calloc((size_t)cells, sizeof *box.energies);
  bool ok = box.cells && box.energies;
  struct particle none = {0, 0, 0, 0};
  for (int k = 0; ok && k < cells; ++k) { /* so that empty cells have arrays too */
    ok = append(&box.cells[k], none);
    box.cells[k].n = 0;
  }
  if (ok && fill(&box, &o)) {
    printf("md2d: %d particles in %dx%d cells, box %.6g x %.6g, %d steps of %g\n", o.particles, o.nx, o.ny,
           box.width, box.height, o.steps, o.dt);
    printf("md2d: cut-off %g, density %g, temperature %g, seed %llu\n", o.cutoff, o.density, o.temperature,
           (unsigned long long)o.seed);
    struct outcome out = {{0, 0}, {0, 0}, 0, 0};
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    status = simulate(&box, &o, &out);
    timespec_get(&end, TIME_UTC);
    if (!status)
      status = report(&box, &o, &out,
                      (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
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
