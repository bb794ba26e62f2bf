/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* usage: tracing KIND UNITS: rounds of empty units of a kind; prints nanoseconds a unit, a line for each round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, MOST = 4000000 };

#pragma agglom task independent inout(byte[0:1])
static void flat(unsigned char *byte) { ++*byte; }

#pragma agglom task inout(byte[0:1])
static void graph(unsigned char *byte) { ++*byte; }

#pragma agglom task inout(byte[0:1]) device(cpu)
static void host(unsigned char *byte) { ++*byte; }

static unsigned char bytes[MOST];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  int n = argc == 3 ? atoi(argv[2]) : 0;
  if (n < 1 || n > MOST)
    return 2;
  for (int round = -1; round < ROUNDS; ++round) { /* the first one only warms up */
    double begin = now();
    for (int i = 0; i < n; ++i)
      if (!strcmp(argv[1], "flat"))
        flat(&bytes[i]);
      else if (!strcmp(argv[1], "host"))
        host(&bytes[i]);
      else
        graph(&bytes[i]);
#pragma agglom wait
    if (round >= 0)
      printf("%.2f\n", (now() - begin) / n);
  }
  for (int i = 0; i < n; ++i)
    if (bytes[i] != ROUNDS + 1)
      return 1;
  return 0;
}
