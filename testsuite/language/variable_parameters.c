// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of variable-length array type, of one dimension and more, in helpers and in tasks.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 8, ROWS = 7, COLUMNS = 6 };

static int sum(int n, const int x[n > 0 ? n : 1]) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = s * 3 + x[i];
  return s;
}
static double trace(int rows, int columns, double m[rows][columns]) {
  double t = 0;
  for (int i = 0; i < rows && i < columns; i++)
    t += m[i][i] * (double)(sizeof m[0] / sizeof(double));
  return t;
}
static void turn(int n, double (*m)[n]) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double t = m[i][j];
      m[i][j] = m[j][i], m[j][i] = t;
    }
}

#pragma agglom task inout(m[0:rows][0:columns], x[0:columns]) out(o[0:2])
static void use(int rows, int columns, double m[rows][columns], int x[columns], double o[static 2]) {
#pragma agglom loop
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      m[i][j] += i * 10 + j + x[j];
  o[0] = trace(rows, columns, m);
  if (rows >= columns)
    turn(columns, m);
  o[1] = sum(columns, x), x[0] = (int)m[rows - 1][columns - 1];
}

int main(void) {
  static double m[UNITS][ROWS][COLUMNS], o[UNITS][2];
  static int x[UNITS][COLUMNS];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < ROWS * COLUMNS; i++)
      m[u][i / COLUMNS][i % COLUMNS] = i * .5 + u, x[u][i % COLUMNS] = i - u;
  for (int u = 0; u < UNITS; u++)
    use(u & 1 ? ROWS : COLUMNS, COLUMNS, m[u], x[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < ROWS * COLUMNS; i++)
      printf("%g ", m[u][i / COLUMNS][i % COLUMNS]);
    printf("%g %g %d\n", o[u][0], o[u][1], x[u][0]);
  }
  return 0;
}
