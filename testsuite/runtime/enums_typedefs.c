// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enums with negative and large values, chains of typedefs, qualifiers, arrays as types, sizeof and offsetof.
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
enum form { LINE, RING = 9 };
struct part {
  int8_t size;
  struct shape_s *none;
};
struct shape_s {
  tone t;
  matrix m;
  enum form form;
  struct part parts[SMALL];
};
typedef int (*unused)(shape *);
typedef unsigned long size;

#pragma agglom task inout(s[0:n]) in(m[0:1]) inout(t[0:SMALL])
void paint(size n, fixed_shape s, matrices m, tones t) {
  const row *first = m[0];
  for (enum colour c = RED; c < BLUE; c = (enum colour)(c + 1))
    t[(c - RED) % SMALL] = (tone)(t[(c - RED) % SMALL] + (c == GREEN ? LAST : RED));
#pragma agglom loop
  for (size i = 0; i < n; ++i) {
    shape *const p = &s[i];
    p->t = (tone)(p->t + (p->t < 0 ? BLUE : GREEN));
    for (int r = 0; r < 3; r++)
      for (size_t k = 0; k < sizeof(row) / sizeof(real); k++)
        p->m[r][k] += first[r][k] * (real)(sizeof p->parts + offsetof(struct part, none));
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
