// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ++, --, compound assignment and unary operators on char, short, _Bool and enumerations: promoted, then cut.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 12, N = 20 };
enum level { LOW = -2, MIDDLE, HIGH = 300 };
struct cell {
  char c;
  signed char sc;
  unsigned char uc;
  short s;
  unsigned short us;
  _Bool b;
  enum level e;
  int result[8];
};

#pragma agglom task inout(x[0:n])
static void narrow(int n, struct cell *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct cell *p = x + i;
    p->result[0] = p->uc++ + ++p->sc;
    p->result[1] = p->us-- - --p->s;
    p->result[2] = p->c < 0 ? -1 : p->c > 100;
    p->uc *= 3, p->sc /= 2, p->us *= 1u + p->us, p->s %= 17, p->c += 100;
    p->uc -= p->sc, p->us = (unsigned short)(p->us << 3), p->s ^= p->us, p->c &= 0x55, p->uc %= 50;
    p->result[3] = -p->uc + ~p->us + !p->s + +p->c;
    p->b = p->uc; // 0 or 1, not cut
    p->result[4] = p->b + p->b;
    p->b += 5, p->result[4] |= p->b << 4;
    p->b ^= 1, p->result[4] |= p->b << 5;
    p->b = 0.25;
    p->result[5] = p->b;
    p->e = i % 3 == 0 ? LOW : i % 3 == 1 ? MIDDLE : HIGH;
    p->e += 1;
    p->result[6] = p->e < 0 ? -(int)p->e : (int)p->e * 2;
    p->result[7] = (char)200 + (unsigned char)300 + (signed char)-129 + (short)70000 + (unsigned short)-1;
    p->uc = (unsigned char)(p->uc + 250) < p->uc ? 7 : p->uc;
    p->sc = (signed char)(((p->sc & 0x3f) * 2 & 0x7f) - 64);
  }
}

int main(void) {
  static struct cell x[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (struct cell){(char)(i * 13 + u), (signed char)(i * 29 - u * 11), (unsigned char)(i * 37 + u),
                              (short)(i * 3001 - u * 999), (unsigned short)(i * 7919 + u), 1, MIDDLE, {0}};
  for (int u = 0; u < UNITS; u++)
    narrow(N, x[u]), narrow(N, x[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      struct cell *p = &x[u][i];
      printf("%d %d %u %d %u %d %d:", p->c, p->sc, p->uc, p->s, p->us, p->b, p->e);
      for (int k = 0; k < 8; k++)
        printf(" %d", p->result[k]);
      printf("\n");
    }
  return 0;
}
