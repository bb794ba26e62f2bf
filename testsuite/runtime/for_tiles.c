// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a matrix as the iterations of a loop: whether they are apart is told where it is so, never where it is not, and
// those that are not run in their order.
// RUN: %agglomcc -Wno-agglom-loop -Wno-agglom-sections %s -Wl,--wrap=agglom_for -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=dynamic:2 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_SCHEDULE=static:3 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=auto %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=gpu %t | FileCheck %s
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40, APART = 8 };

static unsigned a[SIDE][SIDE], b[SIDE][SIDE];
static unsigned char owner[SIDE * SIDE];
static unsigned flags_seen, told, missed, false_claims, wrong;

typedef void submit_fn(const void *, unsigned long long, unsigned long long, void *);
int __real_agglom_for(submit_fn *, void (*)(void *, const void *), void *, unsigned long, unsigned long, unsigned long long,
                      unsigned, long long, double, unsigned);
int __wrap_agglom_for(submit_fn *submit, void (*combine)(void *, const void *), void *env, unsigned long env_size,
                      unsigned long slot_size, unsigned long long n, unsigned schedule, long long chunk, double ratio,
                      unsigned flags) {
  flags_seen = flags;
  return __real_agglom_for(submit, combine, env, env_size, slot_size, n, schedule, chunk, ratio, flags);
}

// What is claimed, and what is so. Tiles whose first number is the last of a row need not be known to be apart.
static void judge(int apart, int simple) {
  int claimed = (flags_seen & APART) != 0;
  told += (unsigned)claimed;
  false_claims += (unsigned)(claimed && !apart);
  missed += (unsigned)(!claimed && apart && simple);
  wrong += (unsigned)(memcmp(a, b, sizeof a) != 0);
}

// Marks the elements of a rectangle in b; 0: some were marked.
static int mark(int row, int rows, int column, int columns, unsigned by) {
  int fresh = 1;
  for (int i = row; i < row + rows; ++i)
    for (int j = column; j < column + columns; ++j) {
      fresh &= !owner[i * SIDE + j];
      owner[i * SIDE + j] = 1;
      b[i][j] = b[i][j] * 31 + by;
    }
  return fresh;
}

static void tiles(int first, int n, int m, int p, int h, int q, int w) {
  int apart = 1;
  memset(owner, 0, sizeof owner);
#pragma agglom for inout(a[p * (t / m):h][q * (m - 1 - t % m):w]) schedule(runtime)
  for (int t = first; t < first + n; ++t)
    for (int i = 0; i < h; ++i)
      for (int j = 0; j < w; ++j)
        a[p * (t / m) + i][q * (m - 1 - t % m) + j] = a[p * (t / m) + i][q * (m - 1 - t % m) + j] * 31 + (unsigned)t;
  for (int t = first; t < first + n; ++t)
    apart &= mark(p * (t / m), h, q * (m - 1 - t % m), w, (unsigned)t);
  judge(apart, (first + 1) % m && p >= h && q >= w);
}

static void strips(size_t first, size_t n, size_t p, size_t w, int h) {
  int apart = 1;
  memset(owner, 0, sizeof owner);
#pragma agglom for inout(a[1:h][p * t:w]) schedule(runtime)
  for (size_t t = first; t < first + n; ++t)
    for (int i = 0; i < h; ++i)
      for (size_t j = 0; j < w; ++j)
        a[1 + i][p * t + j] = a[1 + i][p * t + j] * 31 + (unsigned)t;
  for (size_t t = first; t < first + n; ++t)
    apart &= mark(1, h, (int)(p * t), (int)w, (unsigned)t);
  judge(apart, p >= w);
}

// The second tile of a row is the first one of the next row, whatever the indexes say.
static void beyond_rows(void) {
  unsigned(*half)[SIDE / 2] = (unsigned(*)[SIDE / 2])a;
#pragma agglom for inout(half[t / 2:1][SIDE / 2 * (t % 2):SIDE / 2]) schedule(runtime)
  for (int t = 0; t < 2 * SIDE - 2; ++t) {
    unsigned *row = &half[t / 2][0] + SIDE / 2 * (t % 2);
    for (int j = 0; j < SIDE / 2; ++j)
      row[j] = row[j] * 31 + (unsigned)t;
  }
  for (int t = 0; t < 2 * SIDE - 2; ++t)
    for (int j = 0; j < SIDE / 2; ++j) {
      unsigned *of = &b[0][0] + SIDE / 2 * (t / 2 + t % 2) + j;
      *of = *of * 31 + (unsigned)t;
    }
  wrong += (unsigned)(memcmp(a, b, sizeof a) != 0);
}

int main(void) {
  srand(3);
  for (int k = 0; k < 1500; ++k) {
    int m = rand() % 5 + 1, first = rand() % 4, n = rand() % 15 + 1, h = rand() % 4, w = rand() % 4 + 1;
    int p = rand() % 4 ? h + rand() % 2 : rand() % 4, q = rand() % 4 ? w + rand() % 2 : rand() % 4;
    if (p * ((first + n) / m) + h <= SIDE && q * (m - 1) + w <= SIDE)
      tiles(first, n, m, p, h, q, w);
    strips((size_t)first, (size_t)n / 2 + 1, (size_t)(rand() % 4), (size_t)w, h);
  }
  for (int k = 0; k < 50; ++k)
    beyond_rows();
  // CHECK: apart: more than 1000 times, 0 of them false, 0 missed, 0 results wrong
  printf("apart: %s, %u of them false, %u missed, %u results wrong\n", told > 1000 ? "more than 1000 times" : "seldom",
         false_claims, missed, wrong);
  return 0;
}
