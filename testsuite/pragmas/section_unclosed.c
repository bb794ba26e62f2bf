// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

// expected-error@+1 {{expected ']' in the section 'x[0:n)'}}
#pragma agglom task in(x[0:n))
void f(int n, const float *x);
