// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every type of loop variable, comparison and step, with empty loops and loops of one iteration among them.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: up_int_lt_1: 17 units in
#include <stddef.h>
#include <stdio.h>

enum { N = 48 };
// The order of iterations does not matter, their number and values do.
#define LOOP(name, type, head)                                                                      \
  _Pragma("agglom task inout(x[0:48])") void name(type a, type b, int *x) {                         \
    _Pragma("agglom loop") for (head) x[16 + i] += 7 * (int)i + 1;                                  \
  }

LOOP(up_int_lt_1, int, int i = a; i < b; i++)
LOOP(up_int_lt_2, int, int i = a; i < b; i += 2)
LOOP(up_int_le_3, int, int i = a; i <= b; i += 3)
LOOP(up_int_gt_1, int, int i = a; b > i; ++i)
LOOP(up_int_ge_2, int, int i = a; b >= i; i = i + 2)
LOOP(up_int_lt_3, int, int i = a; i < b; i = 3 + i)
LOOP(up_int_lt_m, int, int i = a; i < b; i -= -2)
LOOP(down_int_gt_1, int, int i = b; i > a; i--)
LOOP(down_int_gt_2, int, int i = b; i > a; i -= 2)
LOOP(down_int_ge_3, int, int i = b; i >= a; i -= 3)
LOOP(down_int_lt_1, int, int i = b; a < i; --i)
LOOP(down_int_le_2, int, int i = b; a <= i; i = i - 2)
LOOP(down_int_ge_m, int, int i = b; i >= a; i += -3)
LOOP(down_long_gt_2, long, long i = b; i > a; i += -2)
LOOP(up_long_lt_1, long, long i = a; i < b; i++)
LOOP(up_long_le_2, long, long i = a; i <= b; i += 2)
LOOP(up_mixed_lt_1, int, long i = a; i < b; i++)
LOOP(up_narrow_le_1, long, short i = (short)a; i <= b; i++)
LOOP(up_char_le_3, signed char, signed char i = a; i <= b; i += 3)
LOOP(down_char_ge_1, signed char, signed char i = b; i >= a; i--)
LOOP(down_short_gt_2, short, short i = b; i > a; i -= 2)

// Bounds of 0 and more: what an unsigned variable can hold.
LOOP(up_unsigned_lt_1, unsigned, unsigned i = a; i < b; i++)
LOOP(up_unsigned_le_2, unsigned, unsigned i = a; i <= b; i += 2)
LOOP(down_unsigned_gt_1, unsigned, unsigned i = b; i > a; i--)
LOOP(up_size_lt_3, size_t, size_t i = a; i < b; i += 3)
LOOP(up_size_le_1, size_t, size_t i = a; i <= b; ++i)
LOOP(down_size_gt_1, size_t, size_t i = b; i > a; i--)
LOOP(up_byte_lt_1, unsigned char, unsigned char i = a; i < b; i++)
LOOP(up_ushort_le_2, unsigned short, unsigned short i = a; i <= b; i += 2)
LOOP(up_bool_bound, unsigned, unsigned i = 0; i < (a < b); i++)

// Up to the bound and no further.
LOOP(up_int_ne, int, int i = a; i != b; i++)
LOOP(down_int_ne, int, int i = b; i != a; i--)
LOOP(up_unsigned_ne, unsigned, unsigned i = a; b != i; ++i)
LOOP(down_size_ne, size_t, size_t i = b; i != a; --i)

static int sums[3][17][N];

#define ALL(k, a, b, x)                                                                             \
  up_int_lt_1(a, b, x), up_int_lt_2(a, b, x), up_int_le_3(a, b, x), up_int_gt_1(a, b, x),           \
      up_int_ge_2(a, b, x), up_int_lt_3(a, b, x), up_int_lt_m(a, b, x), down_int_gt_1(a, b, x),     \
      down_int_gt_2(a, b, x), down_int_ge_3(a, b, x), down_int_lt_1(a, b, x),                       \
      down_int_le_2(a, b, x), down_int_ge_m(a, b, x), down_long_gt_2(a, b, x),                      \
      up_long_lt_1(a, b, x), up_long_le_2(a, b, x), up_mixed_lt_1(a, b, x),                         \
      up_narrow_le_1(a, b, x), up_char_le_3(a, b, x), down_char_ge_1(a, b, x),                      \
      down_short_gt_2(a, b, x)
#define NATURAL(a, b, x)                                                                            \
  up_unsigned_lt_1(a, b, x), up_unsigned_le_2(a, b, x), down_unsigned_gt_1(a, b, x),                \
      up_size_lt_3(a, b, x), up_size_le_1(a, b, x), down_size_gt_1(a, b, x),                        \
      up_byte_lt_1(a, b, x), up_ushort_le_2(a, b, x), up_bool_bound(a, b, x)
#define ORDERED(a, b, x)                                                                            \
  up_int_ne(a, b, x), down_int_ne(a, b, x), up_unsigned_ne(a, b, x), down_size_ne(a, b, x)

int main(void) {
  static const signed char from[17] = {0, 0, 0, 0, 0, -1, -2, -5, 5, 5, 5, 1, 3, 10, -16, 30, 31};
  static const signed char to[17] = {0, 1, 2, 3, 17, -1, 0, 5, -5, 5, 6, 2, 30, 9, 28, 31, 31};
  for (int k = 0; k < 17; k++) {
    signed char a = from[k], b = to[k];
    ALL(k, a, b, sums[0][k]);
    if (a >= 0 && b >= 0) {
      NATURAL((unsigned char)a, (unsigned char)b, sums[1][k]);
      if (a <= b)
        ORDERED(a, b, sums[2][k]);
    }
  }
#pragma agglom wait
  for (int f = 0; f < 3; f++)
    for (int k = 0; k < 17; k++) {
      printf("%d %d:", f, k);
      for (int i = 0; i < N; i++)
        printf(" %d", sums[f][k][i]);
      printf("\n");
    }
  return 0;
}
