/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* graphs PATTERN WIDTH STEPS WORK UNEVEN: a graph of WIDTH points in each of STEPS steps, where a point follows
 * up to three of the step before, as PATTERN says, and takes WORK rounds of a loop, more or less by the part
 * UNEVEN. Prints nanoseconds a point, and a sum that is the same for all compilers. The patterns are those of
 * Task Bench (Slaughter et al., SC 2020). */
#include "../measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
  double x, y;
  char line[48]; /* each in a cache line of its own */
};

#pragma agglom task in(a[0:1], b[0:1], c[0:1]) out(to[0:1])
static void work(const struct point *a, const struct point *b, const struct point *c, struct point *to, long n) {
  double x = a->x + b->x / 2 + c->x / 4, y = 0;
  for (long i = 0; i < n; ++i) {
    x = x * 0.999 + 1e-7;
    y = y * 0.999 + x;
  }
  to->x = x / 2;
  to->y = y;
}

static unsigned next_random(unsigned *seed) { return (*seed = *seed * 1103515245u + 12345u) >> 16; }

/* What point i of a step follows: points of the step before; in a sweep, one of its own step as well. */
static int follow(const char *pattern, int width, long step, int i, int at[3], unsigned *seed) {
  at[0] = at[1] = at[2] = i;
  if (!strcmp(pattern, "stencil")) {
    at[0] = (i + width - 1) % width;
    at[2] = (i + 1) % width;
  } else if (!strcmp(pattern, "fft")) {
    int far = 1 << step % 4;
    at[0] = (i + width - far % width) % width;
    at[2] = (i + far) % width;
  } else if (!strcmp(pattern, "tree")) {
    at[0] = at[1] = at[2] = i / 2;
  } else if (!strcmp(pattern, "random")) {
    at[0] = (int)(next_random(seed) % (unsigned)width);
    at[2] = (int)(next_random(seed) % (unsigned)width);
  } else if (strcmp(pattern, "chains") != 0 && strcmp(pattern, "sweep") != 0) {
    return -1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  const char *pattern = argv[1];
  int width = atoi(argv[2]), bad = 0;
  long steps = atol(argv[3]), rounds = atol(argv[4]);
  double uneven = atof(argv[5]), sum = 0;
  unsigned seed = 1;
  struct point *p = aligned_alloc(64, (size_t)width * (size_t)(steps + 1) * sizeof *p);
  if (!p)
    return 1;
  memset(p, 0, (size_t)width * (size_t)(steps + 1) * sizeof *p);
  for (int i = 0; i < width; ++i)
    p[i].x = i;
  double begin = now();
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
#endif
  for (long s = 1; s <= steps; ++s)
    for (int i = 0; i < width; ++i) {
      int at[3];
      bad |= follow(pattern, width, s, i, at, &seed);
      const struct point *before = p + (s - 1) * width, *a = before + at[0], *b = before + at[1], *c = before + at[2];
      if (i && !strcmp(pattern, "sweep"))
        b = p + s * width + i - 1;
      struct point *to = p + s * width + i;
      long n = (long)((double)rounds * (1 + uneven * ((int)(next_random(&seed) % 2001) - 1000) / 1000));
#ifdef _OPENMP
#pragma omp task depend(in : *a, *b, *c) depend(out : *to) firstprivate(a, b, c, to, n)
#endif
      work(a, b, c, to, n);
    }
#ifdef AGGLOM
#pragma agglom wait
#endif
  double end = now();
  for (long k = 0; k < width * (steps + 1); ++k)
    sum += p[k].x + p[k].y;
  printf("%.1f %.17g\n", (end - begin) / (double)width / (double)steps, sum);
  free(p);
  return bad ? 2 : 0;
}
