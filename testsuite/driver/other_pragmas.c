// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pragmas whose names only begin like ours are not ours.
// RUN: %agglomcc -w -c %s -o %t.o
// RUN: %agglomcc -w -E %s | FileCheck %s
#pragma agglom task inout(x[0:n])
void f(int n, float *x) { x[0] = n; }
#pragma agglom2 task
#pragma agglom$ wait
#pragma agglom\u00e9 loop
#pragma agglomé loop
#pragma agglom_ wait
void g(float *x) { f(1, x); }
// CHECK: #pragma agglom task inout(x[0:n])
// CHECK: #pragma agglom2 task
// CHECK: #pragma agglom$ wait
// CHECK: #pragma agglom{{.+}} loop
// CHECK: #pragma agglom{{.+}} loop
// CHECK: #pragma agglom_ wait
