// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// The clauses of 'for' see the variables of the function and the loop's, and nothing else.
void f(int n, int *p) {
#pragma agglom for inout(p[k]) // expected-error {{use of undeclared identifier 'k'}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) private(t) // expected-error {{use of undeclared identifier 't'}}
  for (int i = 0; i < n; ++i) {
    int t = i;
    p[i] = t;
  }
#pragma agglom for inout(later[i]) // expected-error {{use of undeclared identifier 'later'}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
  int *later = p;
  later[0] = 1;
}
