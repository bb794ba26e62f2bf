// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primes by a sieve of bits, n queens by bits and by an explicit stack, permutations in order, subsets that sum up,
// Josephus, perfect numbers.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 9, LIMIT = 1000, OUT = 9 };
#define BIT(a, i) ((a)[(i) >> 5] >> ((i) & 31) & 1u)
#define SET(a, i) ((a)[(i) >> 5] |= 1u << ((i) & 31))

static int queens_by_bits(int n) {
  unsigned all = (1u << n) - 1, column[12] = {0}, left[12] = {0}, right[12] = {0}, free[12];
  int row = 0, found = 0;
  free[0] = all;
  while (row >= 0) {
    if (!free[row]) {
      row--;
      continue;
    }
    unsigned q = free[row] & -free[row];
    free[row] ^= q;
    if (row == n - 1) {
      found++;
      continue;
    }
    column[row + 1] = column[row] | q, left[row + 1] = (left[row] | q) << 1, right[row + 1] = (right[row] | q) >> 1;
    row++;
    free[row] = all & ~(column[row] | left[row] | right[row]);
  }
  return found;
}
static int queens_by_stack(int n) {
  signed char at[12];
  int row = 0, found = 0;
  memset(at, -1, sizeof at);
  do {
  next:
    if (++at[row] == n) {
      at[row--] = -1;
      continue;
    }
    for (int r = 0; r < row; r++) {
      int d = at[row] - at[r];
      if (!d || d == row - r || d == r - row)
        goto next;
    }
    if (++row == n)
      --row, ++found;
  } while (row >= 0);
  return found;
}
static _Bool next_permutation(unsigned char *p, int n) {
  int i = n - 1, j = n - 1;
  while (i > 0 && p[i - 1] >= p[i])
    --i;
  if (!i)
    return 0;
  while (p[j] <= p[i - 1])
    j--;
  unsigned char t = p[i - 1];
  p[i - 1] = p[j], p[j] = t;
  for (j = n - 1; i < j; i++, j--)
    t = p[i], p[i] = p[j], p[j] = t;
  return 1;
}

#pragma agglom task out(o[0:OUT])
static void count(int k, int *o) {
  uint32_t composite[(LIMIT + 31) / 32] = {0};
  int limit = LIMIT - 100 * k, primes = 0, last = 0;
  for (int p = 2; p < limit; p++) {
    if (BIT(composite, p))
      continue;
    primes++, last = p;
    for (int m = p * p; m < limit; m += p)
      SET(composite, m);
  }
  o[0] = primes, o[1] = last;
  o[2] = queens_by_bits(4 + k % 5), o[3] = queens_by_stack(4 + k % 4);
  unsigned char p[6] = {1, 2, 2, (unsigned char)(3 + k % 3), 4, 5};
  int permutations = 1, hash = 0;
  while (next_permutation(p, 6))
    permutations++, hash = (hash * 31 + p[0] * 6 + p[5] + p[2]) % 1000003;
  o[4] = permutations, o[5] = hash, o[6] = 0;
  const short weight[] = {3, 34, 4, 12, 5, 2, 7, 11};
  for (unsigned set = 0; set < 1u << sizeof weight / sizeof *weight; set++) {
    int sum = 0;
    for (unsigned b = 0; set >> b; b++)
      if (set >> b & 1)
        sum += weight[b];
    o[6] += sum == 20 + k;
  }
  int survivor = 0;
  for (int n = 2; n <= 41 + k; n++)
    survivor = (survivor + 3) % n;
  o[7] = survivor, o[8] = 0;
  for (int n = 2; n < 500 + k; n++) {
    int sum = 1;
    for (int d = 2; d * d <= n; d++)
      sum += n % d ? 0 : d * d == n ? d : d + n / d;
    o[8] += sum == n ? n : 0;
  }
}

int main(void) {
  static int o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    count(u, o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%d%c", o[u][k], k == OUT - 1 ? '\n' : ' ');
  return 0;
}
