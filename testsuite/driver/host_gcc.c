// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gcc compiles the generated host code as well; its own options reach it.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc -fagglom-host-compiler=gcc -O2 -g -fno-tree-slsr -DMAIN=other axpy.c plain.c calls_other.c -o program && ./program | FileCheck %s
// RUN: %agglomcc -fagglom-host-compiler=gcc -O2 -fno-ipa-cp -c plain.c -o ours.o && gcc -O2 -fno-ipa-cp -c plain.c -o gcc.o && cmp ours.o gcc.o
// CHECK: plain 3
// CHECK: axpy 1 7
