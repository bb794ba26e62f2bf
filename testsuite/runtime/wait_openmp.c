// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of tasks in a parallel region of OpenMP, with one 'wait' behind it: it is for the units of all the threads.
// RUN: %cc -std=gnu11 -O1 -w %s -o %t.serial && %t.serial > %t.out
// RUN: %agglomcc -fagglom-host-compiler=gcc -std=gnu11 -O1 -fopenmp %s -o %t.a
// RUN: env OMP_NUM_THREADS=4 AGGLOM_DEVICES=none AGGLOM_WORKERS=1 %t.a > %t.1 && cmp %t.out %t.1
// RUN: env OMP_NUM_THREADS=4 AGGLOM_DEVICES=none AGGLOM_WORKERS=3 %t.a > %t.2 && cmp %t.out %t.2
// RUN: env OMP_NUM_THREADS=3 AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 %t.a > %t.3 && cmp %t.out %t.3
// RUN: env OMP_NUM_THREADS=4 AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:100000 %t.a > %t.4 && cmp %t.out %t.4
#include <stdio.h>

enum { ROWS = 600, COLUMNS = 40 };

#pragma agglom task in(from[0:COLUMNS]) out(to[0:COLUMNS])
static void smooth(const int *from, int *to) {
#pragma agglom loop
  for (int i = 0; i < COLUMNS; ++i)
    to[i] = from[i] * 3 + from[(i + 1) % COLUMNS];
}

#pragma agglom task independent inout(x[0:COLUMNS])
static void mark(int *x) {
  for (int i = 0; i < COLUMNS; ++i)
    x[i] ^= i * 5;
}

static int a[ROWS][COLUMNS], b[ROWS][COLUMNS];

static unsigned sum(int (*x)[COLUMNS]) {
  unsigned s = 0;
  for (int r = 0; r < ROWS; ++r)
    for (int i = 0; i < COLUMNS; ++i)
      s = s * 31 + (unsigned)x[r][i];
  return s;
}

int main(void) {
  for (int r = 0; r < ROWS; ++r)
    for (int i = 0; i < COLUMNS; ++i)
      a[r][i] = r * 7 + i;
  for (int step = 0; step < 3; ++step) {
#pragma omp parallel for schedule(dynamic, 10)
    for (int r = 0; r < ROWS; ++r)
      smooth(a[r], b[r]);
#pragma agglom wait
    printf("%u\n", sum(b));
    for (int r = 0; r < ROWS; ++r)
      b[r][0] = r; /* the host's again */
#pragma omp parallel for
    for (int r = 0; r < ROWS; ++r)
      mark(b[r]);
#pragma agglom wait on(b)
    printf("%u\n", sum(b));
#pragma omp parallel
    {
#pragma omp for
      for (int r = 0; r < ROWS; ++r)
        smooth(b[r], a[r]);
#pragma agglom wait
#pragma omp for
      for (int r = 0; r < ROWS; ++r)
        a[r][1] += a[(r + 1) % ROWS][0];
#pragma omp for
      for (int r = 0; r < ROWS; ++r) {
        mark(a[r]);
#pragma agglom wait own
        a[r][2] += r;
        mark(a[r]);
#pragma agglom wait own on(a[r])
        a[r][3] += r;
      }
    }
    printf("%u\n", sum(a));
  }
  return 0;
}
