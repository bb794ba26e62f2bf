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

// So does that of an update, and the same holds for _Pragma, in a macro and with the label in one.
#define FOR _Pragma("agglom for out(x[i])")
#define FOR_AND_LABEL _Pragma("agglom for out(x[i])") here:
#define LABEL there:
int others(int n, float *x, int s) {
  // expected-error@+1 {{'#pragma agglom atomic' must stand directly before its update, and a label stands between the two; put the pragma behind the label}}
#pragma agglom atomic
again:
  s++;
  // expected-error@+1 {{'#pragma agglom atomic' must stand directly before its update, and a label stands between the two}}
  _Pragma("agglom atomic") then:
  s++;
  // expected-error@+1 {{'#pragma agglom for' must stand directly before its 'for', and a label stands between the two}}
  FOR
once:
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'#pragma agglom for' must stand directly before its 'for', and a label stands between the two}}
  FOR_AND_LABEL
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'#pragma agglom for' must stand directly before its 'for', and a label stands between the two}}
  FOR LABEL
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // Its own label comes first.
right:
#pragma agglom atomic
  s++;
  if (s < n)
    goto again;
  if (s < 2 * n)
    goto once;
  if (s < 3 * n)
    goto here;
  if (s < 4 * n)
    goto there;
  if (s < 5 * n)
    goto right;
  goto then;
}
