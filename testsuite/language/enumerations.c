// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations: negative, gaps, aliases, wide values, in expressions, as indices, bounds, array sizes, cases, parameters and
// return types; arithmetic between different ones; constants declared inside blocks that hide others.
// RUN: %compare %s %t -w
#include <stdio.h>

enum direction { NORTH = -1, EAST, SOUTH, WEST, DIRECTIONS = WEST - NORTH + 1 };
enum flags { READ = 1 << 0, WRITE = 1 << 1, BOTH = READ | WRITE, EXEC = 0x40, ALL = BOTH | EXEC };
enum { UNITS = 12, STEPS = 33, SIZE = 1 << 3, MASK = SIZE - 1, BIG = 0x7fff0000 };
typedef enum { SMALL_A = 'a', SMALL_B, DIGIT = '0', ALIAS = SMALL_B } letter;
typedef enum weekday weekday;
enum weekday { MONDAY, TUESDAY, SUNDAY = 6 };

static const int dx[DIRECTIONS] = {[NORTH - NORTH] = 0, [EAST - NORTH] = 1, [WEST - NORTH] = -1},
                 dy[DIRECTIONS] = {[NORTH + 1] = -1, [SOUTH + 1] = +1};

static enum direction turn(enum direction d, int right) {
  return right ? (d == WEST ? NORTH : (enum direction)(d + 1)) : d == NORTH ? WEST : (enum direction)(d - 1);
}
static letter next(letter l) {
  switch (l) {
  case SMALL_A: return ALIAS;
  case SMALL_B: return DIGIT;
  case DIGIT:
  default: return SMALL_A;
  }
}

#pragma agglom task inout(field[0:SIZE * SIZE]) out(trail[0:STEPS], rights[0:SIZE])
static void walk(weekday start, enum flags f, unsigned char *field, int *trail, enum flags *rights) {
  int x = start, y = SUNDAY - start;
  enum direction d = NORTH;
  letter l = SMALL_A;
  for (int s = 0; s < STEPS; s++) {
    enum { HERE = 4, STEPS = 100 }; // hides the other
    unsigned char *cell = &field[y * SIZE + x];
    d = turn(d, *cell & HERE);
    *cell ^= HERE | (unsigned char)f;
    x = (x + dx[d - NORTH]) & MASK, y = (y + dy[d - NORTH] + SIZE) % SIZE;
    trail[s] = x * STEPS + y + (d < EAST ? BIG : d * 1000) - (l = next(l));
  }
  enum { FIRST = 2 } k = FIRST;
  for (; (int)k < SIZE; k = k + 1)
    rights[k] = f & (k & 1 ? READ : BOTH) ? f | EXEC : (enum flags)(ALL & ~f);
  rights[0] = (enum flags)(sizeof(enum flags) * 10 + (NORTH < READ) + (f > (enum flags)start)), rights[1] = f;
}

int main(void) {
  static unsigned char field[UNITS][SIZE * SIZE];
  static int trail[UNITS][STEPS];
  static enum flags rights[UNITS][SIZE];
  for (int u = 0; u < UNITS; u++)
    walk((weekday)(u % (SUNDAY + 1)), u % 2 ? WRITE : u % 3 ? READ : EXEC, field[u], trail[u], rights[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int s = 0; s < STEPS; s++)
      printf("%d ", trail[u][s]);
    for (int k = 0; k < SIZE; k++)
      printf("%d ", rights[u][k]);
    for (int k = 0; k < SIZE * SIZE; k++)
      printf("%x%s", field[u][k], k == SIZE * SIZE - 1 ? "\n" : "");
  }
  return 0;
}
