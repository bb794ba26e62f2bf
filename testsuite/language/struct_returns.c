// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions may return, of every size up to beyond registers, used in place: member of a result, result as an
// argument, through several levels, in conditions and initialisers.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 8, N = 25 };
typedef struct { uint8_t v; } s1;
typedef struct { uint8_t v[3]; } s3;
typedef struct { uint16_t a; uint32_t b; } s8;
typedef struct { float f; double d; } s16;
typedef struct { int64_t q[3]; char end; } s32;
typedef union { uint32_t u; float f; uint8_t b[4]; } u4;
typedef enum { NO, YES = 7 } answer;

static s1 make1(int i) { s1 r = {(uint8_t)i}; return r; }
static s3 make3(int i) { return (s3){{(uint8_t)i, make1(i * 3).v, [2] = 9}}; }
static s8 make8(int i) { return (s8){.b = (uint32_t)i * 2654435761u, .a = (uint16_t)make3(i).v[1]}; }
static s16 make16(int i) { s16 r; r.d = i / 4.0; r.f = (float)r.d - make8(i).a; return r; }
static s32 make32(s16 from, s8 other) {
  s32 r = {{(int64_t)from.d, other.b, (int64_t)(from.f * 2)}, 'x'};
  return other.a & 1 ? r : (s32){.end = r.end, .q[1] = -r.q[1]};
}
static u4 join(s1 a, s3 b) { u4 r = {.b = {a.v, b.v[0], b.v[1], b.v[2]}}; return r; }
static answer ask(s32 v) { return v.q[1] < 0 ? NO : YES; }
static _Bool odd(int v) { return v & 0x10001; }
static const uint8_t *pick(const uint8_t *p, s1 i) { return p + i.v % 4; }
static int8_t cut(int v) { return (int8_t)v; }
static unsigned char *end(unsigned char *p) { while (*p) ++p; return p; }

#pragma agglom task out(o[0:n * 8])
static void returns(int n, int base, int64_t *o) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int64_t *p = o + i * 8;
    int k = base * 37 + i;
    unsigned char text[6] = "abcd";
    text[k % 5] = 0;
    p[0] = make1(k).v + make3(k).v[2] * make3(k + 1).v[0];
    p[1] = make32(make16(k), make8(k)).q[i % 3] + make32(make16(i), make8(k)).end;
    p[2] = join(make1(k), make3(i)).u;
    p[3] = ask(make32(make16(k), make8(k))) ? ask(make32(make16(i), make8(i))) + 1 : -(int64_t)odd(k);
    p[4] = *pick((const uint8_t[]){1, 2, 3, make1(k).v}, make1(i)) + cut(k * 7) + odd(0x10000) + odd(2);
    p[5] = end(text) - text;
    const s8 all[2] = {make8(k), make8(k + 1)};
    p[6] = all[0].b < all[1].b ? all[0].a : all[1].a;
    p[7] = (int64_t)(make16(k).d * 4) ^ (int64_t)make16(i).f;
  }
}

int main(void) {
  static int64_t o[UNITS][N * 8];
  for (int u = 0; u < UNITS; u++)
    returns(N, u, o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N * 8; i++)
      printf("%lld%c", (long long)o[u][i], i % 8 == 7 ? '\n' : ' ');
  return 0;
}
