// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// The clauses of 'for' see the variables of the function and the loop's, and nothing else.
static int width = 3; // expected-note {{'width' is declared here}}
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
  double grid[n][width];
#pragma agglom for inout(grid[i][0:3]) // expected-error {{the loop under '#pragma agglom for' uses an array whose rows have the size 'width', a variable of the file, which may have changed since; keep the size in a const object, or in a variable of the function}}
  for (int i = 0; i < n; ++i)
    grid[i][0] = 0;
  int *later = p;
  later[0] = 1;
}
