// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma agglom task inout(x[0:n]) device(gpu) independent
void f(int n, double x[]);
#pragma agglom task in(a[:k + 1]) inout(*b) name(other)
static void g(short k, const int a[restrict], long *b);
#pragma agglom task inout(x[0:n]) device(any)
void f(int n, double x[]) { x[n - 1] = n; }
static void g(short k, const int a[restrict], long *b) { *b += a[k]; }
void host(double *x, int *a, long *b) {
  for (int i = 0; i < 4; i++)
    f(i, x + i);
  g(3, a, b);
#pragma agglom wait
}
