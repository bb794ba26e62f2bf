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

// A label belongs before the pragma.
#pragma agglom task inout(x[0:n])
void labelled(int n, float *x) {
  // expected-error@+1 {{'#pragma agglom loop' must stand directly before its 'for', and a label stands between the two; put the pragma behind the label}}
#pragma agglom loop
again:
  for (int i = 0; i < n; i++)
    x[i] = 0;
  if (n < 0)
    goto again;
}

void cases(int n, float *x) {
  switch (n) {
    // expected-error@+1 {{'#pragma agglom for' must stand directly before its 'for', and a label stands between the two}}
#pragma agglom for out(x[i])
  case 3:
    for (int i = 0; i < n; i++)
      x[i] = 0;
    // expected-error@+1 {{'#pragma agglom for' must stand directly before its 'for', and a label stands between the two}}
#pragma agglom for out(x[i])
  default:
    for (int i = 0; i < n; i++)
      x[i] = 0;
  }
right:
#pragma agglom for out(x[i])
  for (int i = 0; i < n; i++)
    x[i] = 0;
  if (n < 0)
    goto right;
}
