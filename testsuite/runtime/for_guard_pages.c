// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section of a chunk is what its iterations name and not an element more: the arrays end, or begin, at a page that
// nobody may touch.
// RUN: %compare %s %t
// RUN: env AGGLOM_SCHEDULE=static:3 AGGLOM_DEVICES=emulated:2 %t.agglom > %t.threes && cmp %t.threes %t.serial.out
// RUN: env AGGLOM_SCHEDULE=dynamic:1 AGGLOM_DEVICES=emulated %t.agglom > %t.ones && cmp %t.ones %t.serial.out
// RUN: env AGGLOM_SCHEDULE=static:1000 AGGLOM_DEVICES=emulated %t.agglom > %t.one && cmp %t.one %t.serial.out
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 12, COLUMNS = 7 };

/* n numbers behind a forbidden page, or before one. */
static double *guarded(int n, int at_end) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * sizeof(double);
  size_t pages = (size + page - 1) / page * page;
  char *all = mmap(NULL, pages + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all, page, PROT_NONE) || mprotect(all + page + pages, page, PROT_NONE)) {
    perror("guard pages");
    exit(2);
  }
  double *p = (double *)(all + page + (at_end ? pages - size : 0));
  for (int i = 0; i < n; ++i)
    p[i] = i * 0.5;
  return p;
}

static void show(const char *what, int n, const double *p) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * 1.01 + p[i];
  printf("%s %.17g\n", what, s);
}

static void columns(int at_end) {
  const int rows = ROWS, columns = COLUMNS;
  double *p = guarded(rows * columns, at_end), *total = guarded(columns, at_end);
#pragma agglom for inout(p[j : rows : columns]) schedule(runtime)
  for (int j = 0; j < columns; ++j)
    for (int r = 0; r < rows; ++r)
      p[r * columns + j] += j + r;
  show("columns", rows * columns, p);
#pragma agglom for in(p[j : rows : columns]) out(total[columns - 1 - j]) schedule(runtime)
  for (int j = columns - 1; j >= 0; --j) {
    total[columns - 1 - j] = 0;
    for (int r = 0; r < rows; ++r)
      total[columns - 1 - j] += p[r * columns + j];
  }
  show("their sums", columns, total);
  /* Every other element, of which the last is the array's. */
#pragma agglom for inout(p[2 * j + 1]) schedule(runtime)
  for (int j = 0; j < rows * columns / 2; ++j)
    p[2 * j + 1] *= 3;
  show("every other", rows * columns, p);
  /* The stride is largest in the middle. */
#pragma agglom for in(p[j : 2 : 1 + j * (6 - j)]) out(total[j]) schedule(runtime)
  for (int j = 0; j < columns; ++j)
    total[j] = p[j] - 2 * p[j + 1 + j * (6 - j)];
  show("strides", columns, total);
}

static void triangles(int at_end) {
  const int n = 16;
  double *p = guarded(n * n, at_end);
#pragma agglom for inout(p[i * n + i + 1 : n - i - 1]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      p[i * n + j] += i + j;
  show("upper", n * n, p);
#pragma agglom for inout(p[i * n : i]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      p[i * n + j] -= i * j;
  show("lower", n * n, p);
  /* Packed rows: where each begins grows with the square. */
#pragma agglom for inout(p[i * (i + 1) / 2 : i + 1]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      p[i * (i + 1) / 2 + j] *= 1.5;
  show("packed", n * n, p);
}

static void rows(int at_end) {
  const int n = ROWS, m = COLUMNS;
  double *p = guarded(n * m, at_end), *q = guarded(n * m, at_end);
  double (*a)[m] = (double (*)[m])p, (*b)[m] = (double (*)[m])q;
#pragma agglom for in(a[n - 1 - i][0:m]) out(b[i][0:m]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i][j] = a[n - 1 - i][j] + i;
  show("rows", n * m, q);
  /* A stencil: the neighbours of the first and of the last row are not there. */
#pragma agglom for in(q[(i - (i > 0)) * m : (1 + (i > 0) + (i < n - 1)) * m]) out(p[i * m : m]) schedule(runtime)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      p[i * m + j] = (i > 0 ? q[(i - 1) * m + j] : 0) + (i < n - 1 ? q[(i + 1) * m + j] : 0);
  show("stencil", n * m, p);
}

int main(void) {
  for (int at_end = 0; at_end < 2; ++at_end) {
    columns(at_end);
    triangles(at_end);
    rows(at_end);
  }
  return 0;
}
