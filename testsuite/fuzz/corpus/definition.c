// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct s { int n, a[4]; double *p; struct { float f, g; } in; union { int i; unsigned u; }; };
enum { K = 8 };
static const int table[K] = {1, 2, 3};
double global[16];
#pragma agglom task in(x[0:n], s[0:1]) inout(y[0:n]) out(m[0:n / 2]) cost(n * 2) priority(n - 3) max_units(K)
void task(int n, const double *x, float *y, struct s *s, struct s v, int (*m)[4], unsigned long long q, char c) {
  double sum = 0, top = x[0];
  int all = 1;
#pragma agglom loop reduction(+: sum) reduction(max: top) reduction(&&: all)
  for (int i = 0; i < n; ++i) {
    sum += x[i] * table[i % K] + v.a[1];
    top = x[i] > top ? x[i] : top;
    all = all && x[i] > s->n;
    y[i] = (float)x[i];
  }
  m[0][1] = (int)(q + c) + all;
  y[0] += (float)(sum + top);
}
void host(int n, double *x, float *y, struct s *s, int (*m)[4]) {
  task(n, x, y, s, *s, m, 1, 'a');
#pragma agglom wait
  y[0] = 1;
}
