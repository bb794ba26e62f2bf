// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fagglom-report says what became of each task.
// RUN: %agglomcc -fagglom-report -c %S/Inputs/axpy.c -o %t.o 2>&1 | FileCheck %s
// CHECK: axpy.c:{{1[0-9]}}: task 'axpy': kernel, mapping block
