// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Xclang -verify %s

// The pragma on a declaration and again on the definition is fine.
#pragma agglom task inout(x[0:n])
void twice(int n, float *x);
#pragma agglom task inout(x[0:n])
void twice(int n, float *x) { x[0] = n; }

// A header that is included again repeats it word for word, before and after the definition.
#pragma agglom task inout(x[0:n]) name(again)
void often(int n, float *x);
#pragma agglom task inout(x[0:n])  name( again )
void often(int n, float *x);
#pragma agglom task inout(x[0:n]) name(again)
void often(int n, float *x) { x[0] = n; }
#pragma agglom task inout(x[0:n]) name(again)
void often(int n, float *x);

// Other words are another statement.
// expected-note@+1 {{the first is here}}
#pragma agglom task inout(x[0:n])
void other(int n, float *x);
// expected-error@+1 {{second '#pragma agglom task' for 'other'; a task has one}}
#pragma agglom task inout(x[0:n + 1])
void other(int n, float *x);

// expected-note@+1 {{the first is here}}
#pragma agglom task inout(x[0:n])
// expected-error@+1 {{second '#pragma agglom task' for 'both'; a task has one}}
#pragma agglom task inout(x[0:1])
void both(int n, float *x) { x[0] = n; }
