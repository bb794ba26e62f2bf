// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures by value: small and large, as arguments, results, elements, members of members, copied over themselves,
// swapped, returned through conditionals and commas.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 10, N = 15 };
struct one {
  char c;
};
struct vec {
  double x, y, z;
};
struct box {
  struct vec low, high;
  struct one tag[3];
};
struct big {
  int v[40];
  struct box b;
};

static struct vec add(struct vec a, struct vec b) {
  a.x += b.x, a.y += b.y, a.z += b.z;
  return a;
}
static struct vec scale(struct vec a, double f) { return (struct vec){a.x * f, a.y * f, a.z * f}; }
static struct one next(struct one o) { return o.c++, o; }
static struct box grow(struct box b, struct vec by) {
  struct box old = b;
  b.low = add(b.low, scale(by, -1)), b.high = add(b.high, by);
  b.tag[0] = next(old.tag[2]), b.tag[2] = next(next(old.tag[0]));
  return b;
}
static int sum(struct big g) {
  int s = 0;
  for (int i = 0; i < 40; i++)
    s += g.v[i], g.v[i] = -1; // the copy
  return s + g.b.tag[1].c;
}
static struct big make(int k, struct vec v) {
  struct big g = {.b = {v, scale(v, 2), {{'a'}, {'b'}}}};
  for (int i = k; i < 40; i += k + 1)
    g.v[i] = i * k;
  g = g;
  return g;
}

#pragma agglom task inout(x[0:n]) out(g[0:1], s[0:2])
static void shuffle(int n, struct box seed, struct box *x, struct big *g, int *s) {
  struct box t;
  for (int i = 0; i + 1 < n; i += 2)
    t = x[i], x[i] = x[i + 1], x[i + 1] = t;
  for (int i = 0; i < n; i++) {
    seed.low.x += i % 3 ? 0 : 1;
    x[i] = grow(i & 1 || i % 3 == 0 ? x[i] : seed, i % 3 ? x[(i + 1) % n].high : (seed.low.z -= 1, add(seed.high, x[i].low)));
    x[i].low.y = grow(x[i], x[i].low).high.x + add(x[i].low, x[i].high).z;
  }
  *g = make(n % 4, x[2].low);
  s[0] = sum(*g), s[1] = sum(make(3, seed.low)) + make(1, seed.high).v[5] + next(x[0].tag[0]).c;
}

int main(void) {
  static struct box x[UNITS][N];
  static struct big g[UNITS];
  static int s[UNITS][2];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (struct box){{i, u, i - u}, {.z = 1, .x = i * .5}, {{'A'}, {(char)('B' + i)}, {'c'}}};
  for (int u = 0; u < UNITS; u++)
    shuffle(N - u % 4, x[u][u], x[u], &g[u], s[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i++)
      printf("%g %g %g %g %g %g %d %d %d\n", x[u][i].low.x, x[u][i].low.y, x[u][i].low.z, x[u][i].high.x,
             x[u][i].high.y, x[u][i].high.z, x[u][i].tag[0].c, x[u][i].tag[1].c, x[u][i].tag[2].c);
    printf("%d %d %d %g %d\n", s[u][0], s[u][1], g[u].v[7], g[u].b.high.y, g[u].b.tag[1].c);
  }
  return 0;
}
