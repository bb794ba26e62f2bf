// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fno-agglom: the serial program, by the host compiler.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -fno-agglom -O2 -c %S/Inputs/axpy.c -o ours.o && %clang -O2 -c %S/Inputs/axpy.c -o clang.o && cmp ours.o clang.o
// RUN: %agglomcc -fno-agglom %S/Inputs/axpy.c -o program && ./program | FileCheck %s
// RUN: %agglomcc -fno-agglom -fagglom %S/Inputs/axpy.c -c -o again.o && nm -u again.o | FileCheck %s --check-prefix=AGAIN
// CHECK: axpy 1 7
// AGAIN: agglom_register
