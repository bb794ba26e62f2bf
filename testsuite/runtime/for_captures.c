// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop under '#pragma agglom for' takes from its function, and the sections it may name.
// RUN: %compare %s %t
#include <stdio.h>
#include <stdlib.h>

struct point {
  double x, y;
};
struct mesh {
  int n;
  double *at;
  struct point *points;
};
typedef struct {
  int a[3];
} triple;
enum colour { RED, GREEN = 5 };
static const double table[4] = {0.5, 1.5, 2.5, 3.5};
static double grid[12][9];
static double *window;

static double sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * (i % 5 + 1);
  return s;
}
static double weight(const triple *t, int i) { return t->a[i % 3]; }

static void scalars(int n) {
  enum { LOCAL = 8, OTHER = -3 };
  double x[64], y[64];
  const char c = 'a';
  const float f = 0.25f;
  unsigned long long big = 1ULL << 40;
  _Bool flag = n > 3;
  enum colour colour = GREEN;
  struct point p = {1, 2};
  triple t = {{3, 5, 7}};
  const char *name = "ignored";
  (void)name;
  for (int i = 0; i < 64; ++i)
    x[i] = i * 0.5;
#pragma agglom for in(x[i], x[0:LOCAL]) out(y[i]) schedule(static, LOCAL + 1) cost(LOCAL)
  for (int i = 0; i < n; ++i) {
    double spare[LOCAL];
    for (int k = 0; k < LOCAL; ++k)
      spare[k] = x[i] * k + OTHER;
    y[i] = spare[i % LOCAL] + c + f + (double)(big >> 38) + flag + colour + p.x * p.y + weight(&t, i) + table[i % 4];
    y[i] += sizeof(struct point) + sizeof __func__;
  }
  printf("scalars %.17g\n", sum(y, n));
}

static void arrays(int n, int m, double a[n][m]) {
  double line[n], box[4][m];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i][j] = i * m + j;
#pragma agglom for in(a[i][0:m]) out(line[i])
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int j = 0; j < m; ++j)
      s += a[i][j];
    line[i] = s;
  }
#pragma agglom for in(a[0:n][j]) out(box[0:4][j])
  for (int j = 0; j < m; ++j)
    for (int k = 0; k < 4; ++k)
      box[k][j] = a[k % n][j] + a[n - 1][j];
  printf("arrays %.17g %.17g\n", sum(line, n), sum(box[0], 4 * m));
}

static void members(struct mesh *mesh, const struct mesh *const other) {
#pragma agglom for inout(mesh->at[i]) in(other->points[i], mesh->n)
  for (int i = 0; i < mesh->n; ++i)
    mesh->at[i] += other->points[i].x * other->points[i].y + mesh->n;
  printf("members %.17g\n", sum(mesh->at, mesh->n));
  struct mesh copy = *mesh;
#pragma agglom for inout(copy.at[2 * i : 2])
  for (int i = 0; i < copy.n / 2; ++i) {
    double t = copy.at[2 * i];
    copy.at[2 * i] = copy.at[2 * i + 1];
    copy.at[2 * i + 1] = t;
  }
  printf("by value %.17g\n", sum(mesh->at, mesh->n));
}

static void files(int n) {
#pragma agglom for out(grid[i][0:9])
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 9; ++j)
      grid[i][j] = i - j;
#pragma agglom for inout(window[i])
  for (int i = 0; i < n; ++i)
    window[i] *= 3;
  printf("file %.17g\n", sum(grid[0], 108));
}

/* Sections that are not made of a run of elements an iteration. */
static void hulls(int n, const int *start, const int *index, const double *v, double *r) {
#pragma agglom for in(start[i:2], v[start[i] : start[i + 1] - start[i]]) out(r[i]) schedule(static, 3)
  for (int i = 0; i < n; ++i) {
    r[i] = 0;
    for (int k = start[i]; k < start[i + 1]; ++k)
      r[i] += v[k];
  }
  printf("rows %.17g\n", sum(r, n));
#pragma agglom for in(index[i], v[index[i:1]]) inout(r[n - 1 - i]) schedule(static, 3)
  for (int i = 0; i < n; ++i)
    r[n - 1 - i] += v[index[i]];
  printf("gather %.17g\n", sum(r, n));
#pragma agglom for in(index[i], v[0:n]) out(r[index[i]]) schedule(dynamic, 2)
  for (int i = 0; i < n; ++i)
    r[index[i]] = v[i] * 2;
  printf("scatter %.17g\n", sum(r, n));
#pragma agglom for in(v[i : (n - i + 6) / 7 : 7]) out(r[i])
  for (int i = 0; i < 7; ++i) {
    double s = 0;
    for (int k = i; k < n; k += 7)
      s += v[k];
    r[i] = s;
  }
  printf("strides %.17g\n", sum(r, n));
  /* Carried from one iteration to the next: the device would be free to break it; one chunk each keeps it. */
#pragma agglom for inout(r[i : 2]) schedule(static, 1)
  for (int i = 0; i < n - 1; ++i)
    r[i + 1] += r[i];
  printf("chain %.17g\n", sum(r, n));
}

int main(void) {
  enum { M = 40 };
  scalars(64);
  double(*a)[7] = malloc(5 * sizeof *a);
  arrays(5, 7, a);
  free(a);
  struct mesh mesh = {M, malloc(M * sizeof(double)), malloc(M * sizeof(struct point))};
  window = mesh.at;
  for (int i = 0; i < M; ++i) {
    mesh.at[i] = i;
    mesh.points[i] = (struct point){i * 0.5, 3 - i};
  }
  members(&mesh, &mesh);
  files(M);
  int start[M + 1], index[M], at = 0;
  double r[M];
  for (int i = 0; i < M; ++i) {
    start[i] = at;
    at += at < M - 3 ? i % 4 : 0;
    index[i] = i * 7 % M;
  }
  start[M] = at;
  hulls(M, start, index, mesh.at, r);
  free(mesh.at);
  free(mesh.points);
  return 0;
}
