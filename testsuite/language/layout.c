// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sizeof, _Alignof, offsetof and pointer differences inside structures: the same numbers on both sides.
// RUN: %compare %s %t -w
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 5, OUT = 48 };
struct mixed {
  char a;
  double b;
  short c;
  struct {
    char d;
    int e[3];
  } in;
  union {
    char f[9];
    long g;
  };
  unsigned h : 3, i : 30;
  char last;
};
struct __attribute__((packed)) tight {
  char a;
  uint64_t b;
  short c;
};
struct __attribute__((aligned(32))) wide {
  char a;
};
struct empty_tail {
  int n;
  char data[];
};
typedef struct mixed row[3];
typedef int (*grid)[4];
struct holder {
  char c;
  struct wide w;
  _Alignas(16) char d;
  struct tight t[2];
};

#define PUT(x) o[n++] = (long)(x)
#pragma agglom task in(m[0:2], h[0:1]) out(o[0:OUT])
static void measure(int k, const struct mixed *m, const struct holder *h, long *o) {
  int n = 0;
  double local[7][3], *p = &local[k][1];
  PUT(sizeof(struct mixed)), PUT(sizeof(struct tight)), PUT(sizeof(struct wide)), PUT(sizeof(struct holder));
  PUT(sizeof(row)), PUT(sizeof(grid)), PUT(sizeof(struct empty_tail)), PUT(sizeof m->in), PUT(sizeof m->in.e / sizeof *m->in.e);
  PUT(_Alignof(struct mixed)), PUT(_Alignof(struct tight)), PUT(_Alignof(struct wide)), PUT(_Alignof(row));
  PUT(offsetof(struct mixed, b)), PUT(offsetof(struct mixed, c)), PUT(offsetof(struct mixed, in)), PUT(offsetof(struct mixed, in.e[1]));
  PUT(offsetof(struct mixed, g)), PUT(offsetof(struct mixed, last)), PUT(offsetof(struct holder, w)), PUT(offsetof(struct holder, d));
  PUT(offsetof(struct holder, t[1].b)), PUT(offsetof(struct empty_tail, data));
  PUT((const char *)&m->last - (const char *)m), PUT((const char *)(m + 1) - (const char *)m), PUT(&m[1] - m);
  PUT((const char *)&h->t[1].c - &h->c), PUT(&m->in.e[2] - m->in.e);
  PUT(sizeof local), PUT(sizeof local[0]), PUT(sizeof *local[0]), PUT(p - local[0]), PUT((char *)(p + 1) - (char *)&local[0][0]);
  PUT(sizeof(char)), PUT(sizeof(long)), PUT(sizeof(void *)), PUT(sizeof(size_t)), PUT(sizeof(ptrdiff_t)), PUT(sizeof 1ll);
  PUT(sizeof 'a'), PUT(sizeof "abc"), PUT(sizeof(1 ? (char)1 : (short)2)), PUT(sizeof(_Bool)), PUT(sizeof(wchar_t));
  PUT(sizeof(n++)), PUT(sizeof(float) + sizeof 1.f + sizeof(1.f + 1.));
}

int main(void) {
  static struct mixed m[UNITS][2];
  static struct holder h[UNITS];
  static long o[UNITS][OUT];
  for (int u = 0; u < UNITS; u++)
    measure(u, m[u], &h[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%ld%c", o[u][k], k == OUT - 1 ? '\n' : ' ');
  return 0;
}
