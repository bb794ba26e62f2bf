// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma agglom task inout(x[0:n])
void unit(int n, double *x);
struct s {
  int n;
  double *p, a[4];
};
double f(struct s *s, double (*m)[4], int *at, double *x, int n) {
  unit(n, x);
#pragma agglom wait on(x[0:n], s->p[0:s->n], *s)
again:
#pragma agglom data resident(m[0:n][1:2]) resident(x[at[0:n]])
  {
    unit(n, x);
#pragma agglom update host(s->a, x[0:n:2]) device(m[1])
    if (n > 3)
      return x[0];
    switch (n) {
    case 1:
      goto again;
    default:
      break;
    }
  }
  return m[0][0];
}
