// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C11's and GNU C's own: _Generic, _Static_assert, _Alignas, ?: with two operands, statement expressions, ranges in cases and
// initialisers, __typeof__, builtins, binary constants.
// RUN: %compare %s %t -w
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 8, N = 20, OUT = 12 };
_Static_assert(sizeof(int) == 4, "int has 32 bits");
#define KIND(x) _Generic((x), char: 1, signed char: 2, unsigned char: 3, short: 4, int: 5, unsigned: 6, long: 7, float: 8, \
                         double: 9, int *: 10, const int *: 11, struct s: 12, default: 99)
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })
#define SWAP(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define CAT(a, b) a##b
#define NAME(n) CAT(value_, n)
struct s {
  _Alignas(16) char c;
  int v;
};
static const unsigned char spread[16] = {[0 ... 3] = 1, [4 ... 11] = 0b101, [12 ... 15] = 7};

static float half_float(float x) { return x / 2; }
static double half_double(double x) { return x / 4; }
#define half(x) _Generic((x), float: half_float, double: half_double)(x)

#pragma agglom task inout(x[0:n]) out(o[0:n * OUT])
static void extensions(int n, int *x, int *o) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int *p = o + i * OUT, NAME(1) = i, NAME(2) = x[i];
    const int *c = p;
    char letter = 'a';
    struct s s = {.v = i};
    _Static_assert(offsetof(struct s, v) == 4, "inside a block");
    p[0] = KIND(letter) * 1000000 + KIND((short)1) * 10000 + KIND(i) * 100 + KIND(1.f);
    p[1] = KIND(p) * 10000 + KIND(c) * 100 + KIND(s);
    p[2] = KIND(letter + letter) * 10000 + KIND(1u + i) * 100 + KIND(1ll);
    p[3] = MAX(i, NAME(2)) + MAX(i * .5, 3) + MAX((unsigned char)(i * 20), 100u);
    SWAP(value_1, value_2);
    p[4] = value_1 * 100 + value_2;
    p[5] = x[i] ?: -5;
    p[6] = (i % 3 ?: i % 5) ?: 77;
    p[7] = ({ int t = 0; for (int k = 0; k <= i; k++) t += spread[k & 15]; t; }) + ({ i; });
    p[8] = (int)((half(10.f) + half(10.)) * 10) + 0b1011;
    p[9] = __builtin_popcount((unsigned)x[i]) + __builtin_clz((unsigned)i | 1) + __builtin_ctzll(1ull << (i + 20));
    p[10] = (int)((uintptr_t)&s % _Alignof(struct s)) + (int)_Alignof(struct s) + __builtin_expect(i > 3, 1);
    switch (x[i]) {
    case -100 ... -1: p[11] = 1; break;
    case 0: case 2 ... 9: p[11] = 2; break;
    default: p[11] = 3;
    }
    x[i] = __builtin_choose_expr(sizeof(long) == 8, x[i] + 1, "no");
  }
}

int main(void) {
  static int x[UNITS][N], o[UNITS][N * OUT];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = i * u - 11;
  for (int u = 0; u < UNITS; u++)
    extensions(N, x[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N * OUT; i++)
      printf("%d%c", o[u][i], i % OUT == OUT - 1 ? '\n' : ' ');
  return 0;
}
