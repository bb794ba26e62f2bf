// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of '#pragma agglom for': the chunks' parts are combined in order, with the value from before.
// RUN: %compare %s %t
// RUN: env AGGLOM_SCHEDULE=static:1 AGGLOM_DEVICES=none %t.agglom > %t.one && cmp %t.one %t.serial.out
// RUN: env AGGLOM_SCHEDULE=dynamic:7 AGGLOM_DEVICES=emulated:2 %t.agglom > %t.dyn && cmp %t.dyn %t.serial.out
#include <stdio.h>

enum { N = 300 };

int main(void) {
  int x[N];
  double d[N];
  for (int i = 0; i < N; ++i) {
    x[i] = (i * 7919 + 13) % 1009 - 300;
    d[i] = x[i] * 0.25;
  }
  int sum = 5, least = 100, most = -1000;
  unsigned product = 3, both = ~0u, any = 1u << 30, odd = 9;
  _Bool all = 1, some = 0;
  long long wide = -7;
  double total = 0.5, low = 1e9, high = -1e9;
  unsigned char narrow = 200;
#pragma agglom for in(x[i], d[i]) reduction(+: sum, total, narrow) reduction(min: least, low) \
    reduction(max: most, high) reduction(*: product) reduction(&: both) reduction(|: any) reduction(^: odd) \
    reduction(&&: all) reduction(||: some) reduction(+: wide) schedule(runtime)
  for (int i = 0; i < N; ++i) {
    sum += x[i];
    wide += (long long)x[i] * (1LL << 33);
    total += d[i];
    narrow += (unsigned char)x[i];
    least = x[i] < least ? x[i] : least;
    if (d[i] < low)
      low = d[i];
    most = x[i] > most ? x[i] : most;
    if (d[i] > high)
      high = d[i];
    product *= (unsigned)(x[i] | 1);
    both &= (unsigned)(x[i] | 3);
    any |= (unsigned)x[i] & 0xff0;
    odd ^= (unsigned)x[i];
    all = all && x[i] != 12345;
    some = some || x[i] == 41;
  }
  printf("%d %lld %g %d %d %g %d %g\n", sum, wide, total, narrow, least, low, most, high);
  printf("%u %x %x %x %d %d\n", product, both, any, odd, all, some);

  /* Nothing to do: the values stay. */
#pragma agglom for reduction(+: sum) reduction(min: least)
  for (int i = 0; i < 0; ++i) {
    sum += 1;
    least = 0;
  }
  printf("%d %d\n", sum, least);

  /* What a chunk starts from does not show: a sum of -0.0 is one. */
  double zero = -0.0;
  float zerof = -0.0f;
#pragma agglom for reduction(+: zero, zerof) schedule(static, 50)
  for (int i = 0; i < N; ++i) {
    zero += -0.0;
    zerof += -0.0f;
  }
  printf("%g %g\n", zero, zerof);

  /* With other effects, in a loop, into what is the next one's bound. */
  int n = 10;
  for (int round = 0; round < 3; ++round) {
    int more = n;
#pragma agglom for inout(x[i]) reduction(+: more)
    for (int i = 0; i < n; ++i) {
      x[i] += round;
      more += i & 1;
    }
    n = more;
    printf("n %d\n", n);
  }

  /* Histograms. */
  int bins[8] = {1};
#pragma agglom for in(x[i]) accumulate(+: bins[0:8]) schedule(dynamic, 11)
  for (int i = 0; i < N; ++i)
    bins[x[i] & 7] += 2;
  for (int b = 0; b < 8; ++b)
    printf("%d ", bins[b]);
  printf("\n");
  return 0;
}
