// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of arrays, pointers to arrays, arrays of pointers to arrays, parameters written as arrays, typedefs of arrays,
// sections of array elements, in several dimensions.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

enum { UNITS = 8, A = 3, B = 4, C = 5 };
typedef int line[C];
typedef line sheet[B];
typedef sheet cube[A];
typedef const line *lines;

static int sum_line(const line l) {
  int s = 0;
  for (int i = 0; i < C; i++)
    s += l[i];
  return s;
}
static int sum_sheet(const int s[B][C]) {
  int r = 0;
  for (const int(*p)[C] = s; p < s + B; ++p)
    r = r * 3 + sum_line(*p);
  return r;
}
static int corner(int (*c)[B][C]) { return c[0][0][0] + c[A - 1][B - 1][C - 1] + (*(*(c + 1) + 2))[3] + *c[2][1]; }
static void turn(int m[][B], int n) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      int t = m[i][j];
      m[i][j] = m[j][i], m[j][i] = t;
    }
}

#pragma agglom task inout(c[0:n]) in(weights[0:B]) out(o[0:12])
static void shapes(int n, int c[][B][C], int weights[const B], int o[static 12]) {
#pragma agglom loop
  for (int p = 0; p < n * B; p++) {
    int(*l)[C] = &c[p / B][p % B];
    for (int k = 0; k < C; k++)
      (*l)[k] = (*l)[k] * weights[p % B] + p - k;
  }
  int k = 0;
  o[k++] = sum_sheet(c[0]), o[k++] = sum_line(c[1][2]), o[k++] = corner(c);
  int square[B][B], (*rows[2])[B] = {square + 2, square};
  for (int i = 0; i < B * B; i++)
    square[i / B][i % B] = i * i;
  turn(square, B);
  o[k++] = square[1][3] + rows[0][1][2] * 100 + (*rows[1])[3];
  cube copy;
  sheet *s = copy;
  memcpy(copy, c, sizeof copy);
  memcpy(s[1], s + 2, sizeof *s);
  o[k++] = sum_sheet(copy[1]) - sum_sheet(c[2]), o[k++] = (int)(&copy[2] - s), o[k++] = (int)(sizeof s[0] / sizeof s[0][0]);
  lines all = c[1];
  o[k++] = all[1][2], o[k++] = (int)(&all[3][1] - &all[0][0]);
  int jag[3][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}}, {[1] = {7}}}, total = 0;
  for (int(*p)[2][2] = jag; p != jag + 3; p++)
    for (int *q = **p; q < **p + 2; q++)
      total = total * 2 + *q + q[0 - (q > **p)];
  o[k++] = total, o[k++] = jag[2][1][0], o[k] = ***(jag + 1) + *(*(*jag + 1) + 1);
}

int main(void) {
  static cube c[UNITS];
  static int weights[UNITS][B], o[UNITS][12];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < A * B * C; i++)
      c[u][i / (B * C)][i / C % B][i % C] = i + u, weights[u][i % B] = i % 7 - u;
  for (int u = 0; u < UNITS; u++)
    shapes(A, c[u], weights[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < 12; i++)
      printf("%d ", o[u][i]);
    for (int i = 0; i < A * B * C; i++)
      printf("%d%c", c[u][i / (B * C)][i / C % B][i % C], i == A * B * C - 1 ? '\n' : ' ');
  }
  return 0;
}
