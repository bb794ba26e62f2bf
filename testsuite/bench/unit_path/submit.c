/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the submitting thread pays: nanoseconds a call from the first to the last, and a unit to the end of
 * the wait, of each timed round. Units are few enough for no back-pressure. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { UNITS = 50000 };
static unsigned char bytes[UNITS];

#pragma agglom task independent inout(byte[0 : 1])
static void mark(unsigned char *byte) { ++*byte; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20;
  for (int r = 0; r <= rounds; ++r) {
    double begin = now();
    for (int i = 0; i < UNITS; ++i)
      mark(&bytes[i]);
    double submitted = now();
#pragma agglom wait
    double end = now();
    for (int i = 0; i < UNITS; ++i)
      if (bytes[i] != (unsigned char)(r + 1)) {
        fprintf(stderr, "%s: unit %d ran %d times in %d rounds\n", argv[0], i, bytes[i], r + 1);
        return 1;
      }
    if (r)
      printf("%.2f %.2f\n", (submitted - begin) / UNITS, (end - begin) / UNITS);
  }
  return 0;
}
