// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop's own types and enumerators may have the names of others of the function.
// RUN: %agglomcc -fsyntax-only -Xclang -verify -DBAD %s
// RUN: %agglomcc -O1 %s -o %t && %run-emulated %t
void own(int n, const double *s, double *y) {
  typedef int T;
  struct pair { int a; };
  enum { Two = 3 };
  T k = Two;
  struct pair p = {k};
#pragma agglom for in(s[i]) out(y[i])
  for (int i = 0; i < n; ++i) {
    typedef double T;
    struct pair { double first, second; };
    enum { Two = 2 };
    T v = s[i];
    struct pair both = {v, Two};
    y[i] = both.first * both.second;
  }
  (void)p;
}
#ifdef BAD
void other(int n, const double *s, double *y) {
  typedef int T; // expected-note {{'T' is declared here}}
#pragma agglom for in(s[i]) out(y[i]) // expected-error {{depends on 'T', whose type or declaration is local to the function}}
  for (int i = 0; i < n; ++i) {
    T w = (T)s[i];
    typedef double T;
    T v = w;
    y[i] = v;
  }
}
#endif
int main(void) {
  double s[3] = {1, 2.5, 3}, y[3];
  own(3, s, y);
  return !(y[0] == 2 && y[1] == 5 && y[2] == 6);
}
