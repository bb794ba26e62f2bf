// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether iterations write elements apart is looked at where the loop is reached, if their brackets move evenly, or as tiles do
// that stand in rows; and only where the boxes around what chunks write may overlap.
// RUN: %agglomcc -Wno-agglom-loop -Wno-agglom-sections --emit-c %s -o - | grep -o '__agglom_ratio, [0-9].*)' | FileCheck %s

void apart(int n, int m, int k, unsigned long w, const int *index, double *y, double (*a)[64], double (*b)[8][64]) {
// CHECK: __agglom_ratio, 0 + apart__for_{{[0-9]+}}_apart(&__agglom_e)) > 0)
#pragma agglom for out(a[8 * (t / m):8][8 * (t % m):8])
  for (int t = 0; t < n; ++t)
    for (int i = 0; i < 8; ++i)
      a[8 * (t / m)][8 * (t % m) + i] = i;
// CHECK-NEXT: __agglom_ratio, 0 + {{.*}}_apart(
#pragma agglom for out(b[t % (m + 1)][0:8][(w - 1 - t / (m + 1)) * w:w]) out(a[k][t:1])
  for (unsigned long t = 0; t < w; ++t) {
    b[t % (m + 1)][0][(w - 1 - t / (m + 1)) * w] = 1;
    a[k][t] = 1;
  }
// CHECK-NEXT: __agglom_ratio, 4 + {{.*}}_apart(
#pragma agglom for out(a[0:8][8 * i:8])
  for (int i = 0; i < n; ++i)
    a[0][8 * i] = i;
// Rows that move on are seen to be apart without.
// CHECK-NEXT: __agglom_ratio, 4) > 0)
#pragma agglom for out(a[i][0:8])
  for (int i = 0; i < n; ++i)
    a[i][0] = i;
// Two numbers that divide, one bracket with both, another step, an index from memory, a length that differs, and what may wrap.
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for out(a[t / m][t % k])
  for (int t = 0; t < n; ++t)
    a[t / m][t % k] = t;
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for out(a[0][t / m + t % m])
  for (int t = 0; t < n; ++t)
    a[0][t / m + t % m] = t;
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for out(a[t / m][t % m])
  for (int t = 0; t < n; t += 2)
    a[t / m][t % m] = t;
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for in(index[i]) out(y[index[i]])
  for (int i = 0; i < n; ++i)
    y[index[i]] = i;
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for out(a[t / m][t % m:t % 3])
  for (int t = 0; t < n; ++t)
    a[t / m][t % m] = t;
// CHECK-NEXT: __agglom_ratio, 0) > 0)
#pragma agglom for out(y[u * 2])
  for (unsigned u = 0; u < (unsigned)n; ++u)
    y[u * 2] = u;
// Chunks that are units have their order from the graph.
// CHECK-NEXT: __agglom_ratio, 1) > 0)
#pragma agglom for out(a[t / m][t % m]) nowait
  for (int t = 0; t < n; ++t)
    a[t / m][t % m] = t;
#pragma agglom wait
}
