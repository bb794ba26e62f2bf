// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -S and -emit-llvm of an annotated unit.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/axpy.c .
// RUN: %agglomcc -S -O2 axpy.c && FileCheck %s < axpy.s && %agglomcc axpy.s -o program && ./program | FileCheck %s --check-prefix=OUT
// RUN: %agglomcc -S axpy.c -o - | FileCheck %s
// RUN: %agglomcc -S -emit-llvm axpy.c && FileCheck %s --check-prefix=LLVM < axpy.ll
// RUN: %agglomcc -c -emit-llvm axpy.c && %agglomcc axpy.bc -o program && ./program | FileCheck %s --check-prefix=OUT
// RUN: (%agglomcc -S axpy.c -o - 2> log || true) | head -n 1 && count 0 < log
// CHECK: main:
// OUT: axpy 1 7
// LLVM: define{{.*}} @main
