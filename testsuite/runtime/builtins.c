// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's builtins for bits, bytes and overflow, in every width.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: bits: 16 units in
#include <stdint.h>
#include <stdio.h>

#pragma agglom task in(v[0:n]) out(o[0:n])
static void bits(int n, const uint64_t *v, long long *o) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    uint64_t w = v[i] | 1ULL << (i % 64);
    unsigned u = (unsigned)w | 256;
    unsigned long long h = 0;
    h = h * 31 + __builtin_clz(u) + 2 * __builtin_ctz(u) + 3 * __builtin_ffs((int)u) + 5 * __builtin_popcount(u);
    h = h * 31 + __builtin_clzl(w) + 2 * __builtin_ctzl(w) + 3 * __builtin_ffsl((long)w) + 5 * __builtin_popcountl(w);
    h = h * 31 + __builtin_clzll(w) + 2 * __builtin_ctzll(w) + 3 * __builtin_ffsll((long long)w) + __builtin_popcountll(w);
    h = h * 31 + __builtin_parity(u) + 2 * __builtin_parityl(w) + 4 * __builtin_parityll(w);
    h ^= __builtin_bswap64(w) + __builtin_bswap32(u) + __builtin_bswap16((uint16_t)w);
    int si;
    unsigned ui;
    long sl;
    unsigned long ul;
    h += __builtin_add_overflow((int)w, (int)(w >> 7), &si) + 2 * __builtin_sub_overflow(u, (unsigned)i, &ui);
    h = h * 7 + (unsigned long long)si + ui + 4 * __builtin_mul_overflow((long)w, (long)(w >> 40), &sl);
    h = h * 7 + (unsigned long long)sl + 8 * __builtin_mul_overflow((unsigned long)w, w >> 30, &ul);
    o[i] = (long long)(h * 7 + ul);
  }
}

int main(void) {
  enum { U = 16, N = 40 };
  static uint64_t v[U][N];
  static long long o[U][N];
  uint64_t r = 88172645463325252ULL;
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i) {
      r ^= r << 13, r ^= r >> 7, r ^= r << 17;
      v[u][i] = r >> (u * 4);
    }
  for (int u = 0; u < U; ++u)
    bits(N, v[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      printf("%lld\n", o[u][i]);
  return 0;
}
