// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that get pragmas, or do not, each called in a loop.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
static void plain(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
}
static void stencil(int n, const double *x, double *y) {
  for (int i = 1; i < n - 1; i++)
    y[i] = x[i - 1] + x[i] + x[i + 1];
}
static void matrix(int rows, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}
static void wide(int rows, int n, double *a) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = 0;
}
static void evens(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[2 * i] += 1;
}
static void star(const int *p, int *q) { *q = *p + p[3]; }
struct s {
  int a;
  double b[4];
};
static void member(struct s *p, const struct s *q, int n) {
  p->a = 3;
  for (int i = 0; i < n; i++)
    p->b[2] += q[i].b[1];
}
static void bump(int n, float *p, const float *q) {
  while (n--)
    *p++ = *q++;
}
static void bump2(size_t n, float *p) {
  float *e = p + n;
  for (; p != e; ++p)
    *p *= 2;
}
static void bump3(int n, float *p) {
  do {
    *p++ = 1;
  } while (--n > 0);
}
static double get(const double *p, int i) { return p[i]; }
static int at(int i, int j, int n) { return i * n + j; }
static void helper(int n, int m, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[at(i, j, m)] = get(x, i + 2);
}
static void copy(int n, double *to, const double *from) { memcpy(to, from, n * sizeof *to); }
static void clear(int n, int *t) { memset(t, 0, (size_t)n * 2 * sizeof(int)); }
static void back(int n, double *x) {
  for (int i = n - 1; i >= 0; i--)
    x[i] = i;
}
static void steps(int n, double *x) {
  for (int i = 0; i < n; i += 2)
    x[i] = i;
}
static void pairs(int n, double *x) {
  for (int i = 0; i < n; i += 2) {
    x[i] = i;
    x[i + 1] = 2;
  }
}
static void hist(int n, const unsigned char *b, int *h) {
  for (int i = 0; i < n; i++)
    h[b[i]]++;
}
static void gather(int n, const int *idx, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[idx[i]];
}
static void guarded(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = x[i];
    if (i > 0)
      y[i] += x[i - 1];
    if (i + 1 < n)
      y[i] += x[i + 1];
  }
}
struct grid {
  int nx, ny;
  double *p;
};
static void grid(struct grid g, const struct grid *h, double *x, double *y) {
  for (int i = 0; i < g.nx * g.ny; i++)
    x[i] = 0;
  for (int j = 0; j < h->ny; j++)
    y[j] = 1;
}
static void early(int n, int lo, double *x) {
  if (n <= 0)
    return;
  x[0] = 1;
  for (int i = lo; i < n; i++)
    x[i] = 0;
}
static void first(int n, double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    m += x[i];
  x[0] = m;
}
static void tri(int n, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      x[j] += i;
}
static void compact(int n, const int *x, int *out, int *count) {
  int c = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      out[c++] = x[i];
  *count = c;
}
static void unrolled(int n, double *x) {
  int i = 0;
  for (; i + 3 < n; i += 4) {
    x[i] = 0;
    x[i + 1] = 0;
    x[i + 2] = 0;
    x[i + 3] = 0;
  }
  for (; i < n; i++)
    x[i] = 0;
}
static void mod(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[(i + 1) % n];
}
static void odd(int n, double *y) {
  for (int i = 0; i < n; i++)
    if (i % 2)
      y[i + 1] = 0;
}
static void rowp(int n, int m, double (*y)[4]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      y[i][j] = m;
}
static void lda(int n, int m, int ld, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i * ld + j] = m;
}
static void clampi(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    int l = i > 0 ? i - 1 : 0, r = i < n - 1 ? i + 1 : n - 1;
    y[i] = x[l] + x[r];
  }
}
static void neg(int n, double *x) {
  for (int i = -2; i < n; i++)
    x[i] = 0;
}
static void twice(int n, const double *x, double *t, double *y) {
  for (int i = 0; i < n; i++)
    t[i] = x[i];
  for (int i = 0; i < n; i++)
    y[i] = t[i];
}
static int calls;
static void counts(double *x) { x[0] += ++calls; }
static void say(const double *x) { printf("%g\n", x[0]); }
static void unused(double *x) { x[0] = 0; }
static void part(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
static void whole(int n, double *x) {
  for (int k = 0; k < 3; k++)
    part(n, x);
}
static void largest(int n, const float *x, float *m) {
  float t = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] > t)
      t = x[i];
  *m = t;
}
static void carried(int n, double *x) {
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}
static void columns(int n, int m, double *a) {
  for (int j = 0; j < m; j++)
    for (int i = 1; i < n; i++)
      a[i * m + j] += a[(i - 1) * m + j];
}
static void summed(int n, const int *x, double *s) {
  double t = 0;
  int k = 0;
  for (int i = 0; i < n; i++) {
    t += x[i];
    k |= x[i];
  }
  *s = t + k;
}
static void last(int n, const double *x, double *l) {
  double t = 0;
  for (int i = 0; i < n; i++) {
    t = x[i];
    *l += t;
  }
  *l += t;
}
static void leaves(int n, double *x) {
  for (int i = 0; i < n; i++) {
    if (x[i] < 0)
      break;
    x[i] = 0;
  }
}

enum { N = 24 };
static double a[4 * N * N], b[4 * N * N], c[4 * N * N];
static float f[4 * N * N], g[4 * N * N];
static int x[4 * N * N], y[4 * N * N], z[4 * N * N];
static unsigned char bytes[4 * N * N];
static struct s s[N], t[N];

