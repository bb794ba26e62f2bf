/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "factorise.h"
#include "kernels.h"
#include <math.h>

#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* other compilers ignore ours */

/* ---- The panel ------------------------------------------------------------------------------- */

static void exchange_rows(double *x, double *y, int w) {
  for (int c = 0; c < w; ++c) {
    double t = x[c];
    x[c] = y[c];
    y[c] = t;
  }
}

/* The row of the largest number in a column, from `from` on. */
static int largest(const double *a, int m, int w, int column, int from) {
  int at = from;
  for (int r = from + 1; r < m; ++r)
    if (fabs(a[(size_t)r * (size_t)w + (size_t)column]) > fabs(a[(size_t)at * (size_t)w + (size_t)column]))
      at = r;
  return at;
}

/* Columns begin .. end of a panel of m rows of w numbers, with Gaussian elimination. Its rows are exchanged
 * as a whole. A pivot of 0 makes all that follows from it infinite or no number, which no verification
 * passes. */
static void eliminate(double *a, int m, int w, int begin, int end, int *pivot) {
  for (int k = begin; k < end; ++k) {
    pivot[k] = largest(a, m, w, k, k);
    if (pivot[k] != k)
      exchange_rows(a + k * w, a + pivot[k] * w, w);
    for (int r = k + 1; r < m; ++r) {
      double multiplier = a[r * w + k] /= a[k * w + k];
      for (int c = k + 1; c < end; ++c)
        a[r * w + c] -= multiplier * a[k * w + c];
    }
  }
}

/* The same by halves, so that most of the work is a product of matrices (Gustavson; Toledo, 1997). */
static void factorise_columns(double *a, int m, int w, int begin, int end, int *pivot) {
  if (end - begin <= 8) {
    eliminate(a, m, w, begin, end, pivot);
    return;
  }
  int half = begin + (end - begin) / 2;
  factorise_columns(a, m, w, begin, half, pivot);
  solve_triangle(half - begin, end - half, a + begin * w + begin, w, a + begin * w + half, w);
  subtract_product(m - half, end - half, half - begin, a + half * w + begin, w, a + begin * w + half, w,
                   a + half * w + half, w);
  factorise_columns(a, m, w, half, end, pivot);
}

/* ---- The work units -------------------------------------------------------------------------- */

/* A block column from the diagonal down: m rows of w numbers. It is what all others wait for, and has little
 * that could be done side by side: so a CPU runs it, before anything else. */
#pragma agglom task inout(a[0 : m * w]) out(pivot[0:w]) device(cpu) priority(4)
static void factorise_panel(int m, int w, double *a, int *pivot, struct progress *progress, double flops) {
  factorise_columns(a, m, w, 0, w, pivot);
  progress_at(progress, (long long)(flops * 1e-9));
}

/* What the panel's h columns do to another block column of m rows of w numbers: their exchanges, and then its
 * uppermost tile becomes one of U, L^-1 A. CPUs go row by row, a GPU has a thread for each column. */
#pragma agglom task in(pivot[0:h], l[0 : h * h]) inout(a[0 : m * w]) priority(2) variant(cuda : apply_on_block)
static void apply_panel(int m, int w, int h, const int *pivot, const double *l, double *a) {
  (void)m; /* for the clause */
  for (int r = 0; r < h; ++r)
    if (pivot[r] != r)
      exchange_rows(a + r * w, a + pivot[r] * w, w);
  solve_triangle(h, w, l, h, a, w);
}

/* The trailing update of a tile, m x w: A -= L U, with q columns of L. As anybody would write it ...
 *
 * Units with a priority above 0 are not launched together with the others: those for the next panel, which
 * need not wait for the rest so. */
#pragma agglom task in(l[0 : m * q], u[0 : q * w]) inout(a[0 : m * w]) priority(next)
static void update_plain(bool next, int m, int w, int q, const double *l, const double *u, double *a) {
  (void)next; /* likewise */
#pragma agglom loop
  for (int r = 0; r < m; ++r)
    subtract_from_row(w, q, l + r * q, u, w, a + r * w);
}

