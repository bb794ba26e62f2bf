// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compound literals: of scalars, arrays, structures and unions; modified; their addresses passed and kept; in loops, where
// each time gives a new object; as arguments of tasks' helpers.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 8, N = 20 };
struct pair {
  int a, b;
};
struct nest {
  struct pair p[2];
  const char tag[4];
};
typedef int triple[3];

static int total(const int *p, int n) {
  int s = 0;
  while (n-- > 0)
    s = s * 7 + *p++;
  return s;
}
static int bump(struct pair *p, int *extra) { return ++p->a + p->b-- + (*extra)++; }
static struct pair both(struct pair p, struct pair q) { return (struct pair){p.a + q.b, p.b - q.a}; }
static int letters(const char *s) {
  int n = 0;
  for (; *s; s++)
    n = n * 31 + *s;
  return n;
}

#pragma agglom task inout(x[0:n])
static void literals(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int *p = (int[]){i, i + 1, i * i, [4] = 5}, *q = &(int){x[i]}, *r = (triple){[1] = i};
    struct pair *s = &(struct pair){.b = x[i]};
    int v = 0;
    for (int k = 0; k < 3; k++) {
      int *fresh = (int[2]){k};
      v += fresh[0]++ + ++fresh[1] + *fresh;
      s->a += (struct pair){k, k + 1}.b;
    }
    p[3] = ++*q, r[2] = *q + r[1];
    v = v * 3 + total(p, 5) + total((int[]){1, 2, i}, 3) + total(r, (int)(sizeof(triple) / sizeof(int)));
    v += bump(&(struct pair){i, v}, &(int){4}) + bump(s, q);
    v ^= both((struct pair){1, v}, *s).a + both(*s, (struct pair){.a = i}).b;
    v += letters((char[]){"text"}) + letters((const char[]){'a', (char)('b' + i % 20), 0}) + letters("plain" + i % 5);
    struct nest t = (struct nest){.p[1] = {i, 2}, .tag = "xyz"}, *w = i & 1 ? &t : &(struct nest){{{v, 3}}, "a"};
    v += w->p[0].a + w->p[1].a * w->p[i & 1].b + w->tag[i % 4];
    v += ((union { int i; unsigned char b[4]; }){.i = v}).b[1] + *(short[]){(short)v} + (double){i} / (float){2};
    x[i] = v + (_Bool){v} + sizeof((char[]){"seven!"}) + (int){(char){65}};
  }
}

int main(void) {
  static int x[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = u * 11 - i;
  for (int u = 0; u < UNITS; u++)
    literals(N, x[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d%c", x[u][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
