// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every canonical form of a parallel loop: up, down, each comparison, steps, narrow, unsigned and 64-bit variables, declared
// before or in the head, bounds that are expressions, empty ranges, ranges at the ends of the type.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 9, N = 64, FORMS = 20 };

#pragma agglom task inout(x[0:FORMS * N])
static void forms(int n, int low, unsigned char top, const int64_t far, int *x) {
  int i, *row = x, count = 0;
  unsigned short s;
#pragma agglom loop
  for (i = 0; i < n; i++)
    row[i] += i;
  row += N, row[0] += i;
#pragma agglom loop
  for (int k = n - 1; k >= 0; k--)
    row[k] -= k * 2;
  row += N;
#pragma agglom loop
  for (int k = low; k <= n - low; k += 3)
    row[k] ^= k;
  row += N;
#pragma agglom loop
  for (long k = n; k > low; k -= 2)
    row[k % N] += (int)k;
  row += N;
#pragma agglom loop
  for (unsigned k = 0; k != (unsigned)n; ++k)
    row[k] += (int)(k - 5 > 10);
  row += N;
#pragma agglom loop
  for (unsigned char c = 3; c < top; c++)
    row[c % N] = (c << 2) + row[c % N] * 0;
  row += N;
#pragma agglom loop
  for (s = 65535; s > 65535 - N / 2; s--)
    row[65535 - s] = s;
  row += N, row[0] = s;
#pragma agglom loop
  for (int64_t k = far; k < far + n; k = k + 1)
    row[k - far] = (int)(k >> 20) + (int)(k & 15);
  row += N;
#pragma agglom loop
  for (uint64_t k = (uint64_t)-1; k > (uint64_t)-1 - (uint64_t)n; k -= 1)
    row[-1 - k] = (int)(k % 1000);
  row += N;
#pragma agglom loop
  for (int k = -n; k < 0; k = 2 + k)
    row[-k - 1] = k;
  row += N;
#pragma agglom loop
  for (signed char c = -10; c <= 10; c += 4)
    row[c + 10] = c * 100 + (int)sizeof c;
  row += N;
#pragma agglom loop
  for (int k = n; k < low; k++)
    row[0] = -1;
#pragma agglom loop
  for (int k = 0; n > k; k++)
    row[k] += n > k;
  row += N;
#pragma agglom loop
  for (int k = n; 0 < k; --k)
    row[k - 1] = k;
  row += N;
#pragma agglom loop
  for (size_t k = 1; k < sizeof(int) * 8; k += 1)
    row[k] = 1 << (k - 1);
  row += N;
#pragma agglom loop
  for (int k = low ? n / 2 : n / 3; k <= (n > 40 ? 40 : n) - 1; ++k)
    row[k] = k << 1 | 1;
  row += N;
#pragma agglom loop
  for (int k = 0x7fffffff - n; k < 0x7fffffff; k++)
    row[0x7fffffff - k] = k;
  row += N;
#pragma agglom loop
  for (int k = -2147483647 - 1 + n; k > -2147483647 - 1; k--)
    row[k + 2147483647 + 1] = k;
  row += N;
  for (int outer = 0; outer < 3; outer++) {
#pragma agglom loop reduction(+: count)
    for (int k = outer; k < n; k += 7)
      row[k] += outer + 1, count += k;
  }
  row[N] = count;
}

int main(void) {
  static int x[UNITS][FORMS * N];
  for (int u = 0; u < UNITS; u++)
    forms(N - 7 * u, u % 3, (unsigned char)(20 + u * 25), (1ll << 40) + u, x[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < FORMS * N; i++)
      printf("%d%c", x[u][i], i % N == N - 1 ? '\n' : ' ');
  return 0;
}
