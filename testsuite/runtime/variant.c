// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written device functions: shared memory, barriers, reductions of a block, helpers, every kind of parameter, and
// their body is what a GPU runs: on the CPU and on the emulated device it is the task's.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: blur: 60 units in
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s --check-prefix=TEXT --implicit-check-not=host_only
// TEXT: /* task 'blur': hand-written device function 'blur_cuda', run by a block */
// TEXT: AG_FUNC void blur__agglom_unit(int count, const int *restrict from, int *to, unsigned ag_part
// TEXT: AG_SHARED
// TEXT: ag_shared_tile[2][TILE + 2], *ag_shared_second;
// TEXT: ag_team = AG_BLOCK_TEAM;
// RUN: %agglomcc --emit-c %s -o - | FileCheck %s --check-prefix=HOST
// HOST: static {{.*}}void blur__agglom_unit(const int n, const int *x, int *y
// HOST: host_only
// HOST: .map = AGGLOM_MAP_BLOCK,
#include <agglom/device.h>
#include <stdio.h>

enum { N = 500, TILE = 32 };
static int offsets[4] = {3, 1, 4, 1};
static int host_only(int x) { return x / 3; }

// Defined after the task that names it, with other parameter names and qualifiers.
#pragma agglom task in(x[0:n]) out(y[0:n]) variant(cuda: blur_cuda)
void blur(const int n, const int *x, int *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] = host_only(x[i ? i - 1 : 0] + x[i] + x[i + 1 < n ? i + 1 : n - 1]);
}

static int clamp(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static void blur_cuda(int count, const int *restrict from, int *to) {
  AGGLOM_SHARED int tile[2][TILE + 2], *second;
  AGGLOM_SHARED struct where {
    int begin;
    short end;
  } here;
  if (agglom_thread() == 0)
    second = tile[1];
  for (int base = 0; base < count; base += TILE) {
    if (agglom_thread() == 0) {
      here.begin = base;
      here.end = (short)(base + TILE < count ? base + TILE : count);
    }
    for (unsigned i = agglom_thread(); i < sizeof tile[0] / sizeof tile[0][0]; i += agglom_threads())
      tile[base / TILE % 2][i] = from[clamp(base + (int)i - 1, count)];
    agglom_barrier();
    const int *middle = base / TILE % 2 ? second : *tile;
    for (int i = here.begin + (int)agglom_thread(); i < here.end; i += (int)agglom_threads()) {
      int at = i - base + 1, sum[2] = {middle[at - 1], tile[base / TILE % 2][at]};
      to[i] = (sum[0] + sum[1] + middle[at + 1]) / 3;
    }
    agglom_barrier();
  }
}

// One number a unit, over all reductions that there are.
static void statistics_cuda(int n, const int *x, double *result) {
  int least = 1 << 30, sum = 0;
  long most = -1;
  for (int i = (int)agglom_thread(); i < n; i += (int)agglom_threads()) {
    sum += x[i];
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  sum = agglom_sum_int(sum);
  least = agglom_min_int(least);
  most = agglom_max_long(most);
  float fourth = agglom_max_float((float)most / 4);
  double all = agglom_sum_double(agglom_thread() == 0 ? sum : 0) + least * 1e6 + (double)most * 1e9;
  if (agglom_thread() == agglom_threads() - 1)
    *result = all + fourth;
}
#pragma agglom task in(x[0:n]) out(*r) variant(cuda: statistics_cuda) name(statistics)
void measure(int n, const int *x, double *r) {
  int sum = 0, least = 1 << 30, most = -1;
  for (int i = 0; i < n; i++) {
    sum += x[i];
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  *r = sum + least * 1e6 + most * 1e9 + (float)most / 4;
}

// Accumulated and updated memory, an object of the file, arrays of variable size.
static void spread_cuda(int n, int m, int a[n][m], long *total, unsigned *seen) {
  for (int i = (int)agglom_thread(); i < n * m; i += (int)agglom_threads()) {
    a[i / m][i % m] += offsets[i % 4];
    *total += a[i / m][i % m];
#pragma agglom atomic
    seen[a[i / m][i % m] % 8] += 1;
  }
}
#pragma agglom task inout(a[0:n][0:m], seen[0:8]) in(offsets[0:4]) accumulate(+: total[0:1]) variant(cuda: spread_cuda)
void spread(int n, int m, int a[n][m], long *total, unsigned *seen) {
#pragma agglom loop collapse(2) map(block)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      a[i][j] += offsets[(i * m + j) % 4];
      *total += a[i][j];
#pragma agglom atomic
      seen[a[i][j] % 8] += 1;
    }
}

int main(void) {
  static int x[2][N], a[20][5][7];
  static unsigned seen[20][8];
  static double r[10];
  long total = 0;
  for (int i = 0; i < N; i++)
    x[0][i] = i * 7919 % 1000;
  for (int step = 0; step < 60; step++)
    blur(step % 2 ? N : N - 3, x[step % 2], x[!(step % 2)]);
  for (int i = 0; i < 10; i++)
    measure(N - i * 40, x[0], &r[i]);
  for (int i = 0; i < 60; i++)
    spread(5, 7, a[i % 20], &total, seen[i % 20]);
#pragma agglom wait
  for (int i = 0; i < N; i++)
    printf("%d%c", x[0][i], i % 20 == 19 ? '\n' : ' ');
  for (int i = 0; i < 10; i++)
    printf("%.2f\n", r[i]);
  printf("%ld\n", total);
  for (int i = 0; i < 20; i++)
    printf("%d %u %u\n", a[i][4][6], seen[i][0], seen[i][5]);
  return 0;
}
