// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops at the ends of their types: INT_MIN, INT_MAX, LONG_MAX, wrapping !=, a bound that is compared as unsigned.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: edges: 8 units in
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct out {
  unsigned count;
  long long sum, low, high;
};
#define NOTE(v)                                                                                     \
  count++;                                                                                          \
  sum += (long long)(v);                                                                            \
  low = (long long)(v) < low ? (long long)(v) : low;                                                \
  high = (long long)(v) > high ? (long long)(v) : high;
#define COUNTED(where, head)                                                                        \
  do {                                                                                              \
    unsigned count = 0;                                                                             \
    long long sum = 0, low = LLONG_MAX, high = LLONG_MIN;                                           \
    _Pragma("agglom loop reduction(+: count, sum) reduction(min: low) reduction(max: high)")        \
    for (head) {                                                                                    \
      NOTE(i)                                                                                       \
    }                                                                                               \
    o[where].count = count, o[where].sum = sum, o[where].low = low, o[where].high = high;           \
  } while (0)

// k is 0 at run time: the bounds are no constants to the compiler.
#pragma agglom task out(o[0:24])
void edges(int k, struct out *o) {
  COUNTED(0, int i = INT_MAX - 5 + k; i < INT_MAX + k; i++);
  COUNTED(1, int i = INT_MIN + k; i < INT_MIN + 4 + k; i++);
  COUNTED(2, int i = INT_MIN + 6 + k; i > INT_MIN + k; i -= 2);
  COUNTED(3, int i = INT_MAX + k; i >= INT_MAX - 9 + k; i -= 3);
  COUNTED(4, int i = INT_MIN + k; i < 1852516353 + k; i += 500000000);
  COUNTED(5, int i = INT_MIN + k; i != INT_MIN + 3 + k; i++);
  COUNTED(6, int i = INT_MAX - 3 + k; i != INT_MAX + k; i++);
  COUNTED(7, int i = 5 + k; i < INT_MIN + k; i++);
  COUNTED(8, int i = INT_MAX + k; i <= INT_MIN + k; i++);
  COUNTED(9, long long i = LLONG_MIN + k; i < LLONG_MIN + 3 + k; i++);
  COUNTED(10, long long i = LLONG_MAX + k; i > LLONG_MAX - 7 + k; i -= 3);
  COUNTED(11, long long i = LLONG_MIN + k; i <= LLONG_MAX - 1000 + k; i += LLONG_MAX / 8);
  COUNTED(12, unsigned i = UINT_MAX - 4 + (unsigned)k; i < UINT_MAX; i++);
  COUNTED(13, unsigned i = UINT_MAX + (unsigned)k; i > UINT_MAX - 8; i -= 3);
  COUNTED(14, uint64_t i = UINT64_MAX - 3 + (uint64_t)k; i < UINT64_MAX; i++);
  COUNTED(15, uint64_t i = UINT64_MAX - 2 + (uint64_t)k; i != 3; i++);
  COUNTED(16, unsigned i = UINT_MAX - 2 + (unsigned)k; i != 3; i++);
  COUNTED(17, unsigned char i = (unsigned char)(250 + k); i != 5; i++);
  COUNTED(18, unsigned short i = (unsigned short)(3 + k); i != 65530; i--);
  COUNTED(19, unsigned char i = (unsigned char)(k + 200); i <= 254; i++);
  // -1 is compared as UINT_MAX.
  COUNTED(20, unsigned i = UINT_MAX - 3; i < (unsigned)(k - 1); i++);
  // The variable is narrower than its bound.
  COUNTED(21, signed char i = -128; i < 70L + k; i += 100);
  COUNTED(22, uint64_t i = (uint64_t)(k + 9); i > 0; i--);
  COUNTED(23, signed char i = (signed char)(126 + k); i != -126; i++);
}

int main(void) {
  static struct out o[8][24];
  for (int u = 0; u < 8; u++)
    edges(0, o[u]);
#pragma agglom wait
  for (int u = 0; u < 8; u++)
    for (int k = 0; k < 24; k++)
      printf("%d: %u %lld %lld %lld\n", k, o[u][k].count, o[u][k].sum, o[u][k].low, o[u][k].high);
  return 0;
}
