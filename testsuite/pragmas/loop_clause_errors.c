// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

#pragma agglom task inout(x[0:n])
void f(int n, float *x) {
  float s = 0;
  int k = 0;
  // expected-error@+1 {{unknown clause 'reducton' of '#pragma agglom loop'; did you mean 'reduction'?}}
#pragma agglom loop reducton(+: s)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{a reduction names an operator and variables, reduction(+: sum); the operator is one of + (for -=, too) * min max & | ^ && ||}}
#pragma agglom loop reduction(-: s)
  for (int i = 0; i < n; i++)
    s += x[i];
  // expected-error@+1 {{a reduction names an operator and variables}}
#pragma agglom loop reduction(s)
  for (int i = 0; i < n; i++)
    s += x[i];
  // expected-error@+1 {{clause 'reduction' is empty; write an operator and variables, +: sum}}
#pragma agglom loop reduction(+:)
  for (int i = 0; i < n; i++)
    s += x[i];
  // expected-error@+1 {{a reduction variable must be a local integer or floating-point variable; 'x' is not: for arrays and for what pointers lead to there is 'accumulate'}}
#pragma agglom loop reduction(+: x)
  for (int i = 0; i < n; i++)
    s += x[i];
  // expected-error@+1 {{reduction operator '&' needs an integer, and 's' is 'float'}}
#pragma agglom loop reduction(&: s)
  for (int i = 0; i < n; i++)
    k += i;
}
