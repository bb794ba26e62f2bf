// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Carets stand under the user's own text, also through macros, and a misspelt
// clause comes with a fix-it.
// RUN: not %agglomcc -fsyntax-only %s 2>&1 | FileCheck -strict-whitespace %s

#define SECTION(p) p[0:length]

// CHECK: caret.c:[[#@LINE+4]]:24: error: use of undeclared identifier 'length'
// CHECK-NEXT: #pragma agglom task in(SECTION(x))
// CHECK-NEXT: {{^      \|                        \^}}
// CHECK: caret.c:6:24: note: expanded from macro 'SECTION'
#pragma agglom task in(SECTION(x))
void f(int n, const float *x);

// CHECK: caret.c:[[#@LINE+4]]:21: error: unknown clause 'inot'
// CHECK-NEXT: #pragma agglom task inot(x[0:n])
// CHECK-NEXT: {{^      \|                     \^~~~}}
// CHECK-NEXT: {{^      \|                     inout}}
#pragma agglom task inot(x[0:n])
void g(int n, float *x);

// A word that begins a continued line.
// CHECK: caret.c:[[#@LINE+4]]:1: error: unknown clause 'oot'
// CHECK-NEXT: {{^ +[0-9]+ \|}} oot(x[0:n])
// CHECK-NEXT: {{^      \|}} ^~~
#pragma agglom task \
oot(x[0:n])
void h(int n, float *x);

// CHECK: caret.c:[[#@LINE+5]]:1: error: use of undeclared identifier 'm'
// CHECK-NEXT: {{^ +[0-9]+ \|}} m])
// CHECK-NEXT: {{^      \|}} ^
#pragma agglom task out(x[0: \
\
m])
void k(int n, float *x);
