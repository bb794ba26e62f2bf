// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that C++, CUDA or the kernels' own text might know: keywords of C++ as variables, members, labels, types and functions,
// names of CUDA's types and variables, of the library and of macros' parameters.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 7, N = 16 };
typedef struct {
  int class, private, template;
  double virtual;
} namespace;
struct new {
  int delete, this[3];
  struct new *operator;
};
union typename {
  int explicit;
  unsigned char mutable[4];
};
enum using { export = 3, friend, catch = 9 };
typedef struct float4 {
  float x, y, z, w, extra;
} float4;
typedef int dim3;
static const int constexpr[] = {2, 3, 5}, blockDim = 7;

static int try(int throw) { return throw * 2; }
static int and(int not, int or) { return not & or; }
static double decltype(const namespace *virtual) { return virtual->virtual * virtual->class; }
static int min(int a, int b) { return a < b ? a : b; }
static int threadIdx(int warpSize) { return warpSize + blockDim; }
static float4 make_float4(float public) { return (float4){public, .w = public * 2, .z = 3}; }

#pragma agglom task inout(new[0:n]) in(namespace[0:1]) out(protected[0:n])
static void bool_(int n, struct new *new, const namespace *namespace, double *protected) {
  int xor = 1, nullptr = 0, alignof_ = 2, char16_t = 5;
  dim3 gridDim = 4, blockIdx = n;
  {
    int class = xor, struct_ = 0;
    goto delete;
  delete:
    nullptr += class + struct_;
  }
#pragma agglom loop
  for (int typeid = 0; typeid < n; typeid++) {
    union typename dynamic_cast = {.explicit = new[typeid].delete * constexpr[typeid % 3]};
    enum using using = typeid & 1 ? friend : catch;
    float4 asm_ = make_float4((float)typeid), int4 = asm_;
    new[typeid].this[using % 3] = try(dynamic_cast.mutable[0]) + and(xor | typeid, 6) + using;
    new[typeid].delete += threadIdx(char16_t) + min(gridDim, blockIdx) + alignof_ + nullptr;
    protected[typeid] = decltype(namespace) + (double)(int4.z + int4.w) + namespace->private + namespace->template;
  }
}

int main(void) {
  static struct new array[UNITS][N];
  static double result[UNITS][N];
  static namespace ns[UNITS];
  for (int u = 0; u < UNITS; u++) {
    ns[u] = (namespace){u, u * 2, .virtual = .25 * u, .template = 9};
    for (int i = 0; i < N; i++)
      array[u][i].delete = i * u;
  }
  for (int u = 0; u < UNITS; u++)
    bool_(N, array[u], &ns[u], result[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d %d %d %d %g\n", array[u][i].delete, array[u][i].this[0], array[u][i].this[1], array[u][i].this[2], result[u][i]);
  return 0;
}
