// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numerical work whose last bit depends on the order of operations: Newton, Horner, Gauss, Simpson, an ODE, mandelbrot.
// RUN: %compare %s %t -w
#include <math.h>
#include <stdio.h>

enum { UNITS = 14 };
struct result {
  double root, poly, integral, x[4], end[2];
  float fpoly;
  unsigned char escape[8][16];
};

static double horner(const double *c, int n, double x) {
  double r = 0;
  while (n--)
    r = r * x + c[n];
  return r;
}
static float hornerf(const float c[static 5], float x) {
  float r = 0;
  for (const float *p = c + 5; p-- != c;)
    r = r * x + *p;
  return r;
}
static void solve(double m[4][5], double x[4]) {
  for (int k = 0; k < 4; k++) {
    int best = k;
    for (int i = k + 1; i < 4; i++)
      if (fabs(m[i][k]) > fabs(m[best][k]))
        best = i;
    for (int j = 0; j < 5; j++) {
      double t = m[k][j];
      m[k][j] = m[best][j], m[best][j] = t;
    }
    for (int i = k + 1; i < 4; i++) {
      double f = m[i][k] / m[k][k];
      for (int j = k; j < 5; j++)
        m[i][j] -= f * m[k][j];
    }
  }
  for (int i = 3; i >= 0; i--) {
    x[i] = m[i][4];
    for (int j = i + 1; j < 4; j++)
      x[i] -= m[i][j] * x[j];
    x[i] /= m[i][i];
  }
}

#pragma agglom task out(r[0:1])
static void numerics(double a, struct result *r) {
  double x = a;
  for (int i = 0; i < 30 && x * x != a; i++)
    x = (x + a / x) / 2;
  r->root = x;
  const double c[5] = {1, -a, .5, 0.25 * a, -1e-3};
  const float cf[5] = {1, (float)-a, .5f, 0.25f * (float)a, -1e-3f};
  r->poly = horner(c, 5, 1.1), r->fpoly = hornerf(cf, 1.1f);
  double s = horner(c, 5, 0) + horner(c, 5, 2);
  for (int i = 1; i < 100; i++)
    s += horner(c, 5, 2 * i / 100.) * (i % 2 ? 4 : 2);
  r->integral = s * 2 / 300;
  double m[4][5];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++)
      m[i][j] = 1 / (i + j + a);
  solve(m, r->x);
  double y = 1, v = 0, h = .01;
  for (int i = 0; i < 200; i++) { // y'' = -a y by leapfrog
    v -= a * y * h / 2;
    y += v * h;
    v -= a * y * h / 2;
  }
  r->end[0] = y, r->end[1] = v;
#pragma agglom loop
  for (int p = 0; p < 8 * 16; p++) {
    double cx = p % 16 * .15 - 1.7, cy = p / 16 * .15 - .01 * a, zx = 0, zy = 0;
    int n = 0;
    for (; n < 255 && zx * zx + zy * zy < 4; n++) {
      double t = zx * zx - zy * zy + cx;
      zy = 2 * zx * zy + cy;
      zx = t;
    }
    r->escape[p / 16][p % 16] = (unsigned char)n;
  }
}

int main(void) {
  static struct result r[UNITS];
  for (int u = 0; u < UNITS; u++)
    numerics(1.3 + u * .7, &r[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    printf("%a %a %a %a %a %a %a %a %a %a\n", r[u].root, r[u].poly, r[u].integral, r[u].x[0], r[u].x[1], r[u].x[2],
           r[u].x[3], r[u].end[0], r[u].end[1], r[u].fpoly);
    for (int p = 0; p < 128; p++)
      printf("%02x%s", r[u].escape[p / 16][p % 16], p % 16 == 15 ? "\n" : "");
  }
  return 0;
}
