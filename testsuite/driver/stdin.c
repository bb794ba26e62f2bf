// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// '-' is read once and belongs to whoever compiles it.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -x c - -o annotated < %S/Inputs/axpy.c && ./annotated | FileCheck %s
// RUN: %agglomcc -O2 -x c -c - -o ours.o < %S/Inputs/plain.c
// RUN: %clang -O2 -x c -c - -o clang.o < %S/Inputs/plain.c
// RUN: cmp ours.o clang.o
// RUN: %agglomcc -E - < %S/Inputs/axpy.c | FileCheck %s --check-prefix=TEXT
// RUN: %agglomcc -x c -c - < %S/Inputs/axpy.c && test -f ./-.o
// RUN: not %agglomcc - < %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: echo 'struct S { int f() { return 1; } };' | %agglomcc -x c++ -fsyntax-only -
// CHECK: axpy 1 7
// TEXT: #pragma agglom task
// TYPE: error: -E or -x required when input is from standard input
