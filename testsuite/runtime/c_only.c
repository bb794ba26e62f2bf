// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C that only C has: sums of enums, types of members used outside, designators in any order, static in a
// parameter, implicit conversions of void *, nested initialisers without braces.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: paint: 30 units in
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum colour { RED = -3, GREEN, BLUE = 40, LAST = BLUE + 2 };
enum { SMALL = 5, WIDE = 0x7fffffff };
typedef enum colour colour;
typedef colour tone, *tones;
typedef double real;
typedef real row[4];
typedef row matrix[3];
typedef const matrix *matrices;
typedef struct shape_s shape, *shape_ptr;
typedef shape_ptr const fixed_shape;
struct shape_s {
  tone t;
  matrix m;
  enum { LINE, RING = 9 } form;
  struct part {
    int8_t size;
    struct shape_s *none;
  } parts[SMALL];
};
typedef int (*unused)(shape *);
typedef unsigned long size;

static const struct rule {
  char code;
  struct {
    short from, to;
  } range;
  float gain[3];
} rules[3] = {{'a', {1, 5}, {1, 2, 3}}, {.gain = {[1] = .125f}, .code = 'b'}, [2].range = {-4, 4}};
static const int flat[2][2] = {1, 2, 3, 4}, sparse[8] = {[6] = 9, [1] = 4, 5};

#pragma agglom task inout(s[0 : n]) in(m[0 : 1])inout(t[0 : SMALL])
void paint(size n, fixed_shape s, matrices m, enum colour t[static SMALL]) {
  void *untyped = s;
  shape *same = untyped;
  const row *first = m[0];
  for (enum colour c = RED; c < BLUE; c++)
    t[(c - RED) % SMALL] += c == GREEN ? LAST : RED;
#pragma agglom loop
  for (size i = 0; i < n; ++i) {
    shape *const p = &same[i];
    p->t = (tone)(p->t + (p->t < 0 ? BLUE : GREEN));
    for (int r = 0; r < 3; r++)
      for (size_t k = 0; k < sizeof(row) / sizeof(real); k++)
        p->m[r][k] += first[r][k] * (real)(sizeof p->parts + offsetof(struct part, none));
    struct rule r = rules[i % 3], other = {.range = {.to = 2}, .code = r.code};
    p->m[0][1] +=
        r.gain[1] + other.code * r.range.from + flat[i & 1][1] + sparse[i & 7] + (int[]){4, 5}[i & 1];
    p->form = p->t > GREEN ? RING : LINE;
    p->parts[i % SMALL].size = (int8_t)(p->form + (WIDE & 15));
  }
}

int main(void) {
  static shape s[30][11];
  static tone t[30][SMALL];
  static const matrix m = {{1, 2, 3, 4}, {.5, .25}, [2][3] = -1};
  for (int u = 0; u < 30; u++)
    for (int i = 0; i < 11; i++)
      s[u][i].t = (tone)(i - 5 + u);
  for (int u = 0; u < 30; u++)
    paint(11, s[u], &m, t[u]);
#pragma agglom wait
  for (int u = 0; u < 30; u++) {
    for (int i = 0; i < 11; i++)
      printf("%d %d %d %g %g %g;", s[u][i].t, s[u][i].form, s[u][i].parts[i % SMALL].size, s[u][i].m[0][1],
             s[u][i].m[1][1], s[u][i].m[2][3]);
    for (int k = 0; k < SMALL; k++)
      printf(" %d", t[u][k]);
    printf("\n");
  }
  return 0;
}
