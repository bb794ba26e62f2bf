/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* pgm-tiles: sharpens a grey picture, tile by tile.
 *
 * The picture is cut into small tiles with a border one pixel wide around each, every tile becomes one
 * work unit, and the sharpened tiles are put together again. Integers only, so the agglomerated program
 * and the serial one write the same bytes.
 *
 * Serial, any C11 compiler:  cc -O2 pgm-tiles.c -o pgm-tiles
 * Agglomerated:              agglomcc -O2 pgm-tiles.c -o pgm-tiles */
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* for compilers without agglom */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16, EDGED = TILE + 2 }; /* pixels along a tile's side, without and with its border */

/* ---- The work unit: all there is to agglomerate ---------------------------------------------- */

#pragma agglom task in(src[0:EDGED * EDGED]) out(dst[0:TILE * TILE]) independent
static void sharpen(const unsigned char *src, unsigned char *dst, int maxval) {
#pragma agglom loop
  for (int i = 0; i < TILE * TILE; ++i) {
    const unsigned char *p = src + (i / TILE + 1) * EDGED + i % TILE + 1;
    int v = 5 * p[0] - p[-1] - p[1] - p[-EDGED] - p[EDGED];
    dst[i] = (unsigned char)(v < 0 ? 0 : v > maxval ? maxval : v);
  }
}

/* ---- Cutting and pasting --------------------------------------------------------------------- */

struct picture {
  int width, height, maxval;
  unsigned char *pixels; /* height rows of width */
};

static int clamp(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static unsigned char *pixel(const struct picture *pic, int x, int y) {
  return &pic->pixels[(size_t)y * (size_t)pic->width + (size_t)x];
}

/* Copies the tile whose top left pixel is (x, y), with its border; beyond the picture's edge the edge
 * pixels are repeated. */
static void cut(const struct picture *pic, int x, int y, unsigned char *tile) {
  for (int i = 0; i < EDGED; ++i)
    for (int j = 0; j < EDGED; ++j)
      tile[i * EDGED + j] = *pixel(pic, clamp(x + j - 1, pic->width), clamp(y + i - 1, pic->height));
}

/* Copies the part of the tile that lies in the picture back to (x, y). */
static void paste(struct picture *pic, int x, int y, const unsigned char *tile) {
  for (int i = 0; i < TILE && y + i < pic->height; ++i)
    for (int j = 0; j < TILE && x + j < pic->width; ++j)
      *pixel(pic, x + j, y + i) = tile[i * TILE + j];
}

/* Returns the number of tiles, or 0 when there is not enough memory. */
static int sharpen_picture(struct picture *pic) {
  int across = (pic->width + TILE - 1) / TILE, down = (pic->height + TILE - 1) / TILE, tiles = across * down;
  unsigned char *src = malloc((size_t)tiles * EDGED * EDGED), *dst = malloc((size_t)tiles * TILE * TILE);
  bool ok = src && dst;
  if (ok) {
    for (int t = 0; t < tiles; ++t)
      cut(pic, t % across * TILE, t / across * TILE, src + (size_t)t * EDGED * EDGED);
    for (int t = 0; t < tiles; ++t)
      sharpen(src + (size_t)t * EDGED * EDGED, dst + (size_t)t * TILE * TILE, pic->maxval);
#pragma agglom wait
    for (int t = 0; t < tiles; ++t)
      paste(pic, t % across * TILE, t / across * TILE, dst + (size_t)t * TILE * TILE);
  }
  free(src);
  free(dst);
  return ok ? tiles : 0;
}

/* ---- PGM files ------------------------------------------------------------------------------- */

enum { MAX_SIDE = 32768 };

static bool complain(const char *path, const char *sentence) {
  fprintf(stderr, "pgm-tiles: %s: %s\n", path, sentence);
  return false;
}

/* Reads a number of the header: white space and comments, then digits. Returns -1 when there is none,
 * and a number above any limit when it is too long. */
static int header_number(FILE *file) {
  int c = getc(file);
  while (c == '#' || isspace(c)) {
    if (c == '#')
      while (c != '\n' && c != '\r' && c != EOF)
        c = getc(file);
    else
      c = getc(file);
  }
  if (!isdigit(c))
    return -1;
  int value = 0;
  for (; isdigit(c); c = getc(file))
    value = value < 1000000 ? value * 10 + (c - '0') : value;
  ungetc(c, file);
  return value;
}

/* Fills pic from an open file; says what is wrong with it. */
static bool read_open(struct picture *pic, FILE *file, const char *path) {
  int p = getc(file), kind = getc(file);
  if (ferror(file))
    return complain(path, "it cannot be read; is it a folder?");
  if (p != 'P' || kind != '5')
    return complain(path, "this is not a binary PGM file: it does not begin with P5.");
  pic->width = header_number(file);
  pic->height = header_number(file);
  pic->maxval = header_number(file);
  if (pic->width < 0 || pic->height < 0 || pic->maxval < 0)
    return complain(path, "the PGM header is not 'P5 width height maxval' in decimal numbers.");
  if (pic->width < 1 || pic->height < 1 || pic->width > MAX_SIDE || pic->height > MAX_SIDE)
    return complain(path, "width and height must be from 1 to 32768 pixels.");
  if (pic->maxval < 1 || pic->maxval > 255)
    return complain(path,
                    "the largest grey value must be from 1 to 255; convert 16-bit files to 8 bits first.");
  if (!isspace(getc(file)))
    return complain(path, "one white space must stand between the PGM header and the pixels.");
  size_t size = (size_t)pic->width * (size_t)pic->height;
  pic->pixels = malloc(size);
  if (!pic->pixels)
    return complain(path, "out of memory; the picture is too large.");
  if (fread(pic->pixels, 1, size, file) != size)
    return complain(path, "the file ends before the last pixel.");
  for (size_t i = 0; i < size; ++i)
    if (pic->pixels[i] > pic->maxval)
      return complain(path, "a pixel is brighter than the header's largest grey value.");
  return true;
}

static bool read_pgm(struct picture *pic, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "pgm-tiles: %s: ", path);
    perror("cannot read it");
    return false;
  }
  bool ok = read_open(pic, file, path);
  fclose(file);
  return ok;
}

