// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memcpy, memmove, memset and memcmp: overlapping, of part of an object, of structures and arrays, with length 0, as values.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 13, SIZE = 64, OUT = 10 };
struct record {
  char name[10];
  double v[2];
  int tail;
};

static void rotate(unsigned char *p, size_t n, size_t by) {
  unsigned char keep[SIZE];
  memcpy(keep, p, by);
  memmove(p, p + by, n - by);
  memcpy(p + n - by, keep, by);
}
static int sign(int v) { return (v > 0) - (v < 0); }
static uint64_t read64(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

#pragma agglom task inout(p[0:SIZE], r[0:3]) out(o[0:OUT])
static void move(int k, unsigned char *p, struct record *r, long long *o) {
  int n = 0;
  rotate(p, SIZE, (size_t)k + 1);
  memmove(p + 5, p, 20), memmove(p + 30, p + 33, 9), memmove(p, p, 10);
  memset(p + 50, k, 7), memset(p + 60, -1, 2), memset(p, 0xff, 0);
  o[n++] = (long long)read64(p + 3), o[n++] = (long long)(read64(p + k) ^ read64(&p[40]));
  o[n++] = sign(memcmp(p, p + 5, 20)), o[n++] = sign(memcmp(p + 10, "abc", 3)), o[n++] = memcmp(p, r, 0);
  o[n++] = !memcmp(memset(p + 51, k, 3), p + 52, 2);
  struct record copy = r[1], zero;
  memset(&zero, 0, sizeof zero);
  o[n++] = zero.v[1] == 0 && !zero.tail && !zero.name[9];
  memcpy(copy.name + 2, "xyz", 4), memcpy(&copy.v[1], r[2].v, sizeof(double));
  *(struct record *)memcpy(&r[0], &copy, sizeof copy) = copy;
  r[0].tail += 1;
  memmove(r + 1, r, 2 * sizeof *r);
  memcpy(r[2].v, (double[]){1.5, k}, sizeof r[2].v);
  float f = (float)k / 3;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits), bits ^= 1u << 31, memcpy(&f, &bits, sizeof f);
  o[n++] = bits, o[n++] = (long long)(f * 3000);
  char text[8] = "0123456";
  (void)memmove(text + 1, text, 6);
  o[n] = read64((unsigned char *)text) >> 8;
}

int main(void) {
  static unsigned char p[UNITS][SIZE];
  static struct record r[UNITS][3];
  static long long o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < SIZE; i++)
      p[u][i] = (unsigned char)(i * 5 + u);
    for (int i = 0; i < 3; i++)
      r[u][i] = (struct record){"name", {i, u}, i * u};
  }
  for (int u = 0; u < UNITS; u++)
    move(u, p[u], r[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < SIZE; i++)
      printf("%02x", p[u][i]);
    for (int i = 0; i < 3; i++)
      printf(" %s %g %g %d", r[u][i].name, r[u][i].v[0], r[u][i].v[1], r[u][i].tail);
    for (int k = 0; k < OUT; k++)
      printf(" %lld", o[u][k]);
    printf("\n");
  }
  return 0;
}
