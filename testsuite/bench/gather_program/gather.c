/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units that gather from near some place of a large array, as the cells of an unstructured mesh do, and that come
 * in any order, as messages do: another one in each round, or the same one. Prints the seconds from the first
 * submission to the end, and a sum that does not depend on the order. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PICKS = 32 };

#pragma agglom task in(x[at[0:PICKS]], at[0:PICKS]) inout(y[0:1]) independent
static void gather(const double *x, const int *at, double *y) {
  double sum = 0;
  for (int i = 0; i < PICKS; ++i)
    sum += x[at[i]];
  *y = *y / 2 + sum;
}

static uint64_t seed = 88172645463325252u;

static long draw(long n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (long)(seed % (uint64_t)n);
}

static void shuffle(long *order, long n) {
  for (long i = n - 1; i > 0; --i) {
    long j = draw(i + 1), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: gather UNITS ELEMENTS REACH ROUNDS shuffled|same\n");
    return 2;
  }
  long units = atol(argv[1]), n = atol(argv[2]), reach = atol(argv[3]), rounds = atol(argv[4]);
  int again = !strcmp(argv[5], "shuffled");
  if (units < 1 || reach < 1 || reach > n || rounds < 1) {
    fprintf(stderr, "gather: the numbers do not fit each other\n");
    return 2;
  }
  double *x = malloc((size_t)n * sizeof *x), *y = calloc((size_t)units, sizeof *y);
  int *at = malloc((size_t)units * PICKS * sizeof *at);
  long *order = malloc((size_t)units * sizeof *order);
  if (!x || !y || !at || !order) {
    fprintf(stderr, "gather: no memory\n");
    return 1;
  }
  for (long i = 0; i < n; ++i)
    x[i] = (double)(i % 1000);
  for (long u = 0; u < units; ++u) {
    long from = (long)((double)u / (double)units * (double)(n - reach + 1));
    for (int i = 0; i < PICKS; ++i)
      at[u * PICKS + i] = (int)(from + draw(reach));
    order[u] = u;
  }
  shuffle(order, units);
  double zero[PICKS + 1] = {0};
  int first[PICKS] = {0};
  gather(zero, first, &zero[PICKS]); /* starts the runtime */
#pragma agglom wait
  double begin = now();
#pragma agglom data resident(x[0:n], at[0:units * PICKS])
  {
    for (long r = 0; r < rounds; ++r) {
      for (long k = 0; k < units; ++k)
        gather(x, at + order[k] * PICKS, y + order[k]);
#pragma agglom wait
      if (again)
        shuffle(order, units);
    }
  }
  double end = now(), sum = 0;
  for (long u = 0; u < units; ++u)
    sum += y[u] * (double)(u % 7 + 1);
  printf("%.6f %.17g\n", end - begin, sum);
  free(x);
  free(y);
  free(at);
  free(order);
  return 0;
}
