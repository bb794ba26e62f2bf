// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers: steps of every element size, differences, comparisons, negative offsets, one past the end, backwards walks,
// i[p], casts between object types through char, void * steps by conversion.
// RUN: %compare %s %t -w
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 9, N = 40, OUT = 24 };
struct triple {
  char c;
  int v[2];
};

static long distance(const struct triple *a, const struct triple *b) { return a < b ? b - a : -(a - b); }
static const char *last(const char *s, char c) {
  const char *hit = NULL;
  do
    if (*s == c)
      hit = s;
  while (*s++);
  return hit;
}
static void reverse(short *from, short *to) {
  while (from < --to) {
    short t = *from;
    *from++ = *to, *to = t;
  }
}
static uint32_t load(const void *p) {
  const unsigned char *b = p;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#pragma agglom task inout(s[0:n], t[0:n]) in(d[0:n]) out(o[0:OUT])
static void point(int n, short *s, struct triple *t, const double *d, long *o) {
  const double *p = d, *end = d + n, *mid = &d[n / 2];
  long k = 0;
  double sum = 0;
  for (; p != end; ++p)
    sum += *p * (double)(p - d);
  o[k++] = (long)sum, o[k++] = p == end, o[k++] = end - mid, o[k++] = mid - end, o[k++] = mid[-1] < mid[1];
  o[k++] = *(p - 1) > 3, o[k++] = (const char *)end - (const char *)d, o[k++] = (long)2 [d], o[k++] = (long)*(end - n);
  struct triple *q = t + n - 1, *const first = t;
  for (int i = 0; q >= first + 2; q -= 3, i++)
    q->v[i & 1] += q[-1].c + (int)(q - t);
  o[k++] = distance(t, q), o[k++] = distance(t + n, t), o[k++] = (int *)&t[3].v[1] - &t[1].v[1];
  reverse(s, s + n), reverse(s + 1, &s[n / 2]);
  short *w = s;
  o[k++] = *w++ + *w, o[k++] = *++w, w += 4, w -= 2, o[k++] = w - s, o[k++] = w[1] + w[-1];
  const char *text = "the last letter", *hit = last(text, 't');
  o[k++] = hit ? hit - text : -1, o[k++] = last(text, '#') == 0, o[k++] = last(text, 0) - text;
  uint64_t bytes[3] = {0x0102030405060708u, 0x1112131415161718u, (uint64_t)n};
  void *any = bytes;
  unsigned char *b = any;
  o[k++] = load(b + 3), o[k++] = load((char *)any + 7), o[k++] = *(uint64_t *)(b + 16), o[k++] = load(&bytes[1]);
  o[k] = 7;
  for (unsigned char *r = b + sizeof bytes; r-- > b;)
    o[k] = (o[k] * 31 + *r) % 1000003;
}

int main(void) {
  static short s[UNITS][N];
  static struct triple t[UNITS][N];
  static double d[UNITS][N];
  static long o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      s[u][i] = (short)(i * 3 + u), t[u][i] = (struct triple){(char)(i + u), {i, -i}}, d[u][i] = i * .5 + u;
  for (int u = 0; u < UNITS; u++)
    point(N - 2 * u, s[u], t[u], d[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < OUT; k++)
      printf("%ld ", o[u][k]);
    for (int i = 0; i < N; i++)
      printf("%d:%d:%d%c", s[u][i], t[u][i].v[0], t[u][i].v[1], i == N - 1 ? '\n' : ' ');
  }
  return 0;
}
