// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct list { int n, k[4]; double *p; };
double table[16][4];
#pragma agglom task in(a[0:n:2], b[0:n][0:m], s->p[0:s->n], table, x[idx[0:k]]) out(c[0:n][0:m], r)
void forms(int n, int m, int k, const double *a, double (*b)[4], const struct list *s, const int *idx, const float *x,
           double c[n][m], double r[3]) {
  int t = 0, u[2] = {0};
#pragma agglom loop collapse(2) private(t, u)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j += 2) {
      t = i * j, u[1] = t;
      c[i][j] = b[i][j & 3] + a[0] + s->p[0] + table[1][2] + x[idx[0]] + t + u[1];
    }
  r[0] = k;
}
#pragma agglom task inout(v[0:n]) variant(cuda: fast)
void slow(int n, float *v) { v[0] = n; }
