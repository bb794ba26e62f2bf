/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the programs of the unit-path benchmark share: N tasks, each of which either marks a byte of its own
 * ("flat") or follows the last one that had the same of 64 counters ("chains"). The result is checked; one
 * round warms up, the next ones are timed from the first submission to the end of the wait. Prints the
 * nanoseconds a task took in each timed round. Header only: included once by each program. */
#ifndef AGGLOM_BENCH_UNIT_PATH_H
#define AGGLOM_BENCH_UNIT_PATH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHAINS = 64 };
struct counter {
  long value;
  char pad[64 - sizeof(long)]; /* a cache line each */
};

static double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Calls round(bytes, counters, n): bytes is NULL for "chains", counters NULL for "flat". */
static int bench_main(int argc, char **argv, void (*round)(unsigned char *, struct counter *, int)) {
  int n = argc > 2 ? atoi(argv[2]) : 0, rounds = argc > 3 ? atoi(argv[3]) : 3;
  int flat = argc > 1 && !strcmp(argv[1], "flat");
  if (n < CHAINS || rounds < 1 || (!flat && (argc < 2 || strcmp(argv[1], "chains")))) {
    fprintf(stderr, "usage: %s flat|chains TASKS [ROUNDS]\n", argv[0]);
    return 2;
  }
  unsigned char *bytes = (unsigned char *)calloc((size_t)n, 1);
  struct counter *counters = (struct counter *)calloc(CHAINS, sizeof *counters);
  if (!bytes || !counters)
    return 1;
  for (int r = 0; r <= rounds; ++r) {
    double begin = bench_now();
    round(flat ? bytes : NULL, flat ? NULL : counters, n);
    double ns = (bench_now() - begin) / n;
    for (int i = 0; i < n; ++i)
      if (flat && bytes[i] != r + 1) {
        fprintf(stderr, "%s: task %d ran %d times in %d rounds\n", argv[0], i, bytes[i], r + 1);
        return 1;
      }
    for (int c = 0; c < CHAINS; ++c)
      if (!flat && counters[c].value != (long)(r + 1) * (n / CHAINS + (c < n % CHAINS))) {
        fprintf(stderr, "%s: chain %d is at %ld\n", argv[0], c, counters[c].value);
        return 1;
      }
    if (r)
      printf("%.2f\n", ns);
  }
  free(bytes);
  free(counters);
  return 0;
}

#endif /* AGGLOM_BENCH_UNIT_PATH_H */