static bool write_pgm(const struct picture *pic, const char *path, const char *comment) {
  FILE *file = fopen(path, "wb");
  if (!file) {
    fprintf(stderr, "pgm-tiles: %s: ", path);
    perror("cannot write it");
    return false;
  }
  size_t size = (size_t)pic->width * (size_t)pic->height;
  fprintf(file, "P5\n%s%d %d\n%d\n", comment, pic->width, pic->height, pic->maxval);
  bool ok = fwrite(pic->pixels, 1, size, file) == size;
  ok = !ferror(file) && ok;
  ok = !fclose(file) && ok;
  return ok || complain(path, "could not be written completely; is the disk full?");
}

/* ---- A test picture -------------------------------------------------------------------------- */

/* Rings on a slope, a chequered corner and a little noise: soft and hard edges in all directions. */
static unsigned char test_pixel(int x, int y, int width, int height, unsigned *noise) {
  *noise = *noise * 1664525u + 1013904223u;
  long long dx = 2LL * x - width, dy = 2LL * y - height;
  long long v = 64 + 96LL * x / width + 32LL * y / height;
  if ((dx * dx + dy * dy) / (12LL * (width + height)) % 2)
    v += 40;
  if (x < width / 3 && y < height / 3 && (x / 8 + y / 8) % 2)
    v -= 56;
  v += (int)(*noise >> 28) - 8;
  return (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
}

static bool parse_size(const char *text, struct picture *pic) {
  char *end;
  long w = strtol(text, &end, 10), h = 0;
  if (end != text && *end == 'x') {
    const char *second = end + 1;
    h = strtol(second, &end, 10);
    if (end != second && !*end && w >= 1 && h >= 1 && w <= MAX_SIDE && h <= MAX_SIDE) {
      pic->width = (int)w;
      pic->height = (int)h;
      pic->maxval = 255;
      return true;
    }
  }
  fprintf(stderr, "pgm-tiles: --generate takes a size from 1x1 to %dx%d, like 640x480, not '%s'.\n", MAX_SIDE,
          MAX_SIDE, text);
  return false;
}

static bool generate(struct picture *pic, const char *path) {
  pic->pixels = malloc((size_t)pic->width * (size_t)pic->height);
  if (!pic->pixels)
    return complain(path, "out of memory; the picture is too large.");
  unsigned noise = 1;
  for (int y = 0; y < pic->height; ++y)
    for (int x = 0; x < pic->width; ++x)
      *pixel(pic, x, y) = test_pixel(x, y, pic->width, pic->height, &noise);
  return write_pgm(
      pic, path,
      "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n# made by pgm-tiles --generate\n");
}

/* ---- main ------------------------------------------------------------------------------------ */

static const char usage[] =
    "usage: pgm-tiles IN.pgm OUT.pgm             sharpen a binary PGM picture (P5, 8 bits)\n"
    "       pgm-tiles --generate WxH OUT.pgm     make a test picture\n";

int main(int argc, char **argv) {
  struct picture pic = {0, 0, 0, NULL};
  bool ok;
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    fputs(usage, stdout);
    return 0;
  }
  if (argc == 4 && !strcmp(argv[1], "--generate")) {
    if (!parse_size(argv[2], &pic))
      return 2;
    ok = generate(&pic, argv[3]);
  } else if (argc == 3 && argv[1][0] != '-') {
    int tiles = 0;
    ok = read_pgm(&pic, argv[1]);
    if (ok) {
      tiles = sharpen_picture(&pic);
      ok = tiles ? write_pgm(&pic, argv[2], "")
                 : complain(argv[1], "out of memory; the picture is too large.");
    }
    if (ok)
      printf("%dx%d pixels sharpened in %d tiles of %dx%d\n", pic.width, pic.height, tiles, TILE, TILE);
  } else {
    fputs(usage, stderr);
    return 2;
  }
  free(pic.pixels);
  return ok ? 0 : 1;
}
