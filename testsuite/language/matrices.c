// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices: product in three loop orders, LU with pivots, determinant, inverse, transposition in place, powers modulo a prime.
// RUN: %compare %s %t -w
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { N = 6, UNITS = 10 };
typedef double matrix[N][N];
struct lu {
  matrix m;
  unsigned char row[N];
  int sign;
};

static void multiply(matrix c, const double a[N][N], const double b[N][N], int order) {
  for (int p = 0; p < N * N; p++)
    c[p / N][p % N] = 0;
  for (int x = 0; x < N; x++)
    for (int y = 0; y < N; y++)
      for (int z = 0; z < N; z++) {
        int i = order == 2 ? z : x, j = order ? order == 1 ? z : y : y, k = order == 1 ? y : order ? x : z;
        c[i][j] += a[i][k] * b[k][j];
      }
}
static struct lu factor(const matrix *a) {
  struct lu f = {.sign = 1};
  for (int i = 0; i < N; i++) {
    f.row[i] = (unsigned char)i;
    for (int j = 0; j < N; j++)
      f.m[i][j] = (*a)[i][j];
  }
  for (int k = 0; k < N; k++) {
    int best = k;
    for (int i = k + 1; i < N; i++)
      if (fabs(f.m[i][k]) > fabs(f.m[best][k]))
        best = i;
    if (best != k) {
      f.sign = -f.sign;
      unsigned char t = f.row[k];
      f.row[k] = f.row[best], f.row[best] = t;
      for (int j = 0; j < N; j++) {
        double s = f.m[k][j];
        f.m[k][j] = f.m[best][j], f.m[best][j] = s;
      }
    }
    for (int i = k + 1; i < N; i++) {
      f.m[i][k] /= f.m[k][k];
      for (int j = k + 1; j < N; j++)
        f.m[i][j] -= f.m[i][k] * f.m[k][j];
    }
  }
  return f;
}
static double determinant(struct lu f) {
  double d = f.sign;
  for (int i = 0; i < N; i++)
    d *= f.m[i][i];
  return d;
}
static void column(const struct lu *f, int which, double x[static N]) {
  for (int i = 0; i < N; i++) {
    x[i] = f->row[i] == which;
    for (int j = 0; j < i; j++)
      x[i] -= f->m[i][j] * x[j];
  }
  for (int i = N; i--;) {
    for (int j = i + 1; j < N; j++)
      x[i] -= f->m[i][j] * x[j];
    x[i] /= f->m[i][i];
  }
}
static uint64_t fibonacci(uint32_t n) { // modulo 2^31 - 1 by squaring a 2 by 2 matrix
  const uint64_t p = 0x7fffffff;
  uint64_t r[2][2] = {{1, 0}, {0, 1}}, m[2][2] = {{1, 1}, {1, 0}}, t[2][2];
  for (; n; n >>= 1) {
    for (int square = !(n & 1); square < 2; square++) {
      uint64_t(*left)[2] = square ? m : r;
      for (int i = 0; i < 4; i++)
        t[i / 2][i % 2] = (left[i / 2][0] * m[0][i % 2] + left[i / 2][1] * m[1][i % 2]) % p;
      for (int i = 0; i < 4; i++)
        left[i >> 1][i & 1] = t[i >> 1][i & 1];
    }
  }
  return r[0][1];
}

#pragma agglom task in(a[0:1]) out(product[0:3], inverse[0:1], d[0:2], fib[0:1])
static void algebra(uint32_t n, const matrix *a, matrix *product, matrix *inverse, double *d, uint64_t *fib) {
  for (int order = 0; order < 3; order++)
    multiply(product[order], *a, *a, order);
  struct lu f = factor(a);
  d[0] = determinant(f);
#pragma agglom loop
  for (int c = 0; c < N; c++) {
    double x[N];
    column(&f, c, x);
    for (int i = 0; i < N; i++)
      (*inverse)[i][c] = x[i];
  }
  double trace = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      trace += (*a)[i][j] * inverse[0][j][i];
  d[1] = trace, *fib = fibonacci(n);
}

int main(void) {
  static matrix a[UNITS], product[UNITS][3], inverse[UNITS];
  static double d[UNITS][2];
  static uint64_t fib[UNITS];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N * N; i++)
      a[u][i / N][i % N] = (i * i * (u + 3) % 19 - 9) / 4.0 + (i / N == i % N) * u;
  for (int u = 0; u < UNITS; u++)
    algebra((uint32_t)u * 1000003u + 90, &a[u], product[u], &inverse[u], d[u], &fib[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N * N; i++)
      printf("%a %a %a %a\n", product[u][0][i / N][i % N], product[u][1][i / N][i % N], product[u][2][i / N][i % N],
             inverse[u][i / N][i % N]);
    printf("%a %a %llu\n", d[u][0], d[u][1], (unsigned long long)fib[u]);
  }
  return 0;
}
