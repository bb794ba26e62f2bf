// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters by value of every kind, converted at the call as the prototype says, evaluated once at the call, in the order of
// the statements, changed by the body, next to each other in all sizes.
// RUN: %compare %s %t -w
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 24 };
enum colour { RED = -1, BLUE = 70000 };
struct three {
  char c[3];
};
struct twelve {
  double d;
  float f;
};
union either {
  double d;
  int64_t i;
  char text[8];
};
struct result {
  long long v[16];
};
typedef const short constant_short;

#pragma agglom task out(r[0:1])
static void all(char c, double d, signed char sc, uint64_t u64, _Bool b, float f, short s, struct three t3, unsigned u, uint8_t u8,
                struct twelve t12, enum colour e, int64_t i64, union either x, constant_short cs, struct result *r, uint16_t u16,
                long l, const void *unused) {
  c += 1, t3.c[1]++, t12.d *= 2, s = (short)-s; // the unit's own
  struct result o = {{c, (long long)(d * 8), sc, (long long)(u64 >> 3), b, (long long)(f * 8), s, t3.c[0] * 10000 + t3.c[1] * 100 + t3.c[2],
                      u, u8, (long long)(t12.d + t12.f), e, i64, x.i, cs + u16}};
  o.v[15] = l + (unused == 0);
  *r = o;
}

static int counter;
static int next(void) { return ++counter; }

int main(void) {
  static struct result r[UNITS];
  int i = 0;
  for (int u = 0; u < UNITS; u++) {
    struct three t = {{(char)u, 2, 3}};
    struct twelve w = {u, .5f};
    all((char)(300 + u), u, -u, -1, u * 256, 1.0 / (u + 1), 70000 + u, t, -1 - u, 255 + u, (struct twelve){w.f, (float)w.d},
        u & 1 ? RED : BLUE, next() * -10000000000, u & 1 ? (union either){.i = i++} : (union either){.text = "abcdefg"}, 'x',
        &r[u], 65536 + u, (u & 1 ? 0 : (i += 2), 7), 0);
    t.c[0] = 99, w.d = -1;
  }
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < 16; k++)
      printf("%lld%c", r[u].v[k], k == 15 ? '\n' : ' ');
  printf("%d %d\n", counter, i);
  return 0;
}
