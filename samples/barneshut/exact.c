/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "exact.h"
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* What body j and its images do to body i; without Ewald's sum (a side of 0) the body alone. */
static void feel_images(struct field *f, const struct world *w, const struct ewald *e, int i, int j) {
  double softening2 = w->softening * w->softening, g[4];
  int images = e->side > 0 ? 1 : 0;
  for (int x = -images; x <= images; ++x)
    for (int y = -images; y <= images; ++y)
      for (int z = -images; z <= images; ++z) {
        double r[3] = {w->source[i].x - w->source[j].x - x * e->side,
                       w->source[i].y - w->source[j].y - y * e->side,
                       w->source[i].z - w->source[j].z - z * e->side};
        double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        if (r2 == 0 || (images && r2 > e->reach * e->reach))
          continue;
        if (images)
          ewald_screened(r2, softening2, e->alpha, g);
        else
          octree_plummer(r2, softening2, g);
        octree_feel_body(f, w->source[j].w, r, g);
      }
}

double exact_error(const struct world *w, int sample) {
  struct ewald e = {0};
  double side = w->ewald.side, wave = side > 0 ? ewald_wave(&w->ewald) : 0, *sum = NULL;
  if (side > 0 && !ewald_make(&e, side, 3.5, 1, 5))
    return -1;
  if (e.waves && !(sum = calloc(2 * (size_t)e.waves, sizeof *sum))) {
    ewald_free(&e);
    return -1;
  }
  for (int i = 0; i < w->n && e.waves; ++i)
    for (int r = 0; r < e.rows; ++r)
      ewald_add_to_row(&e.row[r], wave, w->source[i], sum);
  double error = 0;
  if (sample > w->n)
    sample = w->n;
  for (int k = 0; k < sample; ++k) {
    int i = (int)((long long)k * w->n / sample);
    struct field f = {0, 0, 0, 0};
    for (int j = 0; j < w->n; ++j)
      feel_images(&f, w, &e, i, j);
    if (e.waves)
      ewald_feel_waves(&f, e.row, e.rows, wave, e.strength, sum, w->source[i]);
    double x = w->field[i].x - f.x, y = w->field[i].y - f.y, z = w->field[i].z - f.z;
    double size2 = f.x * f.x + f.y * f.y + f.z * f.z, wrong2 = x * x + y * y + z * z;
    error += wrong2 > 0 ? sqrt(wrong2 / size2) / sample : 0;
  }
  free(sum);
  ewald_free(&e);
  return error;
}

/* ---- What is known of periodic sums ------------------------------------------------------------------ */

/* The field at body 0 of n bodies in a cube of side 2. */
static struct field periodic_field(struct verdict *v, int n, const struct source *body) {
  struct world w = {.bucket = 2, .theta = 0, .sorted = true};
  struct field f = {0, 0, 0, NAN};
  bool good = world_reserve(&w, n) && ewald_make(&w.ewald, 2, 6, 1, 12);
  for (int i = 0; good && i < n; ++i)
    w.source[i] = body[i];
  if (good && world_forces(&w))
    for (int i = 0; i < n; ++i)
      if (w.id[i] == 0)
        f = w.field[i];
  verify_that(v, !isnan(f.potential), "there is no memory for the self-test.");
  world_free(&w);
  return f;
}

/* The same for one body of weight 1 at d and its images, felt at the origin, image by image: a cube of (2
 * many + 1)^3 of them, each with a background of weight -1 that fills its own cube. With its background at
 * its own place the whole has a dipole, d, of which Ewald's sum knows nothing. */
static struct field many_images(const double d[3], int many) {
  struct field f = {4 * pi / 3 * d[0] / 8, 4 * pi / 3 * d[1] / 8, 4 * pi / 3 * d[2] / 8, 0};
  double g[4];
  for (int x = -many; x <= many; ++x)
    for (int y = -many; y <= many; ++y)
      for (int z = -many; z <= many; ++z) {
        const double r[3] = {-d[0] - 2 * x, -d[1] - 2 * y, -d[2] - 2 * z};
        octree_plummer(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], 0, g);
        octree_feel_body(&f, 1, r, g);
      }
  return f;
}

void exact_selftest(struct verdict *v) {
  /* Rock salt, its ions 1 apart, and caesium chloride, whose ions are sqrt(3) apart in a cube of side 2: the
   * energy of an ion in units of the energy of the nearest pair. */
  struct source salt[8];
  for (int i = 0; i < 8; ++i)
    salt[i] = (struct source){(i & 1) - 0.75, (i >> 1 & 1) - 0.75, (i >> 2 & 1) - 0.75,
                              (i ^ i >> 1 ^ i >> 2) & 1 ? -1 : 1};
  double madelung = periodic_field(v, 8, salt).potential;
  printf("%-16s %.12f\n", "Madelung NaCl", madelung);
  verify_at_most(v, "NaCl error", fabs(madelung + 1.747564594633), 1e-11, NULL);
  const struct source caesium[2] = {{-0.5, -0.5, -0.5, 1}, {0.5, 0.5, 0.5, -1}};
  madelung = sqrt(3) * periodic_field(v, 2, caesium).potential;
  printf("%-16s %.12f\n", "Madelung CsCl", madelung);
  verify_at_most(v, "CsCl error", fabs(madelung + 1.762674773071), 1e-11, NULL);
  const double d[3] = {0.3, -0.1, 0.55};
  const struct source pair[2] = {{0, 0, 0, 0}, {d[0], d[1], d[2], 1}};
  struct field ewald = periodic_field(v, 2, pair), images = many_images(d, 100);
  printf("%-16s %.9f %.9f %.9f\n", "lattice force", ewald.x, ewald.y, ewald.z);
  double x = ewald.x - images.x, y = ewald.y - images.y, z = ewald.z - images.z;
  verify_at_most(v, "lattice error", sqrt(x * x + y * y + z * z), 1e-6, NULL);
}
