// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that are free in C: C++'s keywords, CUDA's types and variables, functions and macros of the C
// library, a tag and a type of one name.
// RUN: %compare %s %t -std=c11
// RUN: FileCheck %s < %t.report
// CHECK: new: 12 units in
#include <stdio.h>

typedef unsigned char bool;
typedef int int2;
enum { false, true, EOF_MARK = -1 };
struct class {
  int this, new;
  struct class *friend;
  double operator;
};
typedef struct class template;
typedef struct {
  float x, y, z, w;
} float4;
struct dim3 {
  int x;
};
/* A tag, a type and members of one name. */
typedef struct list_s {
  int list;
} *list;
struct list {
  short list;
  union {
    int virtual;
    unsigned char namespace[4];
  };
};
typedef int tone;
struct tones {
  tone tone;
  int pitch;
};
static const int private[4] = {3, 1, 4, 1};
static const double M_PI = 3, linux = .5, HUGE_VAL = 8;
static const struct dim3 gridDim = {7};

static int delete(int and, int or) { return and * 2 - or; }
static int max(int a, int b) { return a - b; } /* not the largest */
static double y0(double x) { return x + M_PI; }
static int index(const int *restrict p, bool not) { return not ? p[1] : p[0]; }
static float rsqrtf(float x) { return x * x; }
static unsigned __popc(unsigned x) { return x ^ 0x55u; }

#pragma agglom task inout(this[0 : n], protected[0 : 1]) in(export[0 : 1])
void new(int n, template *this, const float4 *export, struct list *protected, int unix) {
  int threadIdx = 3, blockDim = 5, try = unix;
  bool catch = true;
  list none = 0;
  struct list_s typename = {9};
  none = &typename;
  protected->virtual += none->list + private[try & 3];
  protected->namespace[3] |= 1;
  if (catch)
    goto throw;
  try = 100;
throw:
#pragma agglom loop
  for (int namespace = 0; namespace < n; ++namespace) {
    struct dim3 int4 = {namespace};
    struct tones tones = {.pitch = 2, .tone = threadIdx};
    int2 using = delete(namespace, blockDim) + max(try, int4.x);
    this[namespace].this += using;
    this[namespace].new += (int)y0(linux) + index(private, catch) + (int)__popc(6) + gridDim.x + tones.tone;
    this[namespace].operator += rsqrtf(export->w) + export->x * (float)HUGE_VAL;
    this[namespace].friend = 0;
  }
}

int main(void) {
  static struct class c[12][9];
  static float4 f[12];
  static struct list l[12];
  for (int u = 0; u < 12; u++) {
    f[u] = (float4){1 + u, 2, 3, u};
    new(9, c[u], &f[u], &l[u], u);
  }
#pragma agglom wait
  for (int u = 0; u < 12; u++)
    for (int i = 0; i < 9; i++)
      printf("%d %d %g %d %d\n", c[u][i].this, c[u][i].new, c[u][i].operator, l[u].virtual,
             l[u].namespace[0]);
  return 0;
}
