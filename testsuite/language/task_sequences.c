// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and code between them in one task: locals that carry values from one part to the next, conditions around loops, loops
// of loops, early ends, parts that read what all iterations before them wrote.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 13, N = 50 };

#pragma agglom task inout(a[0:n], b[0:n]) out(o[0:6])
static void parts(int n, int *a, int *b, int *o) {
  int sum = 0, most = -1000, at = -1, local[4] = {1, 2, 3, 4};
  o[0] = n;
#pragma agglom loop reduction(+: sum)
  for (int i = 0; i < n; i++)
    sum += a[i] * local[i & 3];
  if (n < 3) {
    o[1] = -sum;
    return;
  }
  local[1] = sum % 7, a[0] += local[1];
  for (int k = 1; k < n; k++) // sums before, by one thread
    a[k] += a[k - 1] & 15;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    b[i] = a[n - 1 - i] * local[1] + local[i % 4];
  for (int round = 0; round < 3; round++) {
    const int old = b[round], shift = round + 1;
#pragma agglom loop
    for (int i = 0; i < n; i++)
      a[i] = b[(i + shift) % n] - old;
    if (a[1] % 5 == 0)
      continue;
#pragma agglom loop
    for (int i = 0; i < n; i++)
      b[i] = a[i] / 2 + round;
    local[round]++;
    if (b[2] > 4000)
      break;
  }
#pragma agglom loop reduction(max: most)
  for (int i = 0; i < n; i++)
    most = b[i] > most ? b[i] : most;
  while (++at < n && b[at] != most)
    ;
  o[1] = sum, o[2] = most, o[3] = at, o[4] = local[0] * 100 + local[1] * 10 + local[2];
  switch (at % 3) {
  case 0:
#pragma agglom loop
    for (int i = 0; i < n / 2; i++)
      a[i] = -a[i];
    break;
  case 1: {
    int last = a[n - 1];
#pragma agglom loop
    for (int i = n / 2; i < n; i++)
      a[i] += last;
  }
  default:
    a[n / 2] = 0;
  }
  if (sum & 1)
    goto end;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    b[i]++;
end:
  o[5] = a[n / 2] + b[0];
}

int main(void) {
  static int a[UNITS][N], b[UNITS][N], o[UNITS][6];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      a[u][i] = (i * 17 + u * 5) % 31 - 9;
  for (int u = 0; u < UNITS; u++)
    parts(u == 3 ? 0 : u == 4 ? 2 : N - u, a[u], b[u], o[u]), parts(N / 2, b[u], a[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i++)
      printf("%d %d ", a[u][i], b[u][i]);
    for (int k = 0; k < 6; k++)
      printf("%d%c", o[u][k], k == 5 ? '\n' : ' ');
  }
  return 0;
}
