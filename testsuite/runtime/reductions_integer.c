// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of integers with each operator and type, over many, one and no iterations, into values that are not neutral.
// RUN: %compare %s %t -fwrapv
// RUN: FileCheck %s < %t.report
// CHECK: integers: 40 units in
#include <stdbool.h>
#include <stdio.h>

#pragma agglom task in(x[0:n]) out(o[0:20])
void integers(int n, const int *x, long long *o) {
  int sum = 5, least = 100, most = -100, both = -2, any = 256, odd = 7;
  long lsum = -1, lproduct = 3, lleast = 1L << 40;
  unsigned usum = 0xfffffff0u, uproduct = 7, umost = 3, uand = ~0u;
  unsigned char csum = 250;
  short smost = -32768;
  unsigned long long uleast = ~0ull, uxor = 1ull << 63;
  int all = 1, some = 0;
  bool every = true;
#pragma agglom loop reduction(+: sum, lsum, usum, csum) reduction(min: least)
  for (int i = 0; i < n; i++) {
    sum += x[i];
    lsum += x[i] * 3000000000L;
    usum += (unsigned)x[i];
    csum = (unsigned char)(csum + x[i]);
    least = x[i] < least ? x[i] : least;
  }
#pragma agglom loop reduction(max: most, umost, smost) reduction(min: lleast, uleast)
  for (int i = 0; i < n; i++) {
    if (x[i] > most)
      most = x[i];
    umost = (unsigned)x[i] > umost ? (unsigned)x[i] : umost;
    if (smost < x[i])
      smost = (short)x[i];
    lleast = (long)x[i] * i < lleast ? (long)x[i] * i : lleast;
    uleast = (unsigned long long)x[i] < uleast ? (unsigned long long)x[i] : uleast;
  }
#pragma agglom loop reduction(*: lproduct, uproduct) reduction(&: both, uand) reduction(|: any) reduction(^: odd, uxor)
  for (int i = 0; i < n; i++) {
    lproduct *= 2 * x[i] + 1;
    uproduct *= (unsigned)x[i] | 1;
    both &= x[i];
    uand &= (unsigned)x[i] | 0xf0u;
    any |= x[i];
    odd ^= x[i];
    uxor ^= (unsigned long long)x[i] << (i & 31);
  }
#pragma agglom loop reduction(&&: all, every) reduction(||: some)
  for (int i = 0; i < n; i++) {
    all = all && x[i] > -90;
    every = every && x[i];
    some = some || x[i] == 17;
  }
  long long all_of_them[20] = {sum, least, most, both, any, odd, lsum, lproduct, lleast, usum,
                               uproduct, umost, uand, csum, smost, (long long)uleast, (long long)uxor, all, some, every};
  for (int k = 0; k < 20; k++)
    o[k] = all_of_them[k];
}

int main(void) {
  static int x[40][3000];
  static long long o[40][20];
  unsigned r = 9;
  for (int u = 0; u < 40; u++) {
    for (int i = 0; i < 3000; i++)
      x[u][i] = (int)((r = r * 1664525 + 1013904223) >> 16) % (u % 7 ? 100 : 30000) - u;
    integers(u < 4 ? u : u * u, x[u], o[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 40; u++) {
    for (int k = 0; k < 20; k++)
      printf("%lld ", o[u][k]);
    printf("\n");
  }
  return 0;
}