static void fill(int r) {
  for (int i = 0; i < 4 * N * N; i++) {
    a[i] = i * 7 % 13 + r, b[i] = i * 5 % 11, c[i] = i % 3;
    f[i] = i % 17, g[i] = i % 5;
    x[i] = i % N, y[i] = i % 7 - 3, z[i] = 0, bytes[i] = i * 31;
  }
}
static void print(void) {
  double sums[9] = {0};
  for (int i = 0; i < 4 * N * N; i++) {
    double w = i % 101 + 1;
    sums[0] += w * a[i], sums[1] += w * b[i], sums[2] += w * c[i], sums[3] += w * f[i], sums[4] += w * g[i];
    sums[5] += w * x[i], sums[6] += w * y[i], sums[7] += w * z[i];
  }
  for (int i = 0; i < N; i++)
    sums[8] += i * (s[i].a + s[i].b[2]);
  for (int i = 0; i < 9; i++)
    printf("%.17g\n", sums[i]);
}

int main(void) {
  static const struct grid h = {3, 20, 0};
  const struct grid gr = {4, 5, 0};
  fill(14);
  for (int n = 0; n < N; n += 5)
    plain(n, a, b);
#pragma agglom wait
  print();
  fill(16);
  for (int n = 0; n < N; n += 5)
    stencil(n, a, b);
#pragma agglom wait
  print();
  fill(29);
  for (int n = 0; n < N; n += 5)
    matrix(n / 2, n / 2, a, b, c);
#pragma agglom wait
  print();
  fill(17);
  for (int n = 0; n < N; n += 5)
    wide(n / 2, n, a);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    evens(n, a);
#pragma agglom wait
  print();
  fill(10);
  for (int n = 0; n < N; n += 5)
    star(x, y);
#pragma agglom wait
  print();
  fill(15);
  for (int n = 0; n < N; n += 5)
    member(s, t, n);
#pragma agglom wait
  print();
  fill(13);
  for (int n = 0; n < N; n += 5)
    bump(n, f, g);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    bump2(n, f);
#pragma agglom wait
  print();
  fill(15);
  for (int n = 0; n < N; n += 5)
    bump3(n + 1, f);
#pragma agglom wait
  print();
  fill(22);
  for (int n = 0; n < N; n += 5)
    helper(n, n / 2, a, b);
#pragma agglom wait
  print();
  fill(13);
  for (int n = 0; n < N; n += 5)
    copy(n, a, b);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    clear(n, z);
#pragma agglom wait
  print();
  fill(10);
  for (int n = 0; n < N; n += 5)
    back(n, a);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    steps(n, a);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    pairs(n, a);
#pragma agglom wait
  print();
  fill(17);
  for (int n = 0; n < N; n += 5)
    hist(n, bytes, z);
#pragma agglom wait
  print();
  fill(18);
  for (int n = 0; n < N; n += 5)
    gather(n, x, a, b);
#pragma agglom wait
  print();
  fill(16);
  for (int n = 0; n < N; n += 5)
    guarded(n, a, b);
#pragma agglom wait
  print();
  fill(18);
  for (int n = 0; n < N; n += 5)
    grid(gr, &h, a, b);
#pragma agglom wait
  print();
  fill(14);
  for (int n = 0; n < N; n += 5)
    early(n, 1, a);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 1; n < N; n += 5)
    first(n, a);
#pragma agglom wait
  print();
  fill(9);
  for (int n = 0; n < N; n += 5)
    tri(n, a);
#pragma agglom wait
  print();
  fill(19);
  for (int n = 0; n < N; n += 5)
    compact(n, y, z, x);
#pragma agglom wait
  print();
  fill(14);
  for (int n = 0; n < N; n += 5)
    unrolled(n, a);
#pragma agglom wait
  print();
  fill(12);
  for (int n = 0; n < N; n += 5)
    mod(n, a, b);
#pragma agglom wait
  print();
  fill(9);
  for (int n = 0; n < N; n += 5)
    odd(n, a);
#pragma agglom wait
  print();
  fill(27);
  for (int n = 0; n < N; n += 5)
    rowp(n, 3, (double (*)[4])b);
#pragma agglom wait
  print();
  fill(15);
  for (int n = 0; n < N; n += 5)
    lda(n, 3, 5, a);
#pragma agglom wait
  print();
  fill(15);
  for (int n = 0; n < N; n += 5)
    clampi(n, a, b);
#pragma agglom wait
  print();
  fill(13);
  for (int n = 0; n < N; n += 5)
    neg(n, a + 4);
#pragma agglom wait
  print();
  fill(17);
  for (int n = 0; n < N; n += 5)
    twice(n, a, b, c);
#pragma agglom wait
  print();
  fill(9);
  for (int n = 0; n < N; n += 5)
    counts(a);
#pragma agglom wait
  print();
  fill(6);
  for (int n = 0; n < N; n += 5)
    say(a);
#pragma agglom wait
  print();
  fill(11);
  for (int n = 0; n < N; n += 5)
    whole(n, a);
#pragma agglom wait
  print();
  fill(16);
  for (int n = 1; n < N; n += 5)
    largest(n, f, g);
#pragma agglom wait
  print();
  fill(13);
  for (int n = 0; n < N; n += 5)
    carried(n, a);
#pragma agglom wait
  print();
  fill(16);
  for (int n = 0; n < N; n += 5)
    columns(n, 4, a);
#pragma agglom wait
  print();
  fill(15);
  for (int n = 0; n < N; n += 5)
    summed(n, y, a);
#pragma agglom wait
  print();
  fill(13);
  for (int n = 0; n < N; n += 5)
    last(n, a, b);
#pragma agglom wait
  print();
  fill(12);
  for (int n = 0; n < N; n += 5)
    leaves(n, a);
#pragma agglom wait
  print();
  unused(a);
  return 0;
}
