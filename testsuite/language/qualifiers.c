// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// const, restrict and register objects, constant tables inside functions, static ones in helpers, const members, pointers to
// const and const pointers, alignment, objects initialised from each other.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 9, N = 25 };
struct limits {
  const int low, high;
  const char name[4];
};
static const struct limits file_limits[] = {{-5, 5, "abc"}, {.high = 100, .low = 0}};
const double shared_scale = 0.25;
static const int *const nothing = 0;

static int weight(unsigned i) {
  static const unsigned short primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  static const struct {
    char c;
    int v[2];
  } steps[2] = {{'a', {1, 2}}, {'b', {3, 4}}};
  return primes[i % (sizeof primes / sizeof *primes)] * steps[i & 1].v[i >> 1 & 1] + steps[i & 1].c;
}
static void copy(const int *restrict from, int *restrict to, register int n) {
  for (register const int *const end = from + n; from < end;)
    *to++ = *from++;
}
static const int *clip(const int *p, const int *const first, const int *const last) {
  return p < first ? first : p > last ? last : p;
}

#pragma agglom task in(x[0:n]) out(y[0:n]) inout(z[0:n])
static void qualified(const int n, const int *restrict const x, int *restrict y, double *const z) {
  static const signed char turns[4] = {1, -1, 2, -2};
  const int half = n / 2, both[2] = {half, n - half}, *const middle = x + half;
  const struct limits own = {both[0], .high = both[1]}, *use = n & 1 ? &own : &file_limits[n % 2];
  const double step = shared_scale * n, *const unused = 0;
  copy(middle, y, n - half);
  copy(x, y + (n - half), half);
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    const int v = *clip(x + 2 * i - 3, x, &x[n - 1]), w = turns[i % 4] * v;
    y[i] = y[i] * 3 + w + weight((unsigned)i) + (use->low < v) + use->high + use->name[i % 4] + (unused == 0);
    z[i] += step * (const double)i + file_limits[i & 1].high;
  }
}

int main(void) {
  static int x[UNITS][N], y[UNITS][N];
  static double z[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = i * i - u * 20, z[u][i] = u;
  for (int u = 0; u < UNITS; u++)
    qualified(N - u, x[u], y[u], z[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d %g\n", y[u][i], z[u][i]);
  return 0;
}
