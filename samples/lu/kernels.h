/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C -= A B by hand, for the two sides of a machine: blocked for the registers and caches of a CPU, and for
 * the threads and the shared memory of a GPU's block.
 *
 * Each element of C is changed by one product after the other, in the order of p, whatever the blocking: so
 * both give the bits of three plain loops, as long as no multiplication is fused with its subtraction. */
#ifndef LU_KERNELS_H
#define LU_KERNELS_H

#include <stdbool.h>

/* Where agglom is installed the second kernel is compiled. Other compilers do not need it. */
#if __has_include(<agglom/device.h>)
#include <agglom/device.h>
#define LU_HAS_BLOCK_KERNEL
#endif

enum { LU_STRIP = 64 }; /* 64 x 64 elements of B, 32 KB, stay in the first cache while A passes by */

/* One row of C. */
static inline void subtract_from_row(int w, int q, const double *a, const double *b, int ldb,
                                     double *restrict c) {
  for (int p = 0; p < q; ++p)
    for (int j = 0; j < w; ++j)
      c[j] -= a[p] * b[p * ldb + j];
}

/* Two rows of C with four of B at a time: eight products for six numbers that are loaded, in a loop that any
 * compiler makes vectors of. */
static inline void subtract_from_pair(int w, int q, const double *x, const double *y, const double *b,
                                      int ldb, double *restrict c, double *restrict d) {
  int p = 0;
  for (; p + 4 <= q; p += 4) {
    const double *b0 = b + p * ldb, *b1 = b0 + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
    double x0 = x[p], x1 = x[p + 1], x2 = x[p + 2], x3 = x[p + 3];
    double y0 = y[p], y1 = y[p + 1], y2 = y[p + 2], y3 = y[p + 3];
    for (int j = 0; j < w; ++j) {
      c[j] = c[j] - x0 * b0[j] - x1 * b1[j] - x2 * b2[j] - x3 * b3[j];
      d[j] = d[j] - y0 * b0[j] - y1 * b1[j] - y2 * b2[j] - y3 * b3[j];
    }
  }
  subtract_from_row(w, q - p, x + p, b + p * ldb, ldb, c);
  subtract_from_row(w, q - p, y + p, b + p * ldb, ldb, d);
}

/* C (m x w) -= A (m x q) B (q x w), each with the distance of its rows. */
static inline void subtract_product(int m, int w, int q, const double *a, int lda, const double *b, int ldb,
                                    double *c, int ldc) {
  for (int j = 0; j < w; j += LU_STRIP)
    for (int p = 0; p < q; p += LU_STRIP) {
      int width = w - j < LU_STRIP ? w - j : LU_STRIP, depth = q - p < LU_STRIP ? q - p : LU_STRIP;
      const double *strip = b + p * ldb + j;
      int i = 0;
      for (; i + 2 <= m; i += 2)
        subtract_from_pair(width, depth, a + i * lda + p, a + (i + 1) * lda + p, strip, ldb, c + i * ldc + j,
                           c + (i + 1) * ldc + j);
      if (i < m)
        subtract_from_row(width, depth, a + i * lda + p, strip, ldb, c + i * ldc + j);
    }
}

/* B (h x w) = L^-1 B, where L has ones on its diagonal. */
static inline void solve_triangle(int h, int w, const double *l, int ldl, double *b, int ldb) {
  for (int r = 1; r < h; ++r)
    subtract_from_row(w, r, l + r * ldl, b, ldb, b + r * ldb);
}

#ifdef LU_HAS_BLOCK_KERNEL
/* What apply_panel() of factorise.c does, by all threads of a block. */
static inline void apply_on_block(int m, int w, int h, const int *pivot, const double *l, double *a) {
  (void)m;
  for (int c = (int)agglom_thread(); c < w; c += (int)agglom_threads()) {
    for (int r = 0; r < h; ++r) {
      double t = a[r * w + c];
      a[r * w + c] = a[pivot[r] * w + c];
      a[pivot[r] * w + c] = t;
    }
    for (int r = 1; r < h; ++r) {
      double value = a[r * w + c];
      for (int p = 0; p < r; ++p)
        value -= l[r * h + p] * a[p * w + c];
      a[r * w + c] = value;
    }
  }
}

enum {
  LU_TILE = 64,                /* of C, a block of threads at a time */
  LU_SLICE = 16,               /* of A and B, in shared memory */
  LU_OWN = 4,                  /* a thread has 4 x 4 elements of C in registers */
  LU_ACROSS = LU_TILE / LU_OWN /* threads side by side: 16 x 16 have a tile */
};

/* A (c, m x w) -= L U, as update_tuned() of factorise.c says, by all threads of a block. Their number may be
 * any: with fewer than 256 a tile takes several rounds. A thread's elements are LU_ACROSS apart, so that
 * neighbours read and write neighbouring memory. There is room for two slices: while some threads still need
 * one, others load the next. */
static inline void update_on_block(bool next, int m, int w, int q, const double *l, const double *u,
                                   double *c) {
  AGGLOM_SHARED double slices[2][2][LU_SLICE][LU_TILE];
  int rank = (int)agglom_thread(), threads = (int)agglom_threads(), slice = 0;
  (void)next;
  for (int top = 0; top < m; top += LU_TILE)
    for (int first = 0; first < w; first += LU_TILE)
      for (int round = 0; round < LU_ACROSS * LU_ACROSS; round += threads) {
        int id = round + rank, y = id / LU_ACROSS, x = id % LU_ACROSS;
        double own[LU_OWN][LU_OWN];
        for (int i = 0; i < LU_OWN; ++i)
          for (int j = 0; j < LU_OWN; ++j) {
            int row = top + y + i * LU_ACROSS, column = first + x + j * LU_ACROSS;
            own[i][j] = y < LU_ACROSS && row < m && column < w ? c[row * w + column] : 0;
          }
        for (int from = 0; from < q; from += LU_SLICE, ++slice) {
          double (*left)[LU_TILE] = slices[slice % 2][0], (*right)[LU_TILE] = slices[slice % 2][1];
          for (int at = rank; at < LU_SLICE * LU_TILE; at += threads) {
            int row = top + at / LU_SLICE, p = from + at % LU_SLICE;
            left[at % LU_SLICE][at / LU_SLICE] = row < m && p < q ? l[row * q + p] : 0;
          }
          for (int at = rank; at < LU_SLICE * LU_TILE; at += threads) {
            int p = from + at / LU_TILE, column = first + at % LU_TILE;
            right[at / LU_TILE][at % LU_TILE] = p < q && column < w ? u[p * w + column] : 0;
          }
          agglom_barrier(); /* the slice is complete, and nobody needs the one before the last */
          for (int p = 0; p < LU_SLICE && y < LU_ACROSS; ++p)
            for (int i = 0; i < LU_OWN; ++i)
              for (int j = 0; j < LU_OWN; ++j)
                own[i][j] -= left[p][y + i * LU_ACROSS] * right[p][x + j * LU_ACROSS];
        }
        for (int i = 0; i < LU_OWN; ++i)
          for (int j = 0; j < LU_OWN; ++j) {
            int row = top + y + i * LU_ACROSS, column = first + x + j * LU_ACROSS;
            if (y < LU_ACROSS && row < m && column < w)
              c[row * w + column] = own[i][j];
          }
      }
}
#endif

#endif
