// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Designated, nested, brace-less and overriding initialisers, strings for arrays, zero filling, unions, in automatic objects
// whose values are computed, and in constant tables.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

enum { UNITS = 7, RED = 2, GREEN = 5, OUT = 64 };
struct point {
  int x, y;
};
struct line {
  struct point from, to;
  char name[5];
  union {
    int i;
    float f;
  } u;
  int weights[4];
};
static const struct line table[3] = {{{1, 2}, {3, 4}, "abcde", {7}, {1, 2, 3, 4}},
                                     [2] = {.to.y = 9, .u.f = 2.5f, .weights[2] = 8, 9, .from = {.y = 5}}};
static const int grid[3][4] = {{1}, 2, 3, 4, 5, {6, 7}}, jagged[][2] = {{1, 2}, {3}, 4, 5};
static const char words[][6] = {"zero", "one", {'t', 'w', 'o'}, [4] = "four", "five!"};
static const unsigned char squares[] = {[RED] = RED * RED, [GREEN] = GREEN * GREEN, 36, [1] = 1};

static int weigh(const struct line *l) {
  int s = l->from.x + 10 * l->from.y + 100 * l->to.x + 1000 * l->to.y;
  for (unsigned k = 0; k < sizeof l->weights / sizeof *l->weights; k++)
    s += l->weights[k] << k;
  for (unsigned k = 0; k < sizeof l->name; k++)
    s = s * 3 + l->name[k];
  return s;
}

#pragma agglom task out(o[0:OUT])
static void initialise(int k, int *o) {
  int n = 0;
  struct line a = {{k, k + 1}, .name = "ab", .u = {.f = 1.5f}, .weights = {[1] = k * k, k}},
              b = {k, k, 3, 4, 'x', 'y', 0, 0, 0, k, 5}, c = {0}, all[2] = {[1] = a, [0] = b};
  struct point path[] = {{1, k}, [3] = {.y = 7}, {k}, [1].x = k - 1};
  char text[8] = "k=?", same[] = "same", bytes[3] = {'a' + 1, 'b'};
  int cube[2][2][2] = {{{k}, {1, 2}}, {[1] = {[1] = k + 3}}}, flat[2][3] = {1, k, 3, 4};
  text[2] = (char)('0' + k);
  o[n++] = weigh(&a), o[n++] = weigh(&b), o[n++] = weigh(&c), o[n++] = weigh(&all[1]) - weigh(all);
  for (int i = 0; i < 3; i++)
    o[n++] = weigh(table + i);
  o[n++] = table[2].u.f == 2.5f, o[n++] = a.u.f > 1, o[n++] = (int)(sizeof path / sizeof *path);
  for (int i = 0; i < 5; i++)
    o[n++] = path[i].x * 100 + path[i].y;
  for (unsigned i = 0; i < sizeof text; i++)
    o[n++] = text[i];
  o[n++] = (int)(sizeof same + sizeof jagged + sizeof words + sizeof squares), o[n++] = bytes[0] + bytes[1] + bytes[2];
  o[n++] = cube[0][0][0] + cube[0][0][1] * 10 + cube[0][1][1] * 100 + cube[1][1][1] * 1000 + cube[1][0][0];
  o[n++] = flat[0][1] + flat[1][0] * 10 + flat[1][2];
  for (int i = 0; i < 12; i++)
    o[n++] = grid[i / 4][i % 4] + (i < 8 ? jagged[i / 2 % 3][i % 2] : 0);
  for (int i = 0; i < 6; i++)
    o[n++] = words[i][k % 6] + words[i][5];
  for (unsigned i = 0; i < sizeof squares; i++)
    o[n++] = squares[i];
}

int main(void) {
  static int o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    initialise(u, o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%d%c", o[u][k], k % 16 == 15 ? '\n' : ' ');
  return 0;
}
