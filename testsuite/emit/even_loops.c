// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last argument of agglom_for() has 4 in it where what an iteration writes lies as far behind what the one before it
// writes as everywhere in the loop.
// RUN: %agglomcc -Wno-agglom-loop --emit-c %s -o - | grep -o '__agglom_ratio, [0-9])' | FileCheck %s

void even(int n, int side, const int *index, double *y, long *z, double (*m)[8]) {
// CHECK: __agglom_ratio, 4)
#pragma agglom for out(y[i])
  for (int i = 0; i < n; ++i)
    y[i] = i;
// CHECK-NEXT: __agglom_ratio, 4)
#pragma agglom for out(y[(n - 1 - i) * side:side])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < side; ++k)
      y[(n - 1 - i) * side + k] = i;
// CHECK-NEXT: __agglom_ratio, 4)
#pragma agglom for out(m[i][0:8]) in(index[i]) in(z[index[i]])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 8; ++k)
      m[i][k] = (double)z[index[i]];
// What accumulates commutes; of what all write the runtime sees that it is the same.
// CHECK-NEXT: __agglom_ratio, 4)
#pragma agglom for in(index[i]) accumulate(+: z[index[i]]) inout(y[0])
  for (int i = 0; i < n; ++i) {
    z[index[i]] += 1;
    y[0] = i;
  }
// CHECK-NEXT: __agglom_ratio, 0)
#pragma agglom for in(index[i]) out(y[index[i]])
  for (int i = 0; i < n; ++i)
    y[index[i]] = i;
// CHECK-NEXT: __agglom_ratio, 0)
#pragma agglom for out(y[i / 2])
  for (int i = 0; i < n; ++i)
    y[i / 2] = i;
// CHECK-NEXT: __agglom_ratio, 0)
#pragma agglom for out(y[i * side:i])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k)
      y[i * side + k] = i;
// An unsigned index may go round.
// CHECK-NEXT: __agglom_ratio, 0)
#pragma agglom for out(y[u * 2])
  for (unsigned u = 0; u < (unsigned)n; ++u)
    y[u * 2] = u;
// CHECK-NEXT: __agglom_ratio, 5)
#pragma agglom for out(y[i]) nowait
  for (int i = 0; i < n; ++i)
    y[i] = i;
#pragma agglom wait
}
