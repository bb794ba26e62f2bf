// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One name for several things: tags, members, labels, variables in inner blocks, parameters of prototypes, enumerators, macros
// like functions, a type and a variable; file-scope names hidden by locals.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 8, N = 18 };
struct x {
  int x;
  struct y {
    int x, y;
  } y;
};
typedef struct x x;
union z {
  int z;
  char x[4];
};
static const int a = 1000, table[3] = {10, 20, 30};
static int f(int f) { return f + a; }
static int g(int a) {
  struct a {
    int a;
  } b = {a * 2};
  {
    int a = b.a + 1;
    struct a c = {a}; // the tag of the block around
    {
      struct a {
        int b;
      } a = {c.a + 5};
      return a.b;
    }
  }
}
static int scope(int n) {
  int r = n, i = 5;
  for (int i = 0; i < 2; i++) {
    int n = i + 1;
    r += n;
    for (int n = 0, i = 10; n < 2; n++)
      r += i + n;
  }
  typedef long r_type;
  r_type table = r;
  {
    typedef short r_type;
    r_type narrow = (r_type)70000;
    table += narrow;
  }
  enum { a = 3, b };
  {
    enum { b = a + 10 };
    table += b;
  }
  goto a;
a:
  return (int)table + i * a + b;
}
#define twice(v) ((v) * 2)
static int(twice)(int v) { return v * 3; }
#define N_OF(a) ((int)(sizeof(a) / sizeof *(a)))

#pragma agglom task inout(x[0:n]) in(y[0:n])
static void all(int n, x *x, const struct y *y) {
  int x_ = sizeof *x == sizeof(struct x), f_ = f(n);
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct x *const y_ = x + i;
    const struct y y = {.y = i, .x = N_OF(table)};
    int table[2] = {y.x, y.y}, a = table[1];
    union z z = {.z = a};
    z.x[1] += (char)N_OF(table);
    y_->y = y, y_->x = g(i) + scope(i) + twice(i) + (twice)(i) + z.z;
    {
      int i = y_->x;
      x: y_->x = i + x_ * 7 + f_;
      if (0)
        goto x;
    }
    y_->y.x += a;
  }
  if (n > 2)
    x[0].x += y[2].x + table[1];
}

int main(void) {
  static struct x v[UNITS][N];
  static struct y w[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      w[u][i].x = i * u;
  for (int u = 0; u < UNITS; u++)
    all(N - u, v[u], w[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d %d %d\n", v[u][i].x, v[u][i].y.x, v[u][i].y.y);
  return 0;
}
