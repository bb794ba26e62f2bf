// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-8, CRC-16, CRC-32 by table and by bit, CRC-64, Adler-32, Fletcher-16, parity, Luhn and ISBN digits.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 12, N = 70 };
// CRC-32 of each nibble
static const uint32_t nibble[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
struct sums {
  uint8_t crc8, parity, luhn;
  char isbn;
  uint16_t crc16, fletcher;
  uint32_t crc32, slow32, adler;
  uint64_t crc64;
};

static uint32_t crc32(const uint8_t *p, int n) {
  uint32_t c = ~0u;
  while (n-- > 0) {
    c ^= *p++;
    c = nibble[c & 15] ^ c >> 4;
    c = nibble[c & 15] ^ c >> 4;
  }
  return ~c;
}
static uint32_t slow(const uint8_t *p, const uint8_t *end) {
  uint32_t c = 0xffffffff;
  for (; p < end; p++)
    for (int b = 0; b < 8; b++)
      c = (c ^ *p >> b) & 1 ? c >> 1 ^ 0xedb88320u : c >> 1 ^ 0;
  return c ^ 0xffffffff;
}
static uint64_t crc64(const uint8_t *p, int n) {
  uint64_t c = 0;
  for (int i = 0; i < n; i++) {
    c ^= (uint64_t)p[i] << 56;
    for (int b = 8; b; --b)
      c = c << 1 ^ (-(c >> 63) & 0x42f0e1eba9ea3693u);
  }
  return c;
}

#pragma agglom task in(p[0:n]) out(s[0:1])
static void sum(int n, const uint8_t *p, struct sums *s) {
  uint16_t crc = 0xffff, low = 0, high = 0;
  uint8_t c8 = 0;
  uint32_t a = 1, b = 0;
  unsigned parity = 0, digits = 0, weights = 0;
  for (int i = 0; i < n; i++) {
    crc ^= (uint16_t)(p[i] << 8);
    c8 ^= p[i];
    for (int k = 0; k < 8; k++) {
      crc = crc & 0x8000 ? (uint16_t)(crc << 1 ^ 0x1021) : (uint16_t)(crc << 1);
      c8 = (uint8_t)(c8 << 1 ^ (c8 >> 7) * 7);
    }
    low = (uint16_t)((low + p[i]) % 255), high = (uint16_t)((high + low) % 255);
    a = (a + p[i]) % 65521, b = (b + a) % 65521;
    parity ^= p[i];
    unsigned digit = p[i] % 10u, twice = digit * 2;
    digits += i & 1 ? twice / 10 + twice % 10 : digit;
    weights += (10 - (unsigned)i % 10) * digit;
  }
  parity ^= parity >> 4, parity ^= parity >> 2, parity ^= parity >> 1;
  *s = (struct sums){.crc8 = c8, .parity = parity & 1, (uint8_t)(digits % 10), "0123456789X"[weights % 11], crc,
                     (uint16_t)(high << 8 | low), .adler = b << 16 | a, .crc64 = crc64(p, n)};
  s->crc32 = crc32(p, n), s->slow32 = slow(p, p + n);
}

int main(void) {
  static uint8_t p[UNITS][N];
  static struct sums s[UNITS];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      p[u][i] = u ? (uint8_t)(i * i * u) : (uint8_t)"123456789"[i % 9];
  for (int u = 0; u < UNITS; u++)
    sum(u ? N - u : 9, p[u], &s[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    printf("%02x %u %u %c %04x %04x %08x %08x %08x %016llx\n", s[u].crc8, s[u].parity, s[u].luhn, s[u].isbn, s[u].crc16,
           s[u].fletcher, s[u].crc32, s[u].slow32, s[u].adler, (unsigned long long)s[u].crc64);
  return 0;
}
