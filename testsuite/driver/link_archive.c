// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The object of an annotated unit is an ordinary one.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc -O2 -fPIC -ffunction-sections -fdata-sections -DMAIN=other -c axpy.c plain.c calls_other.c
// RUN: ar rcs libparts.a axpy.o plain.o
// RUN: %agglomcc calls_other.o -L. -lparts -o archive && ./archive | FileCheck %s
// RUN: %agglomcc calls_other.o libparts.a -Wl,--gc-sections -o collected && ./collected | FileCheck %s
// RUN: %agglomcc -r axpy.o plain.o -o partial.o && %agglomcc calls_other.o partial.o -o relinked && ./relinked | FileCheck %s
// RUN: %agglomcc -shared axpy.o plain.o -o libparts.so && %agglomcc calls_other.o -L. -lparts -Wl,-rpath,'$ORIGIN' -o shared && ./shared | FileCheck %s
// RUN: %agglomcc -fagglom-runtime=shared calls_other.o axpy.o plain.o -o dynamic && ./dynamic | FileCheck %s
// CHECK: plain 3
// CHECK: axpy 1 7
//
// A static object names nothing but the runtime, libc and itself.
// RUN: nm -u axpy.o | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: agglom_register
// RUN: %agglomcc -O2 -flto -DMAIN=other -c axpy.c -o lto.o && %llvm_bin/llvm-nm lto.o | FileCheck %s --check-prefix=LTO
// LTO: T other
