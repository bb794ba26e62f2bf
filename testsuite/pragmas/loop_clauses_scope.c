// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses of a loop see what is visible there, and the variables of the loops that they may collapse.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

#pragma agglom task inout(x[0:n])
void scope(int n, int *x) {
  // expected-error@+1 {{use of undeclared identifier 'nothing'}}
#pragma agglom loop private(nothing)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{use of undeclared identifier 'k'}}
#pragma agglom loop sort(k)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{use of undeclared identifier 'k'}}
#pragma agglom loop sort(k)
  for (int i = 0; i < n; i++) {
    int k = i;
    x[k] = 0;
  }
  // expected-error@+1 {{use of undeclared identifier 'j'}}
#pragma agglom loop sort(j)
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++)
      x[j] = 0;
  }
}
