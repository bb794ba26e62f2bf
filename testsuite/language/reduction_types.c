// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of every operator over every type, several in one clause and one loop, over values that were there before.
// Floating-point ones are of numbers whose sums are exact in any order.
// RUN: %compare %s %t -w
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 6, N = 90 };
#define DO(...) _Pragma(#__VA_ARGS__)
#define INTEGER(T)                                                                                  \
  _Pragma("agglom task in(x[0:n]) inout(r[0:9])")                                                   \
  static void of_##T(int n, const T *x, T *r) {                                                     \
    T sum = r[0], product = r[1], least = r[2], most = r[3], all = r[4], any = r[5], odd = r[6];    \
    T both = r[7], either = r[8];                                                                   \
    DO(agglom loop reduction(+: sum) reduction(*: product) reduction(min: least) reduction(max: most) \
       reduction(&: all) reduction(|: any) reduction(^: odd) reduction(&&: both) reduction(||: either)) \
    for (int i = 0; i < n; i++) {                                                                   \
      sum = (T)(sum + x[i]);                                                                        \
      product = (T)(product * (uint64_t)(x[i] | 1));                                                \
      least = x[i] < least ? x[i] : least;                                                          \
      if (x[i] > most)                                                                              \
        most = x[i];                                                                                \
      all &= (T)(x[i] | 3);                                                                         \
      any |= (T)(x[i] & 0x55);                                                                      \
      odd ^= x[i];                                                                                  \
      both = both && x[i] != 7;                                                                     \
      either = either || x[i] == 9;                                                                 \
    }                                                                                               \
    r[0] = sum, r[1] = product, r[2] = least, r[3] = most, r[4] = all, r[5] = any, r[6] = odd;      \
    r[7] = both, r[8] = either;                                                                     \
  }                                                                                                 \
  static void try_##T(void) {                                                                       \
    static T x[UNITS][N], r[UNITS][9];                                                              \
    for (int u = 0; u < UNITS; u++) {                                                               \
      for (int i = 0; i < N; i++)                                                                   \
        x[u][i] = (T)((i * 37 + u * 11) % 101 - 20);                                                \
      for (int k = 0; k < 9; k++)                                                                   \
        r[u][k] = (T)(k == 1 || k == 7 ? u & 1 : k == 4 ? -1 : u);                                  \
    }                                                                                               \
    for (int u = 0; u < UNITS; u++)                                                                 \
      of_##T(N - 15 * u, x[u], r[u]);                                                               \
    _Pragma("agglom wait") for (int u = 0; u < UNITS; u++) for (int k = 0; k < 9; k++)              \
        printf("%s %d %lld\n", #T, k, (long long)r[u][k]);                                          \
  }
INTEGER(int8_t)
INTEGER(uint8_t)
INTEGER(int16_t)
INTEGER(uint16_t)
INTEGER(uint32_t)
INTEGER(uint64_t)

#define REAL(T, suffix)                                                                             \
  _Pragma("agglom task in(x[0:n]) inout(r[0:4])")                                                   \
  static void of_##T(int n, const T *x, T *r) {                                                     \
    T sum = r[0], least = r[1], most = r[2], product = r[3];                                        \
    bool all = true, any = false;                                                                   \
    DO(agglom loop reduction(+: sum), reduction(min: least) reduction(max: most) reduction(*: product) \
       reduction(&&: all) reduction(||: any))                                                       \
    for (int i = n - 1; i >= 0; --i) {                                                              \
      sum += x[i], least = fmin##suffix(least, x[i]), most = fmax##suffix(most, x[i]);              \
      product *= x[i] < 0 ? (T)-1 : (T)2;                                                           \
      all = all && x[i] < 30, any = any || x[i] == 3;                                               \
    }                                                                                               \
    r[0] = sum, r[1] = least, r[2] = most, r[3] = all ? any ? product : -product : product / 2;     \
  }                                                                                                 \
  static void try_##T(void) {                                                                       \
    static T x[UNITS][N], r[UNITS][4];                                                              \
    for (int u = 0; u < UNITS; u++) {                                                               \
      r[u][3] = 1, r[u][0] = (T)u;                                                                  \
      for (int i = 0; i < N; i++)                                                                   \
        x[u][i] = (T)((i * 29 + u * 7) % 64 - 20) / 4;                                              \
    }                                                                                               \
    for (int u = 0; u < UNITS; u++)                                                                 \
      of_##T(N - 15 * u, x[u], r[u]);                                                               \
    _Pragma("agglom wait") for (int u = 0; u < UNITS; u++)                                          \
        printf("%s %a %a %a %a\n", #T, r[u][0], r[u][1], r[u][2], r[u][3]);                         \
  }
REAL(float, f)
REAL(double, )

int main(void) {
  try_int8_t();
  try_uint8_t();
  try_int16_t();
  try_uint16_t();
  try_uint32_t();
  try_uint64_t();
  try_float();
  try_double();
  return 0;
}
