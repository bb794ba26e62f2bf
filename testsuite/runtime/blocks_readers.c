// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One board that units write and read in turns: a writer waits for all that read it, and each reader for the last that
// wrote it. A writer is one that reads nothing else, so only its order makes it right.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: turn: 1020 units in [[#]] launch
#include <stdio.h>

enum { ROUNDS = 20, READERS = 50, N = 24 };

#pragma agglom task in(from[0:N]) inout(to[0:N])
static void turn(unsigned by, const unsigned *from, unsigned *to) {
#pragma agglom loop
  for (int i = 0; i < N; i++)
    to[i] = to[i] * by + from[N - 1 - i];
}

int main(void) {
  static unsigned board[N], seen[READERS][N], sources[ROUNDS][N];
  for (unsigned k = 0; k < ROUNDS; k++)
    for (unsigned i = 0; i < N; i++)
      sources[k][i] = k * k * 1000 + i;
  for (int k = 0; k < ROUNDS; k++) {
    turn(k % 2 ? 7 : 0, sources[k], board);
    for (unsigned r = 0; r < READERS; r++)
      turn(r % 5, board, seen[r]);
  }
#pragma agglom wait
  for (int r = 0; r < READERS; r++)
    for (int i = 0; i < N; i++)
      printf("%u%c", seen[r][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
