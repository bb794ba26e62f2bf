// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers as structures of two floats or doubles, passed and returned by value; a radix-2 FFT with a table.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

typedef struct complex_number {
  double re, im;
} complex_number;
typedef struct {
  float re, im;
} small_complex;
enum { LOG = 5, N = 1 << LOG, UNITS = 9 };
// cos and sin of 2 pi k / 32
static const complex_number twiddle[N / 2] = {
    {1, 0},
    {0.98078528040323043, -0.19509032201612825},
    {0.92387953251128674, -0.38268343236508978},
    {0.83146961230254524, -0.55557023301960218},
    {0.70710678118654757, -0.70710678118654757},
    {0.55557023301960218, -0.83146961230254524},
    {0.38268343236508978, -0.92387953251128674},
    {0.19509032201612825, -0.98078528040323043},
    {0, -1},
    [9] = {-0.19509032201612825, -0.98078528040323043},
    [10] = {-0.38268343236508978, -0.92387953251128674},
    [11].re = -0.55557023301960218, [11].im = -0.83146961230254524,
    {-0.70710678118654757, -0.70710678118654757},
    {-0.83146961230254524, -0.55557023301960218},
    {-0.92387953251128674, -0.38268343236508978},
    {-0.98078528040323043, -0.19509032201612825}};

static complex_number times(complex_number a, complex_number b) {
  return (complex_number){.im = a.re * b.im + a.im * b.re, .re = a.re * b.re - a.im * b.im};
}
static complex_number plus(complex_number a, complex_number b) {
  a.re += b.re;
  a.im += b.im;
  return a;
}
static complex_number negative(const complex_number a) { return (complex_number){-a.re, -a.im}; }
static small_complex narrow(complex_number a) {
  small_complex s = {(float)a.re, (float)a.im};
  return s;
}

#pragma agglom task inout(x[0:N]) out(power[0:N])
static void transform(complex_number x[N], float *power) {
  complex_number y[N];
  for (unsigned i = 0; i < N; ++i) {
    unsigned r = 0;
    for (unsigned b = 0; b < LOG; ++b)
      r |= (i >> b & 1) << (LOG - 1 - b);
    y[r] = x[i];
  }
  for (int size = 2; size <= N; size *= 2)
    for (int start = 0; start < N; start += size)
      for (int k = 0; k < size / 2; ++k) {
        complex_number *a = &y[start + k], *b = a + size / 2, t = times(*b, twiddle[k * (N / size)]), s = *a;
        *a = plus(s, t);
        *b = plus(s, negative(t));
      }
  memcpy(x, y, sizeof y);
#pragma agglom loop
  for (int i = 0; i < N; i++) {
    small_complex s = narrow(times(x[i], (complex_number){.5}));
    power[i] = s.re * s.re + s.im * s.im;
  }
}

int main(void) {
  static complex_number x[UNITS][N];
  static float power[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (complex_number){(i * (u + 3) % 17) / 4.0, i == u ? -1 : 0};
  for (int u = 0; u < UNITS; u++)
    transform(x[u], power[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d %a %a %a\n", i, x[u][i].re, x[u][i].im, power[u][i]);
  return 0;
}
