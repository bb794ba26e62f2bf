// RUN: %agglomcc -fenable-matrix -fsyntax-only -ferror-limit=0 -Xclang -verify %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables and declarations of a function that a function made of its loop cannot have.
typedef float matrix __attribute__((matrix_type(4, 4)));
extern int known[8];

int externs(int n, int *p) {
  extern int table[8]; // expected-note {{'table' is declared here}}
  extern int known[8];
  int of_function(int); // expected-note {{'of_function' is declared here}}
#pragma agglom for device(cpu) inout(p[i]) // expected-error {{the loop under '#pragma agglom for' uses 'table', a static or extern variable of the function}}
  for (int i = 0; i < n; ++i)
    p[i] += table[i % 8];
#pragma agglom for device(cpu) inout(p[i]) // expected-error {{the loop under '#pragma agglom for' depends on 'of_function', whose type or declaration is local}}
  for (int i = 0; i < n; ++i)
    p[i] += of_function(i);
#pragma agglom for device(cpu) inout(p[i])
  for (int i = 0; i < n; ++i) {
    extern int inside[8];
    int within(int);
    p[i] += known[i % 8] + inside[0] + within(i);
  }
#pragma agglom wait
  return p[0];
}

void matrices(int n, float *y, matrix m) { // expected-note {{'m' is declared here}}
#pragma agglom for out(y[i]) // expected-error {{the loop under '#pragma agglom for' uses 'm', a variable of a matrix type, which chunks of the loop cannot be given; put the elements into an array}}
  for (int i = 0; i < n; ++i)
    y[i] = m[0][0];
#pragma agglom wait
}

#pragma agglom task out(y[0:1])
void element(float *y, matrix m) { // expected-error {{'matrix' (aka 'float __attribute__((matrix_type(4, 4)))') cannot become device code}}
  y[0] = m[1][2];
}
