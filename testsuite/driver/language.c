// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -x decides what an input is, as for Clang.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/axpy.c axpy.txt && cp %S/Inputs/plain.c . && cp %S/Inputs/calls_other.c .
// RUN: %agglomcc -c plain.c
// RUN: %agglomcc -DMAIN=other -x c axpy.txt -x none plain.o calls_other.c -o program && ./program | FileCheck %s
// RUN: %agglomcc -DMAIN=other -xc axpy.txt calls_other.c -x none plain.o -o program && ./program | FileCheck %s
// RUN: %agglomcc -DMAIN=other -x c axpy.txt plain.c calls_other.c -o program && ./program | FileCheck %s
// RUN: %agglomcc -E -DMAIN=other -x c axpy.txt -o axpy.i && %agglomcc axpy.i plain.c calls_other.c -o program && ./program | FileCheck %s
// CHECK: plain 3
// CHECK: axpy 1 7
