// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call through a pointer would not be submitted: taking the address is said.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Xclang -verify %s

// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void f(int n, float *x) { x[0] = n; }

// expected-error@+1 {{the address of task 'f' is taken; a call through a pointer would not be submitted}}
void (*hook)(int, float *) = f;
