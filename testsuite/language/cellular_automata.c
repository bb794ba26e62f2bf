// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Life on a torus between two buffers that change roles, rule 110 in bit words, Langton's ant, a sand pile that falls.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 16, UNITS = 10 };
typedef unsigned char board[SIDE][SIDE];

static int neighbours(const board b, int y, int x) {
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; ++dx)
      if (dy || dx)
        n += b[(y + dy + SIDE) % SIDE][(x + dx) & (SIDE - 1)];
  return n;
}

#pragma agglom task inout(life[0:1], sand[0:1]) out(rows[0:SIDE], o[0:4])
static void automata(int steps, board *life, board *sand, uint64_t *rows, int *o) {
  board other, *from = life, *to = &other;
  for (int s = 0; s < steps; s++) {
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++) {
        int n = neighbours(*from, y, x);
        (*to)[y][x] = n == 3 || (n == 2 && (*from)[y][x]);
      }
    board *t = from;
    from = to, to = t;
  }
  if (from != life)
    memcpy(life, from, sizeof *life);
  uint64_t row = 1ull << 40 | (unsigned)steps;
  for (int y = 0; y < SIDE; y++) {
    rows[y] = row;
    uint64_t l = row >> 1 | row << 63, r = row << 1 | row >> 63;
    row = (row | r) & ~(l & row & r);
  }
  int x = 5, y = 5, turned = 0;
  enum { UP, RIGHT, DOWN, LEFT } d = UP;
  for (int s = 0; s < 40 * steps; s++) {
    unsigned char *c = &(*life)[y][x];
    int right = !*c;
    *c = !*c, turned += right;
    switch (d) {
    case UP: d = right ? RIGHT : LEFT; break;
    case RIGHT: d = right ? DOWN : UP; break;
    case DOWN: d = right ? LEFT : RIGHT; break;
    case LEFT: d = right ? UP : DOWN; break;
    }
    x = (x + (d == RIGHT) - (d == LEFT) + SIDE) % SIDE, y = (y + (d == DOWN) - (d == UP) + SIDE) % SIDE;
  }
  o[0] = x, o[1] = y, o[2] = turned, o[3] = 0;
  for (int again = 1; again; o[3]++) {
    again = 0;
    for (int i = 0; i < SIDE; i++)
      for (int j = 0; j < SIDE; j++)
        if (sand[0][i][j] >= 4) {
          again = 1, sand[0][i][j] -= 4;
          if (i)
            ++sand[0][i - 1][j];
          if (i < SIDE - 1)
            (*sand)[i + 1][j]++;
          if (j > 0)
            sand[0][i][j - 1] += 1;
          j + 1 < SIDE ? (*sand)[i][j + 1]++ : 0;
        }
  }
}

int main(void) {
  static board life[UNITS], sand[UNITS];
  static uint64_t rows[UNITS][SIDE];
  static int o[UNITS][4];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < SIDE * SIDE; i++)
      life[u][i / SIDE][i % SIDE] = i * i % (7 + u) < 3, sand[u][i / SIDE][i % SIDE] = (unsigned char)(i % 5 + (i == 120 ? 200 : 0));
  for (int u = 0; u < UNITS; u++)
    automata(u + 1, &life[u], &sand[u], rows[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < SIDE; i++) {
      for (int j = 0; j < SIDE; j++)
        printf("%d%d", life[u][i][j], sand[u][i][j]);
      printf(" %016llx\n", (unsigned long long)rows[u][i]);
    }
    printf("%d %d %d %d\n", o[u][0], o[u][1], o[u][2], o[u][3]);
  }
  return 0;
}
