// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#line 1 "agglom/device.h"
static inline unsigned agglom_thread(void) { return 0; }
static inline void agglom_barrier(void) {}
static inline int agglom_sum_int(int x) { return x; }
#line 5 "variant.c"
static int table[4];
static int least(const int *x) { static __thread __attribute__((unused)) int low; return low + *x; }
static void fast(int n, int m, int *x, int a[n][m], long *sum) {
  static __thread __attribute__((unused)) struct { int t[8], *p; } tile, *q;
  tile.t[agglom_thread()] = x[0];
  agglom_barrier();
  int u[2] = {tile.t[1], least(tile.p = x)};
  a[0][m - 1] = agglom_sum_int(u[0] + q->t[table[2]]);
  *sum += a[0][0];
}
#pragma agglom task inout(x[0:n], a[0:n][0:m]) in(table[0:4]) accumulate(+: sum[0:1]) variant(cuda: fast)
void slow(const int n, int m, int *restrict x, int (*a)[m], long *sum) {
#pragma agglom loop map(block)
  for (int i = 0; i < n; i++)
    *sum += x[i] + a[i][0] + table[i & 3];
}
