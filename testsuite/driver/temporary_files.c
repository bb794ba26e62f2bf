// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing is left behind, whether a command succeeds, fails or is ended by a signal.
// RUN: rm -rf %t && mkdir -p %t/tmp %t/work && cd %t/work && cp %S/Inputs/*.c .
// RUN: env TMPDIR=%t/tmp %agglomcc -DMAIN=other axpy.c plain.c calls_other.c -o program && ls %t/tmp | count 0
// RUN: not env TMPDIR=%t/tmp %agglomcc -DMAIN=other axpy.c plain.c -o none && ls %t/tmp | count 0
// RUN: not env TMPDIR=%t/tmp %agglomcc broken.c axpy.c && ls %t/tmp | count 0
// RUN: env TMPDIR=%t/tmp %agglomcc -### axpy.c -o none && ls %t/tmp | count 0
// RUN: env TMPDIR=%t/tmp %agglomcc -x c - -c -o x.o < axpy.c && ls %t/tmp | count 0
// RUN: ls | FileCheck %s
// CHECK: axpy.c
// CHECK-NOT: none
// CHECK: program
// CHECK: x.o
//
// RUN: not env TMPDIR=%t/no/such/folder %agglomcc -c axpy.c 2>&1 | FileCheck %s --check-prefix=TMP
// TMP: error: cannot create a temporary file: {{.*}}; set TMPDIR to a folder that can be written
//
// A host compiler that waits for ever is ended together with agglomcc.
// RUN: printf '#!/bin/sh\ncase "$*" in *cpp-output*|*-undef*) exec sleep 60;; esac\n' > slowcc && chmod +x slowcc
// RUN: env TMPDIR=%t/tmp timeout -s TERM 3 %agglomcc -fagglom-host-compiler=./slowcc axpy.c -o none || true
// RUN: ls %t/tmp | count 0
