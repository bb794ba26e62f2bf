/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tipsy.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a particle. Gas: density, temperature, softening, metals, potential behind the first seven; dark
 * matter: softening, potential; stars: metals, time of birth, softening, potential. */
enum { GAS = 12, DARK = 9, STAR = 11, HEADER = 32 };

/* The largest number of particles of all sorts: with it, places in `values` and numbers of nodes are ints. */
enum { MOST = 100000000 };

static size_t values_before(const struct tipsy *t, int i) {
  size_t gas = (size_t)(i < t->gas ? i : t->gas), others = (size_t)i - gas;
  size_t dark = others < (size_t)t->dark ? others : (size_t)t->dark;
  return GAS * gas + DARK * dark + STAR * (others - dark);
}

float *tipsy_particle(const struct tipsy *t, int i) { return t->values + values_before(t, i); }

float *tipsy_potential(const struct tipsy *t, int i) { return t->values + values_before(t, i + 1) - 1; }

bool tipsy_new(struct tipsy *t, int n, float softening) {
  *t = (struct tipsy){.dark = n, .values = calloc((size_t)n, DARK * sizeof *t->values)};
  for (int i = 0; t->values && i < n; ++i)
    t->values[(size_t)i * DARK + TIPSY_LEAST] = softening;
  return t->values;
}

void tipsy_free(struct tipsy *t) {
  free(t->values);
  t->values = NULL;
}

static bool wrong(const char *program, const char *path, const char *sentence) {
  fprintf(stderr, "%s: %s: %s\n", program, path, sentence);
  return false;
}

/* ---- Big-endian numbers, whatever the machine --------------------------------------------------------- */

static uint32_t big32(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t little32(const unsigned char *b) {
  return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static void put32(unsigned char *b, uint32_t x) {
  for (int i = 0; i < 4; ++i)
    b[i] = (unsigned char)(x >> (24 - 8 * i));
}

static int signed32(uint32_t x) {
  int32_t i;
  memcpy(&i, &x, sizeof i);
  return i;
}

/* ---- Reading ------------------------------------------------------------------------------------------ */

/* What is wrong with the header, or null. The file has `size` bytes. */
static const char *read_header(const unsigned char *header, long size, struct tipsy *t) {
  int total = signed32(big32(header + 8)), dimensions = signed32(big32(header + 12));
  if (dimensions != 3 && little32(header + 12) == 3)
    return "this is a TIPSY file in the byte order of a little-endian machine; the standard format is "
           "big-endian: write it in that format first.";
  if (dimensions != 3)
    return "this is not a TIPSY file: the header does not say that space has 3 dimensions.";
  uint64_t time_bits = (uint64_t)big32(header) << 32 | big32(header + 4);
  memcpy(&t->time, &time_bits, sizeof t->time);
  t->gas = signed32(big32(header + 16));
  t->dark = signed32(big32(header + 20));
  t->stars = signed32(big32(header + 24));
  if (total < 0 || t->gas < 0 || t->dark < 0 || t->stars < 0)
    return "the header has a negative number of particles.";
  if ((int64_t)t->gas + t->dark + t->stars != total)
    return "the header's numbers of gas, dark and star particles do not add up to that of all.";
  if (total == 0)
    return "there are no particles in it.";
  if (total > MOST)
    return "it has more than 100,000,000 particles, which is too many for this program.";
  if (!isfinite(t->time))
    return "the header's time is not a number.";
  size_t wanted = HEADER + values_before(t, total) * 4;
  if ((size_t)size < wanted)
    return "the file is shorter than the header's numbers of particles say: it was truncated.";
  if ((size_t)size > wanted)
    return "the file is longer than the header's numbers of particles say.";
  return NULL;
}

static const char *read_values(FILE *file, struct tipsy *t) {
  size_t count = values_before(t, tipsy_bodies(t));
  t->values = malloc(count * sizeof *t->values);
  if (!t->values)
    return "out of memory for its particles.";
  if (fread(t->values, 4, count, file) != count)
    return "the file could not be read to its end.";
  for (size_t k = 0; k < count; ++k) {
    unsigned char bytes[4];
    memcpy(bytes, &t->values[k], 4);
    uint32_t bits = big32(bytes);
    memcpy(&t->values[k], &bits, 4);
  }
  for (int i = 0; i < tipsy_bodies(t); ++i) {
    const float *p = tipsy_particle(t, i);
    for (int k = 0; k < TIPSY_LEAST; ++k)
      if (!isfinite(p[k]))
        return "a particle has a mass, position or velocity that is not a finite number.";
    if (p[TIPSY_MASS] < 0)
      return "a particle has a negative mass.";
  }
  return NULL;
}

bool tipsy_read(const char *program, const char *path, struct tipsy *t) {
  *t = (struct tipsy){0};
  FILE *file = fopen(path, "rb");
  if (!file)
    return wrong(program, path, strerror(errno));
  unsigned char header[HEADER];
  const char *what = NULL;
  long size = -1;
  if (fread(header, 1, HEADER, file) != HEADER)
    what = ferror(file) ? "it cannot be read; is it a folder?" : "the file ends within the header of TIPSY.";
  else if (fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, HEADER, SEEK_SET))
    what = "its size cannot be found out; it must be a file, not a pipe.";
  if (!what)
    what = read_header(header, size, t);
  if (!what)
    what = read_values(file, t);
  fclose(file);
  if (!what)
    return true;
  tipsy_free(t);
  return wrong(program, path, what);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

void tipsy_write(FILE *file, const struct tipsy *t) {
  unsigned char header[HEADER] = {0};
  uint64_t time_bits;
  memcpy(&time_bits, &t->time, sizeof time_bits);
  put32(header, (uint32_t)(time_bits >> 32));
  put32(header + 4, (uint32_t)time_bits);
  const int counts[5] = {tipsy_bodies(t), 3, t->gas, t->dark, t->stars};
  for (int k = 0; k < 5; ++k)
    put32(header + 8 + 4 * k, (uint32_t)counts[k]);
  fwrite(header, 1, HEADER, file);
  size_t count = values_before(t, tipsy_bodies(t));
  for (size_t k = 0; k < count; ++k) {
    uint32_t bits;
    unsigned char bytes[4];
    memcpy(&bits, &t->values[k], 4);
    put32(bytes, bits);
    fwrite(bytes, 1, 4, file);
  }
}
