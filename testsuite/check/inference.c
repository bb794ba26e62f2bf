// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections inferred from bodies: each task lacks its clauses, and the error says what to add.
// RUN: not %agglomcc -fsyntax-only -ferror-limit=0 %s 2>&1 | FileCheck %s
#include <stddef.h>
#include <string.h>

// CHECK: 'plain' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
// CHECK: 'plain' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
#pragma agglom task
void plain(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = 2 * x[i];
}
// CHECK: 'stencil' {{.*}}'y', {{.*}} add out(y[1:(n > 2 ? n - 2 : 0)]){{$}}
// CHECK: 'stencil' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
#pragma agglom task
void stencil(int n, const double *x, double *y) {
  for (int i = 1; i < n - 1; i++)
    y[i] = x[i - 1] + x[i] + x[i + 1];
}
// CHECK: 'matrix' {{.*}}'a', {{.*}} add in(a[0:rows * n]){{$}}
// CHECK: 'matrix' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
// CHECK: 'matrix' {{.*}}'y', {{.*}} add out(y[0:rows]){{$}}
#pragma agglom task
void matrix(int rows, int n, const double *a, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}
// CHECK: 'wide' {{.*}}'a', {{.*}} add out(a[0:(long)rows * n]){{$}}
#pragma agglom task
void wide(int rows, int n, double *a) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)i * n + j] = 0;
}
// CHECK: 'evens' {{.*}}'x', {{.*}} add inout(x[0:(2 * n > 1 ? 2 * n - 1 : 0)]){{$}}
#pragma agglom task
void evens(int n, double *x) {
  for (int i = 0; i < n; i++)
    x[2 * i] += 1;
}
// CHECK: 'star' {{.*}}'q', {{.*}} add out(q[0:1]){{$}}
// CHECK: 'star' {{.*}}'p', {{.*}} add in(p[0:4]){{$}}
#pragma agglom task
void star(const int *p, int *q) { *q = *p + p[3]; }
struct s {
  int a;
  double b[4];
};
// CHECK: 'member' {{.*}}'p', {{.*}} add inout(p[0:1]){{$}}
// CHECK: 'member' {{.*}}'q', {{.*}} add in(q[0:n]){{$}}
#pragma agglom task
void member(struct s *p, const struct s *q, int n) {
  p->a = 3;
  for (int i = 0; i < n; i++)
    p->b[2] += q[i].b[1];
}
// CHECK: 'bump' {{.*}}'p', {{.*}} add out(p[0:n]){{$}}
// CHECK: 'bump' {{.*}}'q', {{.*}} add in(q[0:n]){{$}}
#pragma agglom task
void bump(int n, float *p, const float *q) {
  while (n--)
    *p++ = *q++;
}
// CHECK: 'bump2' {{.*}}'p', {{.*}} add inout(p[0:n]){{$}}
#pragma agglom task
void bump2(size_t n, float *p) {
  float *e = p + n;
  for (; p != e; ++p)
    *p *= 2;
}
// CHECK: 'bump3' {{.*}}'p', {{.*}} add out(p[0:n]){{$}}
#pragma agglom task
void bump3(int n, float *p) {
  do {
    *p++ = 1;
  } while (--n > 0);
}
static double get(const double *p, int i) { return p[i]; }
static int at(int i, int j, int n) { return i * n + j; }
// CHECK: 'helper' {{.*}}'y', {{.*}} add out(y[0:n * m]){{$}}
// CHECK: 'helper' {{.*}}'x', {{.*}} add in(x[2:n]){{$}}
#pragma agglom task
void helper(int n, int m, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[at(i, j, m)] = get(x, i + 2);
}
// CHECK: 'copy' {{.*}}'to', {{.*}} add out(to[0:n]){{$}}
// CHECK: 'copy' {{.*}}'from', {{.*}} add in(from[0:n]){{$}}
#pragma agglom task
void copy(int n, double *to, const double *from) { memcpy(to, from, n * sizeof *to); }
// CHECK: 'clear' {{.*}}'t', {{.*}} add out(t[0:2L * n]){{$}}
#pragma agglom task
void clear(int n, int *t) { memset(t, 0, (size_t)n * 2 * sizeof(int)); }
// CHECK: 'back' {{.*}}'x', {{.*}} add out(x[0:n]){{$}}
#pragma agglom task
void back(int n, double *x) {
  for (int i = n - 1; i >= 0; i--)
    x[i] = i;
}
// CHECK: 'steps' {{.*}}'x', {{.*}} add out(x[0:n]){{$}}
#pragma agglom task
void steps(int n, double *x) {
  for (int i = 0; i < n; i += 2)
    x[i] = i;
}
// CHECK: 'pairs' {{.*}}'x', {{.*}} add out(x[0:(n + 1) / 2 * 2]){{$}}
#pragma agglom task
void pairs(int n, double *x) {
  for (int i = 0; i < n; i += 2) {
    x[i] = i;
    x[i + 1] = 2;
  }
}
// CHECK: 'hist' {{.*}}'h', {{.*}} add in(h[lo:len]), out(...)
// CHECK: the section of 'h' cannot be inferred: which of its elements are used depends on arguments, or on what memory
// CHECK: 'hist' {{.*}}'b', {{.*}} add in(b[0:n]){{$}}
#pragma agglom task
void hist(int n, const unsigned char *b, int *h) {
  for (int i = 0; i < n; i++)
    h[b[i]]++;
}
// CHECK: 'gather' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
// CHECK: 'gather' {{.*}}'x', {{.*}} add in(x[lo:len]), out(...)
// CHECK: the section of 'x' cannot be inferred: the position of an access is computed from values that a
// CHECK: 'gather' {{.*}}'idx', {{.*}} add in(idx[0:n]){{$}}
#pragma agglom task
void gather(int n, const int *idx, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[idx[i]];
}
// CHECK: 'guarded' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
// CHECK: 'guarded' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
#pragma agglom task
void guarded(int n, const double *x, double *y) {
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
// CHECK: 'grid' {{.*}}'x', {{.*}} add out(x[0:g.nx * g.ny]){{$}}
// CHECK: 'grid' {{.*}}'h', {{.*}} add in(h[0:1]){{$}}
// CHECK: 'grid' {{.*}}'y', {{.*}} add out(y[0:h->ny]){{$}}
#pragma agglom task
void grid(struct grid g, const struct grid *h, double *x, double *y) {
  for (int i = 0; i < g.nx * g.ny; i++)
    x[i] = 0;
  for (int j = 0; j < h->ny; j++)
    y[j] = 1;
}
// CHECK: 'early' {{.*}}'x', {{.*}} add in(x[lo:len]), out(...)
// CHECK: the section of 'x' cannot be inferred: which of several accesses reaches furthest is not known
#pragma agglom task
void early(int n, int lo, double *x) {
  if (n <= 0)
    return;
  x[0] = 1;
  for (int i = lo; i < n; i++)
    x[i] = 0;
}
// CHECK: 'first' {{.*}}'x', {{.*}} add inout(x[0:n]){{$}}
#pragma agglom task
void first(int n, double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    m += x[i];
  x[0] = m;
}
// CHECK: 'tri' {{.*}}'x', {{.*}} add inout(x[0:n]){{$}}
#pragma agglom task
void tri(int n, double *x) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      x[j] += i;
}
// CHECK: 'compact' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
// CHECK: 'compact' {{.*}}'out', {{.*}} add out(out[0:n]){{$}}
// CHECK: 'compact' {{.*}}'count', {{.*}} add out(count[0:1]){{$}}
#pragma agglom task
void compact(int n, const int *x, int *out, int *count) {
  int c = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      out[c++] = x[i];
  *count = c;
}
// CHECK: 'unrolled' {{.*}}'x', {{.*}} add out(x[0:n]){{$}}
#pragma agglom task
void unrolled(int n, double *x) {
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
// CHECK: 'mod' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
// CHECK: 'mod' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
#pragma agglom task
void mod(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    y[i] = x[(i + 1) % n];
}
// CHECK: 'odd' {{.*}}'y', {{.*}} add in(y[lo:len]), out(...)
// CHECK: the section of 'y' cannot be inferred: an access depends on a condition on its position
#pragma agglom task
void odd(int n, double *y) {
  for (int i = 0; i < n; i++)
    if (i % 2)
      y[i + 1] = 0;
}
// CHECK: 'rowp' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
#pragma agglom task
void rowp(int n, int m, double (*y)[4]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      y[i][j] = m;
}
// CHECK: 'lda' {{.*}}'y', {{.*}} add out(y[0:(n * ld + m > ld ? n * ld + m - ld : 0)]){{$}}
#pragma agglom task
void lda(int n, int m, int ld, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i * ld + j] = m;
}
// CHECK: 'clampi' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
// CHECK: 'clampi' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
#pragma agglom task
void clampi(int n, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    int l = i > 0 ? i - 1 : 0, r = i < n - 1 ? i + 1 : n - 1;
    y[i] = x[l] + x[r];
  }
}
// CHECK: 'neg' {{.*}}'x', {{.*}} add out(x[-2:n + 2]){{$}}
#pragma agglom task
void neg(int n, double *x) {
  for (int i = -2; i < n; i++)
    x[i] = 0;
}
// CHECK: 'twice' {{.*}}'t', {{.*}} add out(t[0:n]){{$}}
// CHECK: 'twice' {{.*}}'x', {{.*}} add in(x[0:n]){{$}}
// CHECK: 'twice' {{.*}}'y', {{.*}} add out(y[0:n]){{$}}
#pragma agglom task
void twice(int n, const double *x, double *t, double *y) {
  for (int i = 0; i < n; i++)
    t[i] = x[i];
  for (int i = 0; i < n; i++)
    y[i] = t[i];
}
static int deepest(const int *p) { return p[2]; }
static int deeper(const int *p) { return deepest(p + 1); }
static int deep(const int *p) { return deeper(p + 1); }
// CHECK: 'calls' {{.*}}'x', {{.*}} add out(x[0:1]){{$}}
// CHECK: 'calls' {{.*}}'p', {{.*}} add in(p[4:1]){{$}}
#pragma agglom task
void calls(const int *p, int *x) { *x = deep(p); }
// A fixed element beyond what a loop surely reaches: the longer of both.
// CHECK: 'far' {{.*}}'a', {{.*}} add in(a[0:(n > 10 ? n : 10)]){{$}}
#pragma agglom task out(y[0:1])
void far(int n, const int *a, int *y) {
  int s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] + a[9];
  y[0] = s;
}
// CHECK: 'before' {{.*}}'a', {{.*}} add in(a[0:(n - 1 > 1 ? n - 1 : 1)]){{$}}
#pragma agglom task out(y[0:1])
void before(int n, const int *a, int *y) {
  int s = 0;
  for (int k = 0; k < n; k++)
    s += a[k > 0 ? k - 1 : 0];
  y[0] = s;
}
// CHECK: 'first_two' {{.*}}'u', {{.*}} add inout(u[0:(n > 2 ? n : 2)]){{$}}
#pragma agglom task
void first_two(int n, double *u) {
  u[0] = u[1];
  for (int i = 0; i < n; i++)
    u[i] += 1;
}
