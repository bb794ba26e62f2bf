// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants: static tables, designated and nested, strings, enumerators, a constant made of another, and ones that
// device code and host code both use.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: look: 18 units in
#include <stdint.h>
#include <stdio.h>

enum { STEPS = 4 };
static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
const double weights[2][STEPS] = {{0.5, -0.25, 1e-3, 1.0 / 3}, {0, 0, 7}};
static const struct rule {
  const char code;
  struct {
    int16_t from, to;
  } range;
  float gain[3];
} rules[3] = {{'a', {1, 5}, {1, 2, 3}}, {.code = 'b', .gain = {0, .125f}}, {0, {-4, 4}, {0}}};
static const char text[] = "task\tto\0grind\377";
static const unsigned long long mask = 0xff00ff00ff00ff00u, shift = sizeof text;
const float scale = 0.1f;
static const unsigned char *const no_pointer = 0; // not used by device code

static double weigh(int r, int k) { return weights[r & 1][k & (STEPS - 1)] * scale; }

#pragma agglom task inout(x[0:n], y[0:n])
void look(int n, double *x, unsigned long long *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    const struct rule *r = &rules[i % 3];
    x[i] += weigh(i, i >> 1) + r->gain[i % 3] * scale + r->range.to;
    y[i] = (y[i] ^ mask) + (unsigned char)text[i % (int)sizeof text] + primes[i & 7] + r->code + (y[i] >> shift);
    y[i] += (unsigned char)"literal"[i & 7];
  }
}

int main(void) {
  static double x[18][41];
  static unsigned long long y[18][41];
  for (int u = 0; u < 18; u++)
    for (int i = 0; i < 41; i++)
      x[u][i] = u, y[u][i] = 0x9e3779b97f4a7c15u * (unsigned)(i + u);
  for (int u = 0; u < 18; u++)
    look(41, x[u], y[u]);
#pragma agglom wait
  for (int u = 0; u < 18; u++)
    for (int i = 0; i < 41; i++)
      printf("%a %llu %d\n", x[u][i], y[u][i], primes[i & 7] + rules[i % 3].code + (no_pointer == 0));
  return 0;
}
