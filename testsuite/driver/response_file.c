// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// @file, nested and with quotes; and a command line longer than the system's limit.
// REQUIRES: long
// RUN: rm -rf %t && mkdir "%t" && cd %t && cp %S/Inputs/axpy.c "a name.c"
// RUN: echo '-O2 -DMAIN=main "a name.c"' > inner && echo '@inner -o "a program"' > outer
// RUN: %agglomcc @outer && "./a program" | FileCheck %s
// RUN: echo '-fagglom-runtime=static -fagglom-arch=sm_80' > ours && %agglomcc @ours @outer && "./a program" | FileCheck %s
// RUN: cp %S/Inputs/plain.c . && echo '-O2 -c plain.c' > plain && %agglomcc @plain -o 1.o && %clang @plain -o 2.o && cmp 1.o 2.o
// CHECK: axpy 1 7
//
// RUN: for i in $(seq 20000); do echo "-DNOT_A_MACRO_OF_ANY_PROGRAM_BUT_A_NAME_SO_LONG_THAT_TWENTY_THOUSAND_OF_THEM_ARE_MORE_THAN_THE_SYSTEM_CAN_TAKE_IN_ONE_LINE_$i=$i"; done > long
// RUN: %agglomcc @long "a name.c" -o long_program && ./long_program | FileCheck %s
