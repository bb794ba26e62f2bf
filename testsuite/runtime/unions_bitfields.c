// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unions, bit-fields signed and unsigned, bool, packed structs: the same bytes.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: bits: 20 units in
// CHECK: pun: 20 units in
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct flags {
  unsigned a : 3, b : 5, : 4, c : 20;
  int d : 7, e : 9;
  bool f : 1, g;
  unsigned long long h : 40;
  signed char i : 2;
};
union word {
  uint32_t u;
  float f;
  unsigned char byte[4];
  struct {
    uint16_t low, high;
  };
};
struct __attribute__((packed)) tight {
  char tag;
  int value;
  short tail;
};

#pragma agglom task inout(x[0:n])
void bits(int n, struct flags *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    x[i].a += 3;
    x[i].b = x[i].a * x[i].b + 1;
    x[i].c -= (unsigned)i * 7;
    x[i].d = x[i].d - 5;
    x[i].e ^= x[i].d;
    x[i].f = !x[i].f;
    x[i].g = x[i].c & 4;
    x[i].h = x[i].h * 1099511627689u + x[i].c;
    x[i].i++;
  }
}
#pragma agglom task inout(w[0:n], t[0:n])
void pun(int n, union word *w, struct tight *t, union word add) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    w[i].f = w[i].f * 1.5f + (float)add.low;
    w[i].u ^= (uint32_t)w[i].byte[2] << 3;
    w[i].high = (uint16_t)(w[i].high + w[i].low);
    t[i].value += w[i].byte[1] * 1000;
    t[i].tail = (short)(t[i].tail - t[i].tag);
    t[i].tag++;
  }
}

int main(void) {
  static struct flags x[20][33];
  static union word w[20][33];
  static struct tight t[20][33];
  memset(x, 0, sizeof x);
  for (int u = 0; u < 20; u++)
    for (int i = 0; i < 33; i++) {
      x[u][i].b = (unsigned)(u + i), x[u][i].h = 0x123456789u * (unsigned)i, x[u][i].d = u - i;
      w[u][i].f = (float)(u * 33 + i), t[u][i] = (struct tight){(char)i, u, 7};
    }
  for (int u = 0; u < 20; u++) {
    bits(33, x[u]);
    pun(33, w[u], t[u], (union word){.u = 65536u * 9 + (unsigned)u});
  }
#pragma agglom wait
  for (int u = 0; u < 20; u++)
    for (int i = 0; i < 33; i++)
      printf("%u %u %u %d %d %d %d %llu %d | %08x | %d %d %d\n", x[u][i].a, x[u][i].b, x[u][i].c, x[u][i].d,
             x[u][i].e, x[u][i].f, x[u][i].g, (unsigned long long)x[u][i].h, x[u][i].i, w[u][i].u, t[u][i].tag,
             t[u][i].value, t[u][i].tail);
  return 0;
}
