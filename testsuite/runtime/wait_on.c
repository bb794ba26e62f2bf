// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 'wait on': the host reads and writes some memory while units of other memory are in flight.
// RUN: %compare %s %t
// RUN: %agglomcc -std=gnu11 -O1 %s -o %t.w -lm
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=4 AGGLOM_BATCH=static:13 %t.w > %t.w1
// RUN: cmp %t.serial.out %t.w1
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_BATCH=maximal %t.w > %t.w2
// RUN: cmp %t.serial.out %t.w2
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 %t.w > %t.w3
// RUN: cmp %t.serial.out %t.w3
#include <stdio.h>

enum { N = 16, CELLS = 8 };

#pragma agglom task inout(x[0:n])
static void grow(int n, int by, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    x[i] = (int)(x[i] * 3u + (unsigned)(by + i));
}

#pragma agglom task in(x[0:n]) inout(*sum)
static void add(int n, const int *x, long *sum) {
  for (int i = 0; i < n; ++i)
    *sum += x[i] % 1000;
}

#pragma agglom task accumulate(+: total[0:1])
static void count(int by, long *total) { total[0] += by; }

#pragma agglom task independent out(x[at[0:n]]) in(at[0:n])
static void scatter(int n, const int *at, int *x) {
  for (int i = 0; i < n; ++i)
    x[at[i]] = at[i] * 5;
}

#pragma agglom task device(cpu) inout(x[0:n])
static void halves(int n, int *x) {
  grow(n / 2, 1, x);
  grow(n - n / 2, 2, x + n / 2);
#pragma agglom wait on(x[0:n / 2])
  x[0] -= 7;
  grow(n / 2, 3, x);
}

struct cell {
  int n;
  int *x;
  struct cell *next;
};

static long sums[CELLS];

int main(void) {
  static int x[CELLS][N], spread[N];
  struct cell cells[CELLS];
  for (int c = 0; c < CELLS; ++c)
    cells[c] = (struct cell){N, x[c], &cells[(c + 1) % CELLS]};
  for (int round = 0; round < 12; ++round) {
    long total = 0;
    int at[3] = {round % N, (round + 5) % N, (round + 9) % N};
    for (int c = 0; c < CELLS; ++c) {
      grow(N, round, x[c]);
      add(N, x[c], &sums[c]);
      count(c, &total);
      if (c % 3 == round % 3)
        halves(N, x[c]);
    }
    scatter(3, at, spread);
    struct cell *one = &cells[round % CELLS];
    /* add() reads it: the host must not write before it has. */
#pragma agglom wait on(one->x[0:one->n], one->next->x[0:one->n:2])
    one->x[1] += 100;
    one->next->x[4]--;
#pragma agglom wait on(sums[round % CELLS:1], spread[at[0:3]], total)
    printf("%d: %ld %ld %d %d\n", round, sums[round % CELLS], total, spread[at[1]], one->x[1]);
    spread[at[1]] = -1;
#pragma agglom wait on(x[0:CELLS][round:1])
    for (int c = 0; c < CELLS; ++c)
      printf(" %d", x[c][round]);
    printf("\n");
#pragma agglom wait on(x, at)
  }
  for (int c = 0; c < CELLS; ++c)
    for (int i = 0; i < N; ++i)
      printf("%d ", x[c][i]);
#pragma agglom wait
  printf("%ld %d\n", sums[3], spread[7]);
  return 0;
}
