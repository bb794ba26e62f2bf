// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -save-temps keeps every stage under readable names, in the current folder or beside the output.
// RUN: rm -rf %t && mkdir -p %t/out && cd %t
// RUN: %agglomcc -save-temps -O2 -c %S/Inputs/axpy.c -o out/x.o && ls . out | FileCheck %s
// RUN: rm -rf axpy.* && %agglomcc -save-temps=obj -c %S/Inputs/axpy.c -o out/x.o
// RUN: ls . | FileCheck %s --check-prefix=NONE && ls out | FileCheck %s
// CHECK: axpy.agglom.c
// CHECK: axpy.agglom.cu
// CHECK: axpy.agglom.i
// CHECK: axpy.agglom.ptx
// NONE-NOT: axpy
//
// What was kept can be compiled again.
// RUN: %agglomcc -c -x cpp-output out/axpy.agglom.i -o again.o
// RUN: %clang -w -c -x cpp-output out/axpy.agglom.c -o again.o
// RUN: FileCheck %s --check-prefix=CUDA < out/axpy.agglom.cu
// RUN: FileCheck %s --check-prefix=PTX < out/axpy.agglom.ptx
// CUDA: #include <agglom/kernel.h>
// CUDA: AG_KERNEL
// PTX: .entry
//
// RUN: rm -rf out/* && %agglomcc -save-temps=obj %S/Inputs/axpy.c -o out/program && ls out | FileCheck %s --check-prefix=LINK
// LINK: axpy.agglom.c
// LINK: program
