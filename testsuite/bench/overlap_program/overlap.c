/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units that move as many bytes as they take time; prints the seconds from the first submission to the end. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#pragma agglom task inout(x[0:n])
static void touch(long n, unsigned *x) {
  x[0] += 1;
  x[n - 1] += 1;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: overlap UNITS BYTES\n");
    return 2;
  }
  long units = atol(argv[1]), n = atol(argv[2]) / (long)sizeof(unsigned);
  unsigned *x = n > 1 && units > 0 ? calloc((size_t)units * (size_t)n, sizeof *x) : NULL;
  if (!x) {
    fprintf(stderr, "overlap: no memory for %ld units of %ld numbers\n", units, n);
    return 1;
  }
  touch(n, x); /* starts the runtime */
#pragma agglom wait
  double begin = now();
  for (long u = 0; u < units; ++u)
    touch(n, x + u * n);
#pragma agglom wait
  double end = now();
  for (long u = 0; u < units; ++u)
    if (x[u * n] != (u ? 1U : 2U) || x[u * n + n - 1] != (u ? 1U : 2U)) {
      fprintf(stderr, "overlap: unit %ld has a wrong result\n", u);
      return 1;
    }
  printf("%.6f\n", end - begin);
  free(x);
  return 0;
}
