// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop directive belongs to a task that may run on a device.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

void host(int n, float *x) {
  // expected-error@+1 {{'#pragma agglom loop' stands in 'host', which is not a task; put '#pragma agglom task' before the function, or use '#pragma agglom for', which is for host code}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = 0;
}

#pragma agglom task inout(x[0:n]) device(cpu)
void on_cpu(int n, float *x) {
  // expected-error@+1 {{'#pragma agglom loop' stands in the device(cpu) task 'on_cpu', whose body runs on one core}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
