// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections that are rows far apart, as columns and tiles of large arrays: a device gets the bytes that units name, not
// what lies between them, and finds each where the host has it.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REUSE=off %t bytes | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:50 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=static:7 AGGLOM_SPLIT=auto %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=on %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=on AGGLOM_BATCH=static:40 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_FAULT=call=copy_in,nth=3,times=2 %t 2>/dev/null | FileCheck %s
// RUN: env AGGLOM_DEVICES=none %t | FileCheck %s
#include <agglom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 48, COLUMNS = 2400, B = 12, DEEP = 5 };

static double f[ROWS][COLUMNS], g[ROWS][COLUMNS], sums[ROWS][COLUMNS], cube[DEEP][ROWS][COLUMNS];
static float picked[400];
static int index_of[400];

#pragma agglom task inout(a[0:ROWS][c:n])
void columns(double a[][COLUMNS], int c, int n) {
  for (int i = 0; i < ROWS; ++i)
    for (int j = c; j < c + n; ++j)
      a[i][j] = a[i][j] * 2 + j;
}

// Reads what is around the tile, too: rows of several lengths.
#pragma agglom task in(from[r:n][c - 1:n + 2]) out(to[r:n][c:n])
void smooth(double from[][COLUMNS], double to[][COLUMNS], int r, int c, int n) {
  for (int i = r; i < r + n; ++i)
    for (int j = c; j < c + n; ++j)
      to[i][j] = from[i][j - 1] + from[i][j] + from[i][j + 1];
}

#pragma agglom task in(a[r:n][c:n]) accumulate(+: s[0:n][c:n])
void add(double a[][COLUMNS], double s[][COLUMNS], int r, int c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = c; j < c + n; ++j)
      s[i][j] += a[r + i][j];
}

#pragma agglom task inout(a[d:2][r:n][c:n])
void brick(double a[][ROWS][COLUMNS], int d, int r, int c, int n) {
  for (int k = d; k < d + 2; ++k)
    for (int i = r; i < r + n; ++i)
      for (int j = c; j < c + n; ++j)
        a[k][i][j] += k + i * j;
}

#pragma agglom task in(x[index[0:n]]) in(index[0:n]) inout(y[0:1])
void pick(const double *x, const int *index, int n, float *y) {
  for (int i = 0; i < n; ++i)
    y[0] += (float)x[index[i]];
}

static void fill(void) {
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      f[i][j] = i + j % 7;
      g[i][j] = -1;
      sums[i][j] = j % 3;
      for (int k = 0; k < DEEP; ++k)
        cube[k][i][j] = k;
    }
  for (int i = 0; i < 400; ++i) {
    picked[i] = 0;
    index_of[i] = (int)(i * 7919LL % (ROWS * COLUMNS));
  }
}

static int program(void) {
  for (int c = 0; c < COLUMNS; c += 3) /* neighbours: one copy of wide rows */
    columns(f, c, 3);
  for (int c = 0; c < COLUMNS; c += 200) /* scattered: rows of several columns between one another */
    columns(f, c, 5);
  for (int r = 0; r + B <= ROWS; r += B)
    for (int c = 1; c + B < COLUMNS; c += 8 * B)
      smooth(f, g, r, c, B);
  for (int r = 0; r + B <= ROWS; r += B)
    for (int c = 0; c + B < COLUMNS; c += 40 * B)
      add(f, sums, r, c, B);
  for (int d = 0; d + 2 <= DEEP; ++d)
    for (int c = 0; c + B < COLUMNS; c += 30 * B)
      brick(cube, d, 6 * d, c, B);
  for (int i = 0; i + 40 <= 400; i += 40)
    pick(&f[0][0], index_of + i, 40, picked + i);
#pragma agglom wait
  return 0;
}

static double all(void) {
  double sum = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      sum = sum * 0.75 + f[i][j] + 2 * g[i][j] + 3 * sums[i][j];
      for (int k = 0; k < DEEP; ++k)
        sum += cube[k][i][j];
    }
  for (int i = 0; i < 400; ++i)
    sum += picked[i];
  return sum;
}

// A program of columns alone: what is sent, beside argument structures and launch arrays.
static void bytes(void) {
  struct agglom_counters before, after;
  agglom_get_counters(&before);
  for (int c = 0; c < COLUMNS; c += 2)
    columns(f, c, 2);
#pragma agglom wait
  agglom_get_counters(&after);
  unsigned long long units = after.units_on_device - before.units_on_device;
  unsigned long long named = units * ROWS * 2 * sizeof(double), in = after.bytes_in - before.bytes_in;
  unsigned long long out = after.bytes_out - before.bytes_out;
  if (in > named * 6 / 5 + units * 64 || out > named * 6 / 5)
    printf("%llu units name %llu bytes, %llu were sent, %llu came back\n", units, named, in, out);
}

int main(int argc, char **argv) {
  fill();
  program();
  double once = all();
  if (argc > 1 && !strcmp(argv[1], "bytes"))
    bytes();
  // CHECK-NOT: units name
  // CHECK: {{^}}sum 536265.772

  printf("sum %.3f\n", once);
  return 0;
}
