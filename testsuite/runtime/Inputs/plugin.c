/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library with a task of its own; NAME tells two of them apart. */
#pragma agglom task inout(x[0:n]) name(plugged)
static void plugged(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = x[i] * 2 + NUMBER;
}

void plugin_run(int units, int n, int *x);
void plugin_run(int units, int n, int *x) {
  for (int u = 0; u < units; u++)
    plugged(n, x + u * n);
}