/* ... and by hand: CPUs run the body, a GPU the function that the clause names. */
#pragma agglom task in(l[0 : m * q], u[0 : q * w]) inout(a[0 : m * w]) priority(next) variant(cuda : update_on_block)
static void update_tuned(bool next, int m, int w, int q, const double *l, const double *u, double *a) {
  (void)next;
  subtract_product(m, w, q, l, q, u, w, a, w);
}

/* ---- The factorisation ----------------------------------------------------------------------- */

double operations(double n, double columns) {
  double left = n - columns;
  return (n * n * n - left * left * left) * 2 / 3 - (n * n - left * left) / 2;
}

/* Submits everything. That the next panel may begin as soon as its own block column is updated, while the
 * others still are (look-ahead), is said nowhere: it follows from what the units read and write. */
void factorise(const struct matrix *a, int *pivot, struct how how, struct progress *progress) {
  int tiles = a->tiles;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < tiles; ++k) {
    int h = extent(a, k), m = a->n - k * a->block;
    int *chosen = pivot + k * a->block;
#pragma omp task depend(iterator(int t = k : tiles), inout : *tile(a, t, k)) depend(out : *chosen) priority(4)
    factorise_panel(m, h, tile(a, k, k), chosen, progress, operations(a->n, k * a->block + h));
    for (int j = k + 1; j < tiles; ++j) {
      int w = extent(a, j);
#pragma omp task depend(iterator(int t = k : tiles), inout : *tile(a, t, j))                                 \
    depend(in : *chosen, *tile(a, k, k)) priority(2)
      apply_panel(m, w, h, chosen, tile(a, k, k), tile(a, k, j));
      for (int i = k + 1; i < tiles; ++i) {
        bool next = j == k + 1;
        const double *l = tile(a, i, k), *u = tile(a, k, j);
#pragma omp task depend(in : *l, *u) depend(inout : *tile(a, i, j)) priority(next)
        if (how.tuned)
          update_tuned(next, extent(a, i), w, h, l, u, tile(a, i, j));
        else
          update_plain(next, extent(a, i), w, h, l, u, tile(a, i, j));
      }
    }
    if (how.step_wise || k == tiles - 1) {
#pragma omp taskwait
#pragma agglom wait
    }
  }
  progress_end(progress);
}

/* ---- The solution ---------------------------------------------------------------------------- */

/* Subtracts row r of tile (i, j) times x from a number, columns from .. to. */
static double less_row(const struct matrix *a, int i, int j, int r, int from, int to, const double *x,
                       double value) {
  const double *row = tile(a, i, j) + (size_t)r * (size_t)extent(a, j);
  for (int c = from; c < to; ++c)
    value -= row[c] * x[j * a->block + c];
  return value;
}

void solve(const struct matrix *a, const int *pivot, double *x) {
  for (int k = 0; k < a->tiles; ++k) { /* L y = P b, with the exchanges on the way */
    double *y = x + k * a->block;
    int h = extent(a, k);
    for (int r = 0; r < h; ++r)
      exchange_rows(&y[r], &y[pivot[k * a->block + r]], 1);
    for (int r = 1; r < a->n - k * a->block; ++r)
      y[r] = less_row(a, k, k, r, 0, r < h ? r : h, x, y[r]);
  }
  for (int k = a->tiles - 1; k >= 0; --k) /* U x = y */
    for (int r = extent(a, k) - 1; r >= 0; --r) {
      double value = x[k * a->block + r];
      for (int j = k; j < a->tiles; ++j)
        value = less_row(a, k, j, r, j == k ? r + 1 : 0, extent(a, j), x, value);
      x[k * a->block + r] = value / tile(a, k, k)[(size_t)r * (size_t)extent(a, k) + (size_t)r];
    }
}
