// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Annotated and other inputs, objects and archives in one command.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: cp %S/Inputs/*.c .
// RUN: %agglomcc -DMAIN=other axpy.c plain.c calls_other.c -o program -lm && ./program | FileCheck %s
// CHECK: plain 3
// CHECK: axpy 1 7
//
// Without -o each gets its object; that of the unit that is not annotated is the host compiler's.
// RUN: %agglomcc -DMAIN=other -c axpy.c plain.c calls_other.c
// RUN: %clang -c plain.c -o reference.o && cmp plain.o reference.o
// RUN: %agglomcc axpy.o plain.o calls_other.o -o linked && ./linked | FileCheck %s
// RUN: %agglomcc -DMAIN=other axpy.c plain.o calls_other.c -o mixed && ./mixed | FileCheck %s
//
// One output for several results is refused before anything is done.
// RUN: rm *.o && not %agglomcc -c axpy.c plain.c -o both.o 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not ls both.o axpy.o plain.o
// BOTH: error: cannot specify -o when generating multiple output files
//
// One bad unit does not hide the others' results, and nothing is linked.
// RUN: not %agglomcc -DMAIN=other -c broken.c axpy.c 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: ls axpy.o && not ls broken.o
// RUN: rm -f program && not %agglomcc -DMAIN=other axpy.c plain.c broken.c calls_other.c -o program
// RUN: not ls program
// BAD: broken.c:6:{{[0-9]+}}: error: use of undeclared identifier 'undeclared'
//
// -E keeps the order of the inputs on standard output.
// RUN: %agglomcc -E plain.c axpy.c calls_other.c | FileCheck %s --check-prefix=ORDER
// ORDER: int plain(const char *s) {
// ORDER: #pragma agglom task
// ORDER: int other(void);
