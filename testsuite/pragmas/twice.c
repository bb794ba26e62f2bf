// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be said once: a loop's directive, a variable's reduction; and a
// bound that a reduction changes.
// RUN: %agglomcc -fsyntax-only -Wno-deprecated-non-prototype -Xclang -verify %s

static double old(x) double x; { return x; }

#pragma agglom task inout(x[0:n])
void f(int n, int *x) {
  int s = 0;
#pragma agglom loop
  // expected-error@+1 {{second '#pragma agglom loop' for one loop; a loop has one}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'s' stands in two reductions of one loop}}
#pragma agglom loop reduction(+: s) reduction(*: s)
  for (int i = 0; i < n; i++)
    s += x[i];
#pragma agglom loop reduction(+: s)
  for (int i = 0; i < n - s; i++) // expected-error {{the loop's condition must compare its variable 'i' with a bound that does not change}}
    s += 1;
  x[0] = (int)old(s); // expected-error {{'old' is defined in the style of before 1989 and cannot become device code; declare its parameters in the parentheses}}
}
