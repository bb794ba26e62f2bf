// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options nobody knows are errors, with the likely one.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: not %agglomcc -fagglom-archs=sm_80 -c axpy.c 2>&1 | FileCheck %s --check-prefix=ARCHS
// RUN: not %agglomcc -fagglom-host-compile=gcc -c axpy.c 2>&1 | FileCheck %s --check-prefix=COMPILE
// RUN: not %agglomcc -fagglom-xyzzy -c axpy.c 2>&1 | FileCheck %s --check-prefix=XYZZY
// RUN: not %agglomcc -fagglom-runtime=some -c axpy.c 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not %agglomcc -fagglom-arch=sm80 -c axpy.c 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not %agglomcc -fagglom-arch= -c axpy.c 2>&1 | FileCheck %s --check-prefix=NOARCH
// RUN: not %agglomcc -fagglom-host-compiler=/no/such/cc -c axpy.c 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not %agglomcc --emit-c --emit-ptx axpy.c 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not %agglomcc -fno-such-thing-at-all -c axpy.c 2>&1 | FileCheck %s --check-prefix=CLANG
// RUN: not %agglomcc -fsyntax-onyl -c axpy.c 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not %agglomcc -c axpy.c -o 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %agglomcc -Wagglom-xyzzy -c plain.c 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: not ls axpy.o
// ARCHS: error: unknown option '-fagglom-archs=sm_80'; did you mean '-fagglom-arch='?
// COMPILE: error: unknown option '-fagglom-host-compile=gcc'; did you mean '-fagglom-host-compiler='?
// XYZZY: error: unknown option '-fagglom-xyzzy'; agglomcc --help lists those that exist
// VALUE: error: '-fagglom-runtime=some': the value must be 'static' or 'shared'
// ARCH: error: 'sm80' in '-fagglom-arch=sm80' is not a GPU architecture; write for example -fagglom-arch=sm_80,sm_90
// NOARCH: error: '' in '-fagglom-arch=' is not a GPU architecture
// HOST: error: the host compiler '/no/such/cc' does not exist
// EMIT: error: give only one of --emit-c, --emit-cuda and --emit-ptx
// CLANG: error: unknown argument: '-fno-such-thing-at-all'
// NEAR: error: unknown argument: '-fsyntax-onyl'
// MISSING: error: argument to '-o' is missing (expected 1 value)
// WARN: warning: unknown warning option '-Wagglom-xyzzy'
