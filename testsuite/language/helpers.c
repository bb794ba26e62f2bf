// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that tasks call: inline, static inline, of external linkage, declared before, with const, restrict and array
// parameters, that call each other, change their parameters, are called for a part of an expression, by two tasks and by the host.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 10, N = 30 };
struct context {
  int calls;
  unsigned seed;
};

static int second(int v, struct context *c);
int third(int v);
static inline __attribute__((always_inline)) int square(const int v) { return v * v; }
static int first(int v, struct context *restrict c) {
  c->calls++;
  return v > 3 ? second(v - 1, c) + square(third(v)) : v;
}
static int second(int v, struct context *c) {
  v += (int)(c->seed = c->seed * 1103515245u + 12345u) >> 28;
  return c->calls += 2, third(v) * 2;
}
int third(int v) {
  register int r = 1;
  while (v-- > 1)
    r = (r * 3 + v) % 101;
  return r;
}
static void fill(int n, int a[], int (*b)[3], const int c[static 2]) {
  for (int *p = a; p < a + n; p++)
    *p = c[(p - a) & 1] + b[1][2];
}
static double average(const float *x, unsigned n) {
  double s = 0;
  for (unsigned i = n; i; s += x[--i])
    ;
  return n ? s / n : 0;
}
static _Bool is_even(unsigned v) { return !(v & 1); }
static uint8_t wrap(uint8_t v) { return ++v; }
static char next_letter(char c) { return c == 'z' ? 'a' : c + 1; }
static int many(char a, short b, long long c, float d, double e, uint8_t f, _Bool g, int *h, const char *i, unsigned j) {
  return a + b + (int)(c >> 30) + (int)(d * 2) + (int)e + f + g + *h + i[2] + (int)j;
}

#pragma agglom task inout(x[0:n]) out(c[0:1])
static void use(int n, int *x, struct context *c) {
  struct context local = {.seed = (unsigned)n};
  int table[8], pairs[2][3] = {{0}, {1, 2, n}};
  for (int i = 0; i < n; i++)
    x[i] = first(x[i], &local) + (is_even((unsigned)i) ? wrap((uint8_t)x[i]) : next_letter((char)('a' + i % 26)));
  fill(8, table, pairs, (const int[]){n, -n});
  *c = local, c->calls += table[7] + table[0] * third(3);
}
#pragma agglom task inout(x[0:n]) in(f[0:n])
static void use_again(int n, int *x, const float *f) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct context own = {i, 7u};
    x[i] += first(i, &own) * own.calls - square(second(i % 5, &own)) + (int)(average(f, (unsigned)i) * 64);
    x[i] = many((char)x[i], (short)(x[i] * 3), (long long)x[i] * 8589934592, f[i], f[i] * .5, wrap(255), is_even(3), x + i, "abc", 7u);
  }
}

int main(void) {
  static int x[UNITS][N];
  static float f[UNITS][N];
  static struct context c[UNITS], own;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = i - u, f[u][i] = (float)(i * u) / 8;
  for (int u = 0; u < UNITS; u++)
    use(N, x[u], &c[u]), use_again(N, x[u], f[u]);
  int host = first(9, &own) + third(4);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i++)
      printf("%d ", x[u][i]);
    printf("%d %u\n", c[u].calls, c[u].seed);
  }
  printf("%d %d\n", host, own.calls);
  return 0;
}
