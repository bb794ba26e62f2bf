// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop hints for compilers beside the pragma stand in nobody's way.
// RUN: %compare %s %t -Wno-unknown-pragmas
// RUN: FileCheck %s < %t.report
// CHECK: hinted: 20 units in
// RUN: %agglomcc -fsyntax-only -fopenmp -Wno-unknown-pragmas -Wno-agglom-mapping -Wno-agglom-loop -Xclang -verify -DREFUSED %s
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void hinted(int n, int *x) {
#pragma agglom loop
#pragma clang loop unroll(full) vectorize(enable)
  for (int i = 0; i < n; i++)
    x[i] += 1;
#pragma agglom loop
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; i++)
    x[i] *= 2;
#pragma agglom loop
#pragma GCC ivdep
  for (int i = 0; i < n; i++)
    x[i] += 3;
#pragma GCC ivdep

#pragma agglom loop
#pragma unroll 4

  for (int i = 0; i < n; i++) {
#pragma agglom loop
#pragma unroll
    for (int k = 0; k < 3; k++)
      x[i] += k;
  }
#ifdef REFUSED
#pragma clang loop unroll(disable)
#pragma agglom loop // expected-error {{'#pragma agglom loop' must stand before the other pragmas of its 'for'; exchange the two}}
  for (int i = 0; i < n; i++)
    x[i] += 3;
#pragma agglom loop
#pragma omp parallel for // expected-error {{between '#pragma agglom loop' and its 'for' only loop hints may stand; put this pragma elsewhere}}
  for (int i = 0; i < n; i++)
    x[i] += 3;
#endif
}

int main(void) {
  static int x[20][50];
  for (int u = 0; u < 20; u++)
    hinted(u * 2, x[u]);
#pragma agglom wait
  for (int u = 0; u < 20; u++)
    for (int i = 0; i < 50; i++)
      printf("%d%c", x[u][i], i == 49 ? '\n' : ' ');
  return 0;
}
