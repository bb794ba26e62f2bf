/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks of the tests of OpenMP's threads. */
enum { N = 100, S = 64 };
#pragma agglom task in(x[0:S], y[0:S]) out(f[0:1])
static void pull(const int *x, const int *y, int *f) {
  int sum = 0;
  for (int i = 0; i < S; ++i)
    sum += x[i] ^ y[i];
  *f = sum;
}
#pragma agglom task inout(x[0:S]) in(f[0:1])
static void move(int *x, const int *f) {
  for (int i = 0; i < S; ++i)
    x[i] += *f;
}
#pragma agglom task inout(x[0:n])
static void change(int n, int *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 3;
}
#pragma agglom task in(x[0:S]) inout(sum[0:1])
static void add(const int *x, int *sum) {
  for (int i = 0; i < S; ++i)
    *sum += x[i];
}
#pragma agglom task in(x[0:S]) accumulate(+: sum[0:1])
static void accumulate(const int *x, int *sum) {
  for (int i = 0; i < S; ++i)
    sum[0] += x[i];
}
