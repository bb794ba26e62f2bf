// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

#pragma agglom task
// expected-error@+1 {{'main' cannot be a task}}
int main(void) { return 0; }
