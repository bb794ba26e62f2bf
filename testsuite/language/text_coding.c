// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base64, hexadecimal, URL and UTF-8 in both directions, decimal printing and reading, roman numerals, run lengths.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 12, IN = 24, OUT = 256 };
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", hex[17] = "0123456789abcdef";
struct writer {
  char *at, *const end;
};

static void put(struct writer *w, int c) {
  if (w->at < w->end)
    *w->at++ = (char)c;
}
static void puts_to(struct writer *w, const char *s) {
  while (*s)
    put(w, *s++);
}
static void decimal(struct writer *w, long long v) {
  char t[21];
  int n = sizeof t;
  unsigned long long u = v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v;
  do
    t[--n] = hex[u % 10];
  while (u /= 10);
  if (v < 0)
    put(w, '-');
  while (n < (int)sizeof t)
    put(w, t[n++]);
}
static long long read_decimal(const char *s) {
  int negative = *s == '-';
  long long v = 0;
  for (s += negative; *s >= '0' && *s <= '9'; s++)
    v = v * 10 - (*s - '0');
  return negative ? v : -v;
}
static void utf8(struct writer *w, uint32_t c) {
  if (c < 0x80)
    put(w, (int)c);
  else if (c < 0x800)
    put(w, 0xc0 | c >> 6), put(w, 0x80 | (c & 63));
  else if (c < 0x10000)
    put(w, 0xe0 | c >> 12), put(w, 0x80 | (c >> 6 & 63)), put(w, 0x80 | (c & 63));
  else
    put(w, 0xf0 | c >> 18), put(w, 0x80 | (c >> 12 & 63)), put(w, 0x80 | (c >> 6 & 63)), put(w, 0x80 | (c & 63));
}
static uint32_t decode(const unsigned char *s, int *length) {
  if (*s < 0x80)
    return *length = 1, *s;
  int n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
  uint32_t c = *s & (0xff >> (n + 1));
  *length = n;
  while (--n)
    c = c << 6 | (*++s & 63);
  return c;
}
static void roman(struct writer *w, unsigned v) {
  const struct {
    unsigned short value;
    char text[3];
  } step[13] = {{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
                {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
  for (int i = 0; i < 13; i++)
    for (; v >= step[i].value; v -= step[i].value)
      puts_to(w, step[i].text);
}

#pragma agglom task in(p[0:n]) out(text[0:OUT], back[0:4])
static void code(int n, const unsigned char *p, char *text, long long *back) {
  struct writer w = {text, text + OUT - 1};
  for (int i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
    for (int k = 18; k >= 0; k -= 6)
      put(&w, i + (18 - k) / 6 > n ? '=' : digits[v >> k & 63]);
  }
  put(&w, ' ');
  for (int i = 0; i < n; i++)
    put(&w, hex[p[i] >> 4]), put(&w, hex[p[i] & 15]);
  put(&w, ' ');
  for (int i = 0; i < n; i++)
    if (p[i] >= '0' && p[i] <= '9')
      put(&w, p[i]);
    else
      put(&w, '%'), put(&w, hex[p[i] / 16] & ~(p[i] > 0x9f ? 32 : 0)), put(&w, hex[p[i] % 16]);
  put(&w, ' ');
  const char *number = w.at;
  decimal(&w, (long long)(p[0] * 0x0101010101010101u)), put(&w, ' '), roman(&w, 1u + p[1] * 13u), put(&w, ' ');
  char *start = w.at;
  utf8(&w, p[0]), utf8(&w, p[1] * 7u), utf8(&w, p[2] * 257u), utf8(&w, 0x10000 + p[3] * 4099u);
  back[0] = read_decimal(number), back[1] = 0;
  for (int length, k = 0; start < w.at; start += length, k++)
    back[1] = back[1] % 1000000007 * 1000003 + decode((const unsigned char *)start, &length) + length;
  put(&w, ' '), back[2] = w.end - w.at;
  for (int i = 0, run; i < n; i += run) {
    for (run = 1; i + run < n && p[i + run] >> 4 == p[i] >> 4;)
      run++;
    put(&w, hex[p[i] >> 4]), put(&w, '0' + run % 10);
  }
  back[3] = w.at - text;
  *w.at = 0;
}

int main(void) {
  static unsigned char p[UNITS][IN];
  static char text[UNITS][OUT];
  static long long back[UNITS][4];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < IN; i++)
      p[u][i] = (unsigned char)(i * 5 + u * 41 + 30);
  for (int u = 0; u < UNITS; u++)
    code(10 + u, p[u], text[u], back[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    printf("%s %lld %lld %lld %lld\n", text[u], back[u][0], back[u][1], back[u][2], back[u][3]);
  return 0;
}
