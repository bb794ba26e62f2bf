// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Typedefs of typedefs: of arrays, pointers to arrays, functions' types unused, qualified, in blocks, of anonymous types, as
// parameters and in casts, sizeof and compound literals; __typeof__.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 8, N = 12 };
typedef unsigned char byte;
typedef byte octet, *octets;
typedef const octet constant, *constants;
typedef octet quad[4];
typedef quad pair_of_quads[2], *quads;
typedef const quad *const_quads;
typedef struct {
  quad q;
  enum { NONE, SOME } how;
  struct inner {
    int32_t v;
  } in;
} record, *record_ptr, record_list[3];
typedef record_ptr const fixed_ptr;
typedef struct inner inner_t;
typedef int (*compare_fn)(const void *, const void *);
typedef int64_t big, *bigs;
typedef bigs *bigs_list;
typedef volatile int watched;

static int sum(constants p, int n) {
  int s = 0;
  for (constant *q = p; q != p + n; ++q)
    s = s * 3 + *q;
  return s;
}
static int sum_quads(const_quads q, int n) {
  int s = 0;
  while (n--)
    s += sum(*q++, sizeof(quad));
  return s;
}
static record make(octet seed) {
  typedef struct inner local_inner;
  local_inner in = {seed * 1000};
  return (record){{seed, (byte)(seed + 1), [3] = 200}, seed & 1 ? SOME : NONE, in};
}

#pragma agglom task in(q[0:n]) inout(r[0:n]) out(b[0:n])
static void chains(int n, const_quads q, fixed_ptr r, bigs b) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    typedef __typeof__(r->in.v) value;
    pair_of_quads two = {{(octet)i, 2}, {[2] = 7}};
    quads p = two;
    record_list list = {[1] = make((octet)i), make((octet)(i * 2))};
    big x = (big)sizeof(pair_of_quads) * 100 + (big)sizeof(record_list) / sizeof(record), *y = &x;
    bigs_list z = &y;
    p[1][0] = q[i][3], (*p)[2] = (octet)sum(q[i], 4);
    **z += sum_quads((const_quads)two, 2) + (value)list[2].in.v + sum((octets) & (octet){9}, 1);
    __typeof__(two[0][0] + 1L) wide = list[1].q[3] + list[1].how;
    r[i].in = (inner_t){(int32_t)(wide << (i % 5))};
    r[i].q[i & 3] ^= ((quad){1, 2, 3, 4})[i % 4];
    r[i].how = r[i].how == SOME ? NONE : SOME;
    b[i] = x;
  }
}

int main(void) {
  static quad q[UNITS][N];
  static record r[UNITS][N];
  static big b[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 4; k++)
        q[u][i][k] = (octet)(i * 4 + k + u * 50);
  for (int u = 0; u < UNITS; u++)
    chains(N, (const_quads)q[u], r[u], b[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%lld %d %d %d %d\n", (long long)b[u][i], r[u][i].q[i & 3], r[u][i].how, r[u][i].in.v, r[u][i].q[0]);
  return 0;
}
