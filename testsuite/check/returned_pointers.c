// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the C library that return a pointer got it as their first argument; any other may have got it as another
// one, whatever its name begins with.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#include <string.h>

#pragma agglom declare
double *memory_of(double *a, double *b);
#pragma agglom declare
double *strided(double *a, double *b);

#pragma agglom task in(x[0:n]) inout(h[0:n]) // expected-note {{the task is declared here}}
void by_memory(int n, double *x, double *h) {
  memory_of(h, x)[n - 1] = 1; // expected-error {{task 'by_memory' writes through 'x', which it only declares as 'in'}}
}
#pragma agglom task in(x[0:n]) inout(h[0:n]) // expected-note {{the task is declared here}}
void by_stride(int n, double *x, double *h) {
  double *p = strided(h, x);
  p[n - 1] = 1; // expected-error {{task 'by_stride' writes through 'x', which it only declares as 'in'}}
}
#pragma agglom task in(x[0:n]) inout(h[0:32])
void by_library(int n, const char *x, char *h) {
  strcpy(h, x)[n - 1] = '!';
  strncpy(h + 8, x, 4)[1] = '?';
  char *e = memcpy(h + 16, x, (size_t)n);
  e[0] = '.';
  strncat(h, x, 2)[0] = ':';
  *strstr(h, x) = ',';
}
