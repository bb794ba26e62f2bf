// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 'wait on', 'data' and 'update': sections of host code, over whatever is visible there. What is accepted compiles
// with both host compilers, in every dialect, and what a clause names is used.
// RUN: %agglomcc -fsyntax-only -Wall -Wextra -Werror -Xclang -verify %s
// RUN: %agglomcc -Werror -c %s -o %t.o
// RUN: %agglomcc -Werror -std=c11 -pedantic-errors -c %s -o %t.o
// RUN: %agglomcc -Werror -std=c99 -fagglom-host-compiler=%cc -c %s -o %t.o
// expected-no-diagnostics

#pragma agglom task inout(x[0:n])
void unit(int n, double *x);

struct vector {
  int n;
  double *p, inside[4];
};
struct pair {
  struct vector *v[2];
};
static double table[3][4];
extern int outside[];

void forms(int n, int m, double *x, const double *c, volatile int *v, double (*rows)[5], double var[n][m],
           struct vector *s, struct pair *pair, const long *at, void *any) {
#pragma agglom wait on(x[0:n])
#pragma agglom wait on(x[:n], c[n > 4 ? 1 : 0 : n > 4 ? n - 1 : n]), on(*x, x[3]) on(v[0:2])
#pragma agglom wait on(x[0:n:2], rows[0:n][1:2], rows[0:n][1:2:2], rows[1], var[0:n][0:m], var[n - 1])
#pragma agglom wait on(x[at[0:n]], table, table[1], table[0:2][1:3], outside[0:4], (any ? c : x)[1])
#pragma agglom wait on(s->p[0:s->n], *s, s->n, s->inside[1:2], pair->v[1]->p[0:2], (*s).n, ((float *)any)[0:2])
#pragma agglom update host(x[0:n]) device(c[0:n], x[1]) host(s->n)
#pragma agglom update device(table)
#pragma agglom data resident(x[0:n], *s) resident(s->p[0:s->n])
  { unit(n, x); }
  if (n)
#pragma agglom data resident(x[0:n])
  {
    unit(n, x);
  }
#pragma agglom data resident(c[0:n])
#pragma agglom data resident(x[0:n])
  {
  }
}

// Names of blocks: the innermost counts, and a variable that only a clause uses is used.
void scopes(double *x, int k) {
  typedef double row[4];
  enum { WIDTH = 3 };
  struct local {
    int n, numbers[WIDTH];
  } l = {1, {0}};
  int count = 4, only_set;
  static int kept[2];
  only_set = 2;
  float variable[k];
#pragma agglom wait on(x[0:count], ((row *)x)[0:WIDTH], x[0:sizeof(struct local)], l, l.numbers[0:l.n], kept)
#pragma agglom wait on(x[0:only_set], variable, variable[1:k - 1])
  {
    int count[3], k[2];
    struct local {
      char c;
    } x = {0};
#pragma agglom wait on(count, count[0:2], k[0:1], x.c)
  }
  for (int i = 0; i < k; ++i) {
#pragma agglom data resident(x[i:1])
    { unit(1, x + i); }
  }
}

// In C a function in a header.
static inline void from_header(double *x) {
#pragma agglom wait on(x[0:1])
#pragma agglom data resident(x[0:1])
  { unit(1, x); }
}
inline void exported(double *x) {
#pragma agglom wait on(x[0:1])
}

void places(int n, double *x) {
  goto here;
here:
#pragma agglom wait on(x[0:n])
  switch (n) {
  case 1:
#pragma agglom update host(x[0:n])
    break;
  default:
#pragma agglom data resident(x[0:n])
  {
  inside:
    switch (n) {
    case 2:
      goto inside;
    case 3:
      goto here;
    default:
      break;
    }
  }
  }
  _Pragma("agglom wait on(x[0:1])") _Pragma("agglom data resident(x[0:1])") { from_header(x); }
}

// The body of a device(cpu) task is host code.
#pragma agglom task device(cpu) inout(x[0:n])
void on_cpu(int n, double *x) {
#pragma agglom data resident(x[0:n])
  {
    unit(n, x);
#pragma agglom update host(x[0:n])
    x[0] += n;
#pragma agglom update device(x[0])
    unit(n, x);
  }
#pragma agglom wait on(x[0:n])
  x[0]++;
}
