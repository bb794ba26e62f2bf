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
// Includes are those of the folder, with each host compiler.
// RUN: printf '#pragma agglom task inout(x[0:1])\nstatic void f(int *x) { x[0] += 4; }\n' > task.h
// RUN: printf '#include "task.h"\nint main(void) { int x = 0; f(&x);\n#pragma agglom wait\nreturn x != 4; }\n' > main.c
// RUN: for h in %clang gcc; do for i in - /dev/stdin; do %agglomcc -Werror -fagglom-host-compiler=$h -x c $i -o main < main.c && ./main || exit 1; done; done
// CHECK: axpy 1 7
// TEXT: #pragma agglom task
// TYPE: error: -E or -x required when input is from standard input
