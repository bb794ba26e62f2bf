// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
double global[16], *heap;
struct list { int n; double *p; } list;
void host(int n, double *x, const int *start) {
  double sum = 0;
#pragma agglom for in(x[i:2], start[i]) inout(global[0:n]) reduction(+: sum) schedule(dynamic, 4) nowait
  for (int i = 0; i < n; i++)
    sum += x[i];
#pragma agglom data resident(x[0:n], list.p[0:list.n], global)
  {
#pragma agglom update host(x[0:n / 2]) device(global[0:4])
    x[0] = sum;
  }
#pragma agglom wait on(x[0:n])
}
#pragma agglom declare
double outside(double x);
#pragma agglom declare
const int shared_table[4] = {1, 2, 3, 4};
#pragma agglom task inout(hits[0:8]) in(key[0:n]) accumulate(+: total[0:1])
void histogram(int n, const int *key, int *hits, double *total) {
#pragma agglom loop map(thread) sort(key[i])
  for (int i = 0; i < n; i++) {
#pragma agglom atomic
    hits[key[i] & 7]++;
    total[0] += outside(i);
  }
}
