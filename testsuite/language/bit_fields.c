// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit-fields: signed and unsigned, of every base type, across storage units, unnamed and of width 0, assignments that cut,
// ++ at the ends, compound assignment, comparison after promotion, in unions and arrays.
// RUN: %compare %s %t -w
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 11, N = 13 };
enum mode { OFF, ON, AUTO };
struct packed_up {
  unsigned a : 1, b : 2, c : 3;
  signed d : 4, e : 1;
  int : 0;
  unsigned long long f : 33;
  signed long long g : 47;
  unsigned char h : 3;
  signed char i : 8;
  unsigned short j : 11, : 2, k : 3;
  bool l : 1;
  enum mode m : 3;
  long n : 17;
  unsigned o : 32;
};
union date {
  uint32_t raw;
  struct {
    uint32_t day : 5, month : 4, year : 12, hour : 5, rest : 6;
  };
};
struct result {
  long long v[14];
};

#pragma agglom task inout(x[0:n], t[0:n]) out(r[0:n])
static void fields(int n, struct packed_up *x, union date *t, struct result *r) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct packed_up *p = &x[i], q = *p;
    long long *o = r[i].v;
    o[0] = (int)p->a++ + q.a * 8 + (int)p->b-- - (int)--p->c;
    o[1] = (p->d = 7) + (p->e = -1);
    p->d++; // to -8
    o[2] = p->d < 0, o[3] = p->d;
    o[4] = (long long)(p->f += 0x1ffffffffu), o[5] = p->g -= (long long)i << 40;
    o[6] = p->h ^= 5, o[7] = p->i = (signed char)(p->i * 3);
    o[8] = (p->j <<= 2) + (p->k |= 4), o[9] = (p->l = p->j > 100) ? p->l : -1;
    p->m = p->m == AUTO ? OFF : (enum mode)(p->m + 1);
    o[10] = p->m, o[11] = p->n = (p->n * 1000) % 65536, o[12] = p->o * 3ll + ~p->o;
    o[13] = (q.c - 7 < 0) + 2 * (q.o - q.o - 1 > 0) + 4 * (-q.b <= 0) + 8 * (((uint64_t)p->f << 1) > p->f);
    t[i].day = t[i].day == 31 ? 1 : t[i].day + 1;
    t[i].month += t[i].day == 1, t[i].year--, t[i].hour = (uint8_t)(t[i].hour + 23) % 24;
    t[i].rest = t[i].raw >> 3;
  }
}

int main(void) {
  static struct packed_up x[UNITS][N];
  static union date t[UNITS][N];
  static struct result r[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      struct packed_up p = {.a = 1, .b = (unsigned)i, .c = (unsigned)u, .f = 12345678901ull * (unsigned)i, .g = -(1ll << (i + 30)),
                            .h = 6, .i = (signed char)(i * 9), .j = (unsigned short)(i * 77), .k = 1, .m = ON,
                            .n = i * u - 60, .o = 0xdeadbeefu + (unsigned)u};
      x[u][i] = p;
      t[u][i].raw = (uint32_t)(u * 7919 + i) * 2654435761u;
    }
  for (int u = 0; u < UNITS; u++)
    fields(N, x[u], t[u], r[u]), fields(N, x[u], t[u], r[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      struct packed_up *p = &x[u][i];
      printf("%u %u %u %d %d %llu %lld %u %d %u %u %d %d %d %u %08x:", p->a, p->b, p->c, p->d, p->e,
             (unsigned long long)p->f, (long long)p->g, p->h, p->i, p->j, p->k, p->l, p->m, (int)p->n, p->o, t[u][i].raw);
      for (int k = 0; k < 14; k++)
        printf(" %lld", r[u][i].v[k]);
      printf("\n");
    }
  return 0;
}
