// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// goto: forward, backward, into a block, out of nested loops, to a shared end, between loops, past declarations; labels that
// have the names of other things.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 16, N = 30 };
typedef int end;

static int search(const int *grid, int n, int wanted) {
  int row, column = -1;
  for (row = 0; row < n; row++)
    for (column = 0; column < n; column++)
      for (int k = 0; k < 2; k++)
        if (grid[row * n + column] + k == wanted)
          goto found;
  return -1;
found:
  return row * 100 + column;
}
static int collatz(unsigned v) {
  int steps = 0;
next:
  if (v == 1)
    goto done;
  if (v & 1) {
    v = v * 3 + 1;
    goto count;
  }
  v >>= 1;
count:
  if (++steps < 300)
    goto next;
  steps = -1;
done:
  return steps;
}
static int into(int n) {
  int r = 0, i = 0;
  if (n & 1)
    goto middle;
  for (i = 0; i < n; i++) {
    r += i;
  middle:
    r += 100;
    {
      int local = r;
      if (local > 950)
        goto out;
      r = local + 1;
    }
  }
  if (n & 2) {
  out:;
    r = -r;
  }
  return r;
}
static int retry(int v) {
  int tries = 0;
search: // the name of a function
again: {
  int x = v + tries;
  if (x % 7)
    if (++tries < 9)
      goto again;
}
  switch (tries) {
  case 3:
    v += 2;
    goto search;
  case 9:
  end: // the name of a type
    return (end)v * 10 + tries;
  }
  goto end;
}

#pragma agglom task in(grid[0:n * n]) out(r[0:n]) inout(state[0:1])
static void jumps(int n, const int *grid, int *r, int *state) {
  if (!n)
    goto end;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    r[i] = search(grid, n, i * 5);
    if (i % 3 == 0)
      goto next;
    r[i] += collatz((unsigned)i + 27) * 1000;
  next:
    r[i] += into(i) + retry(i);
  }
  *state = *state * 3 + 1;
  if (*state % 2)
    goto end;
  r[0] = 0;
end:
  *state += r[n - 1];
}

int main(void) {
  static int grid[UNITS][N * N], r[UNITS][N], state[4];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N * N; i++)
      grid[u][i] = (i * 13 + u * 31) % 211;
  for (int u = 0; u < UNITS; u++)
    jumps(5 + u, grid[u], r[u], &state[u % 4]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < 5 + u; i++)
      printf("%d%c", r[u][i], i == 4 + u ? '\n' : ' ');
  printf("%d %d %d %d\n", state[0], state[1], state[2], state[3]);
  return 0;
}
