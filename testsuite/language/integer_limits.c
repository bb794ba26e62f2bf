// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ends of each type: what is defined there, with the least value negated through unsigned, divided by all but -1,
// compared, shifted right.
// RUN: %compare %s %t -w
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 10 };
struct ends {
  int8_t c[4];
  int16_t s[4];
  int32_t i[10];
  int64_t l[10];
  uint32_t u[8];
  uint64_t w[8];
};

#pragma agglom task inout(e[0:1])
static void ends(int k, struct ends *e) {
  int least = INT_MIN + k;
  long long least64 = LLONG_MIN + k;
  e->c[0] = (int8_t)(CHAR_BIT + SCHAR_MAX), e->c[1] = (int8_t)(SCHAR_MIN - k), e->c[2] = (int8_t)-(int8_t)SCHAR_MIN;
  e->c[3] = (int8_t)((int8_t)127 + (int8_t)1);
  e->s[0] = (int16_t)(SHRT_MAX + 1 + k), e->s[1] = (int16_t)-SHRT_MIN, e->s[2] = (int16_t)(SHRT_MIN / (k + 2));
  e->s[3] = (int16_t)((uint16_t)USHRT_MAX * 1u * USHRT_MAX);
  e->i[0] = least / 2, e->i[1] = least % 10, e->i[2] = -(least + 1) - 1 + k, e->i[3] = (int)(0u - (unsigned)least);
  e->i[4] = least >> 31, e->i[5] = least >> k, e->i[6] = least < INT_MAX - k, e->i[7] = (int)((unsigned)least / 3u);
  e->i[8] = least / INT_MIN * 5 + least / INT_MAX, e->i[9] = least == -2147483647 - 1 ? 8 : ~least;
  e->l[0] = least64 / 10, e->l[1] = least64 % 1000000007LL, e->l[2] = (long long)(0ull - (unsigned long long)least64);
  e->l[3] = least64 >> 63, e->l[4] = least64 >> (k * 6), e->l[5] = least64 / LLONG_MAX, e->l[6] = least64 / least;
  e->l[7] = least64 % least, e->l[8] = (long long)least * least, e->l[9] = (long long)(int)(least64 & 0xffffff) + INT_MAX;
  e->u[0] = UINT_MAX + (unsigned)k, e->u[1] = UINT_MAX * (unsigned)(k + 3), e->u[2] = 0u - (unsigned)(k + 1);
  e->u[3] = UINT_MAX / (unsigned)(k + 1), e->u[4] = UINT_MAX % (unsigned)(k + 7), e->u[5] = UINT_MAX >> k;
  e->u[6] = UINT_MAX << (31 - k), e->u[7] = (unsigned)least > (unsigned)INT_MAX;
  e->w[0] = ULLONG_MAX + (unsigned)k, e->w[1] = ULLONG_MAX * ULLONG_MAX * (unsigned)(k + 3), e->w[2] = 0ull - 1u - (unsigned)k;
  e->w[3] = ULLONG_MAX / (unsigned)(k + 10), e->w[4] = ULLONG_MAX % 1000000009u, e->w[5] = ULLONG_MAX >> (k * 7);
  e->w[6] = ULLONG_MAX << (63 - k), e->w[7] = (unsigned long long)least64 / (unsigned long long)(UINT_MAX - (unsigned)k);
}

int main(void) {
  static struct ends e[UNITS];
  for (int k = 0; k < UNITS; k++)
    ends(k, &e[k]);
#pragma agglom wait
  for (int k = 0; k < UNITS; k++) {
    for (int j = 0; j < 4; j++)
      printf("%d %d ", e[k].c[j], e[k].s[j]);
    for (int j = 0; j < 10; j++)
      printf("%d %lld ", e[k].i[j], (long long)e[k].l[j]);
    for (int j = 0; j < 8; j++)
      printf("%u %llu ", e[k].u[j], (unsigned long long)e[k].w[j]);
    printf("\n");
  }
  return 0;
}
