// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behind '--' everything is an input, whatever it looks like.
// REQUIRES: long
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/axpy.c ./-Daxpy.c && cp %S/Inputs/plain.c . && cp %S/Inputs/axpy.c .
// RUN: %agglomcc -O1 -o program -- axpy.c plain.c && ./program | FileCheck %s
// RUN: %agglomcc -O1 -o strange -- -Daxpy.c && ./strange | FileCheck %s
// RUN: %agglomcc -O1 -c -o strange.o -- -Daxpy.c && nm -u strange.o | grep agglom_register
// RUN: %agglomcc -O1 -c -- plain.c && %clang -O1 -c -o reference.o -- plain.c && cmp plain.o reference.o
// RUN: %agglomcc -DMAIN=other -c axpy.c && cp %S/Inputs/calls_other.c . && %agglomcc -o objects -- axpy.o plain.o calls_other.c && ./objects | FileCheck %s
// RUN: cp axpy.c axpy.txt && %agglomcc -o language -x c -- axpy.txt plain.c && ./language | FileCheck %s
// CHECK: axpy 1 7
