// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A command that fails leaves no output of the step that failed, as with Clang, and says which one that was.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: touch x.o broken.s && not %agglomcc -c broken.c -o x.o 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: not ls x.o
// RUN: not %agglomcc -S broken.c 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: not ls broken.s
// CHECK-C: broken.c:6:19: error: use of undeclared identifier 'undeclared'
// CHECK-C-NOT: error:
//
// Generated text is an output, too.
// RUN: touch x.c && not %agglomcc --emit-c broken.c -o x.c 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: not ls x.c
// RUN: touch x.ptx && not %agglomcc --emit-ptx broken.c -o x.ptx 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: not ls x.ptx
// RUN: (cat axpy.c && echo '#error no') > no.c && touch no.i && not %agglomcc -E no.c -o no.i 2>&1 | FileCheck %s --check-prefix=NO
// RUN: not ls no.i
// NO: no.c:{{[0-9]+}}:2: error: no
//
// Nothing was linked, so the program of before is there.
// RUN: echo before > program && echo before > a.out
// RUN: not %agglomcc broken.c -o program 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: not %agglomcc axpy.c broken.c 2>&1 | FileCheck %s --check-prefix=CHECK-C
// RUN: grep before program && grep before a.out
// RUN: not %clang broken.c -o program && grep before program
//
// The link's failure is the linker's message and status.
// RUN: not %agglomcc -DMAIN=other axpy.c -o program 2>&1 | FileCheck %s --check-prefix=LINK
// RUN: not ls program
// LINK: main
//
// Compilers that crash or cannot be run.
// RUN: printf '#!/bin/sh\nkill -SEGV $$\n' > crash && chmod +x crash && printf 'not a program' > bad && chmod +x bad
// RUN: not %agglomcc -fagglom-host-compiler=./crash -c axpy.c 2>&1 | FileCheck %s --check-prefix=CRASH
// RUN: not %agglomcc -fagglom-host-compiler=./bad -c plain.c 2>&1 | FileCheck %s --check-prefix=BADCC
// CRASH: error: '{{.*}}crash' was ended by a signal
// BADCC: error: cannot run '{{.*}}bad'
//
// RUN: not %agglomcc -c axpy.c -o no/such/folder/x.o 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: no/such/folder/x.o
//
// The status of the host compiler is agglomcc's.
// RUN: printf '#!/bin/sh\nexit 42\n' > forty_two && chmod +x forty_two
// RUN: %agglomcc -fagglom-host-compiler=./forty_two -c plain.c; test $? -eq 42
// RUN: %agglomcc -fagglom-host-compiler=./forty_two -c axpy.c; test $? -eq 42
//
// An output that is no file is not removed.
// RUN: not %agglomcc -c broken.c -o /dev/null && test -e /dev/null
// RUN: %agglomcc -c axpy.c -o /dev/null && test -c /dev/null
