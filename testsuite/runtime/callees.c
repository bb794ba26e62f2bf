// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that tasks call: static, inline, external, nested, with pointers to memory and to locals, with structs in
// and out, called before their definition, declared in a header's way.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: run: 36 units in
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
  int64_t a;
  float b;
  char tag[3];
};

static int later(int x, const int *p);
extern double outer(double x);
static inline __attribute__((always_inline)) uint32_t rotate(uint32_t v, unsigned by) {
  return v << (by & 31) | v >> (-by & 31);
}
static struct pair make(int a, float b) { return (struct pair){a * 3LL, b / 2, {1, 2, 3}}; }
static struct pair add(struct pair x, struct pair y) {
  x.a += y.a;
  x.b -= y.b;
  x.tag[1] = (char)(x.tag[1] + y.tag[2]);
  return x;
}
static void bump(int *p, int by) { *p += by; }
static void swap(int *p, int *q) {
  int t = *p;
  *p = *q, *q = t;
}
static const int *skip(const int *p, int n) { return p + n; }
static bool odd(int x) {
  if (x < 0)
    return later(-x, &x) & 1;
  return x & 1;
}
double outer(double x) { return x * 1.25 + rotate((uint32_t)x, 3); }

#pragma agglom task inout(x[0:n], y[0:n]) in(z[0:n])
void run(int n, int *x, struct pair *y, const int *z) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int local = i, other[2] = {x[i], 4};
    bump(&local, *skip(z, i) + later(i, z + i));
    bump(x + i, local);
    bump(&other[1], odd(x[i]));
    swap(&local, &other[1]);
    swap(&other[0], other + 1);
    y[i] = add(add(y[i], make(local, (float)i)), make(other[0], (float)other[1]));
    y[i].b += (float)outer(i);
    x[i] = (int)rotate((uint32_t)x[i], (unsigned)i) + make(i, 1).tag[i % 3];
  }
}
static int later(int x, const int *p) { return x * 7 + p[0]; }

int main(void) {
  static int x[36][29], z[29];
  static struct pair y[36][29];
  for (int i = 0; i < 29; i++)
    z[i] = i * i - 40;
  for (int u = 0; u < 36; u++)
    run(29, x[u], y[u], z);
#pragma agglom wait
  for (int u = 0; u < 36; u++)
    for (int i = 0; i < 29; i++)
      printf("%d %lld %a %d\n", x[u][i], (long long)y[u][i].a, (double)y[u][i].b, y[u][i].tag[1]);
  return 0;
}
