// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compile shows the errors of clauses and of bodies.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: not %agglomcc -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK: 2 errors generated.

// expected-error@+1 {{unknown clause 'inn'}}
#pragma agglom task inn(x[0:n])
void f(int n, const float *x) { (void)(x + n); }
static int counter; // expected-note {{'counter' is declared here}}
#pragma agglom task inout(x[0:n])
void g(int n, float *x) {
  x[0] = counter + n; // expected-error {{'counter' is a variable outside the task}}
}
