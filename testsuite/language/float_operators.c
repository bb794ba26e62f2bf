// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// + - * / and sqrt of float and double over zeros, denormals, infinities, NaN and ordinary numbers, with the results
// as bits. NaNs differ in sign and payload between machines: they are shown as one.
// RUN: %compare %s %t -w
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { V = 20 };
static const double values[V] = {0.0,           -0.0,     1.0,      -1.0,      0.1,     1.0 / 3,  0x1.fffffffffffffp+1023,
                                 DBL_MIN,       -DBL_MIN, 0x1p-1074, 0x1.8p-1050, INFINITY, -INFINITY, NAN,
                                 0x1.000001p+0, FLT_MAX,  FLT_MIN,  0x1p-149,  1e-40,   16777217.0};

static uint64_t bits(double v) {
  uint64_t b;
  memcpy(&b, &v, sizeof b);
  return v != v ? 0x7ff8000000000000u : b;
}
static uint32_t bits_of_float(float v) {
  uint32_t b;
  memcpy(&b, &v, sizeof b);
  return v != v ? 0x7fc00000u : b;
}

#pragma agglom task out(d[0:7 * V], f[0:7 * V])
static void operators(int k, uint64_t *d, uint32_t *f) {
  const double x = values[k];
  const float s = (float)x;
#pragma agglom loop
  for (int i = 0; i < V; i++) {
    double y = values[i], z = x;
    float t = (float)y, w = s;
    d[i] = bits(x + y), d[V + i] = bits(x - y), d[2 * V + i] = bits(x * y), d[3 * V + i] = bits(x / y);
    d[4 * V + i] = bits(sqrt(x * x + y * y));
    z += y, z *= 0.5, z -= 1e-3, z /= y;
    d[5 * V + i] = bits(-z);
    d[6 * V + i] = bits(x * y + x - y * 3);
    f[i] = bits_of_float(s + t), f[V + i] = bits_of_float(s - t), f[2 * V + i] = bits_of_float(s * t);
    f[3 * V + i] = bits_of_float(s / t), f[4 * V + i] = bits_of_float(sqrtf(t) - sqrtf(s));
    w += t, w *= .5f, w -= 1e-3f, w /= t;
    f[5 * V + i] = bits_of_float(+-w);
    f[6 * V + i] = bits_of_float((float)(s * (double)t) + s * t);
  }
}

int main(void) {
  static uint64_t d[V][7 * V];
  static uint32_t f[V][7 * V];
  for (int k = 0; k < V; k++)
    operators(k, d[k], f[k]);
#pragma agglom wait
  for (int k = 0; k < V; k++)
    for (int i = 0; i < 7 * V; i++)
      printf("%d %d %016llx %08x\n", k, i, (unsigned long long)d[k][i], f[k][i]);
  return 0;
}
