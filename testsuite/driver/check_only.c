// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fsyntax-only and Clang's verifier stop after checking.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -fsyntax-only %S/Inputs/axpy.c && not %agglomcc -fsyntax-only %S/Inputs/broken.c
// RUN: %agglomcc -Xclang -verify -c %s && %agglomcc -fsyntax-only -Xclang -verify=expected %s
// RUN: not %agglomcc -Xclang -verify -c %S/Inputs/broken.c 2>&1 | FileCheck %s
// RUN: ls | count 0
// CHECK: error: {{.*}}diagnostics seen but not expected
#pragma agglom task inout(y[0:n])
void twice(int n, float *y) {
  for (int i = 0; i < n; i++)
    y[i] = undeclared; // expected-error {{use of undeclared identifier 'undeclared'}}
}
