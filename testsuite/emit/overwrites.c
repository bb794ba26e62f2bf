// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An out section that the body provably writes whole is not sent to the device;
// one that it may not is.
// RUN: %agglomcc -w --emit-c %s -o - | FileCheck %s

// CHECK: static const struct agglom_section whole__agglom_sections[] = {
// CHECK: AGGLOM_OUT | AGGLOM_OVERWRITES,
#pragma agglom task in(x[0:n]) out(y[0:n])
void whole(int n, const float *x, float *y) {
  float s = 2;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    float t = x[i] * s;
    y[i] = t;
  }
}
// CHECK: {"out(y[0:n])", {{[0-9]+}}, AGGLOM_OUT, {{.*}}struct conditional__agglom_args
#pragma agglom task in(x[0:n]) out(y[0:n])
void conditional(int n, const float *x, float *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      y[i] = x[i];
}
// CHECK: AGGLOM_OUT, {{.*}}struct skipped__agglom_args
#pragma agglom task in(x[0:n]) out(y[0:n])
void skipped(int n, const float *x, float *y) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    if (x[i] > 0)
      continue;
    y[i] = x[i];
  }
}
// CHECK: AGGLOM_OUT, {{.*}}struct left__agglom_args
#pragma agglom task out(y[0:n])
void left(int n, float *y) {
  if (n > 3)
    return;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] = i;
}
// CHECK: AGGLOM_OUT, {{.*}}struct shorter__agglom_args
#pragma agglom task out(y[0:n])
void shorter(int n, float *y) {
  n = n / 2;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    y[i] = i;
}
// CHECK: AGGLOM_OUT, {{.*}}struct partial__agglom_args
#pragma agglom task out(y[0:n])
void partial(int n, int m, float *y) {
#pragma agglom loop
  for (int i = 0; i < m; i++)
    y[i] = i;
}
