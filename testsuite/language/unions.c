// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unions: reading another member than was written, arrays and structures in them, anonymous ones, in arrays, by value.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 9, N = 16 };
union number {
  double d;
  int64_t i;
  uint64_t u;
  float f[2];
  uint32_t w[2];
  uint16_t h[4];
  unsigned char b[8];
  struct {
    uint32_t low;
    int16_t middle;
    uint8_t top[2];
  } part;
};
struct value {
  enum { INTEGER, REAL, TEXT, PAIR } kind;
  union {
    int64_t integer;
    double real;
    char text[12];
    struct {
      short left, right;
    };
  };
};

static union number flip(union number n) {
  for (int k = 0; k < 4; k++) {
    unsigned char t = n.b[k];
    n.b[k] = n.b[7 - k];
    n.b[7 - k] = t;
  }
  return n;
}
static struct value step(struct value v) {
  switch (v.kind) {
  case INTEGER:
    v.real = (double)v.integer / 3, v.kind = REAL;
    break;
  case REAL:
    v = (struct value){TEXT, .text = "real"};
    v.text[0] = (char)('A' + v.text[3] % 26);
    break;
  case TEXT:
    v.left = (short)(v.text[0] * 256 + v.text[1]), v.right = -1, v.kind = PAIR;
    break;
  default:
    v.integer = v.left * 70000 - v.right, v.kind = INTEGER;
  }
  return v;
}

#pragma agglom task inout(x[0:n], v[0:n])
static void pun(int n, union number *x, struct value *v) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    union number a = x[i], b = {.w = {1, 0x3ff00000}};
    a.part.middle ^= (int16_t)(i * 5);
    a.w[1] &= 0xbfefffff;
    b.d += a.part.top[1] * 0.5;
    a.f[0] = (float)a.h[1] + b.f[1];
    b.i -= a.h[0];
    a.u += flip(b).u ^ flip(flip(a)).u >> 3;
    x[i] = i & 1 ? a : (union number){.part = {a.w[1], (int16_t)b.h[3], {a.b[0], b.b[7]}}};
    for (int k = 0; k <= i % 5; ++k)
      v[i] = step(v[i]);
  }
}

int main(void) {
  static union number x[UNITS][N];
  static struct value v[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      x[u][i].u = (uint64_t)(u * N + i + 1) * 0x123456789abcdefu;
      v[u][i].kind = INTEGER, v[u][i].integer = i * 100 - u;
    }
  for (int u = 0; u < UNITS; u++)
    pun(N, x[u], v[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      printf("%016llx %d ", (unsigned long long)x[u][i].u, v[u][i].kind);
      switch (v[u][i].kind) {
      case INTEGER: printf("%lld\n", (long long)v[u][i].integer); break;
      case REAL: printf("%a\n", v[u][i].real); break;
      case TEXT: printf("%s\n", v[u][i].text); break;
      default: printf("%d %d\n", v[u][i].left, v[u][i].right);
      }
    }
  return 0;
}
