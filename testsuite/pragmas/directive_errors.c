// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives that are unknown, not supported yet or in the wrong place.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

// expected-error@+1 {{expected a directive after '#pragma agglom': task, loop, wait}}
#pragma agglom

// expected-error@+1 {{unknown agglom directive 'taks'; did you mean 'task'?}}
#pragma agglom taks in(x[0:n])
void misspelt(int n, const float *x);

// expected-error@+1 {{unknown agglom directive 'parallelise'; it must be one of task, loop, wait}}
#pragma agglom parallelise
void unknown(int n, const float *x);

// expected-error@+1 {{unknown agglom directive '42'}}
#pragma agglom 42

// expected-error@+1 {{'#pragma agglom data' must stand directly before a block, { ... }, inside a function}}
#pragma agglom data resident(x[0:n])
// expected-error@+1 {{'#pragma agglom update' must stand inside a function}}
#pragma agglom update host(x[0:n])

// expected-error@+1 {{'#pragma agglom wait' must stand inside a function}}
#pragma agglom wait
// expected-error@+1 {{'#pragma agglom loop' must stand directly before a 'for' loop inside a function}}
#pragma agglom loop

// expected-error@+1 {{'#pragma agglom task' must stand directly before a function at file scope; there it makes a work unit of every call}}
#pragma agglom task
int object;

void host(int n) {
  // expected-error@+1 {{'#pragma agglom task' must stand directly before a function at file scope}}
#pragma agglom task
  int k = n;
  // expected-error@+1 {{'#pragma agglom loop' must stand directly before a 'for' loop}}
#pragma agglom loop
  k = 3;
}
