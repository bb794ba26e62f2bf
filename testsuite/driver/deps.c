// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dependency files: the same bytes under the same names as Clang's.
// RUN: rm -rf %t && mkdir -p %t/ours/out %t/clang/out
// RUN: cp %S/Inputs/axpy.c %t/ours && cp %S/Inputs/axpy.c %t/clang
// RUN: echo 'cd $1; shift; cc=$1; shift; $cc -MD -c axpy.c' > %t/go
// RUN: echo '$cc -MMD -c axpy.c -o out/x.o' >> %t/go
// RUN: echo '$cc -MD -MF named.d -c axpy.c' >> %t/go
// RUN: echo '$cc -MD -MF target.d -MT "a target" -c axpy.c' >> %t/go
// RUN: echo '$cc -MD -MP -MF quoted.d -MQ "a target" -c axpy.c' >> %t/go
// RUN: echo '$cc -MMD -MF assembly.d -S axpy.c' >> %t/go
// RUN: echo '$cc -MMD axpy.c -o out/program' >> %t/go
// RUN: echo '$cc -MMD -E axpy.c -o out/text.i' >> %t/go
// RUN: echo '$cc -MMD -c axpy.c -o out/no_extension' >> %t/go
// RUN: echo '$cc -Wp,-MMD,out/linux.d -c axpy.c -o out/linux.o' >> %t/go
// RUN: echo '$cc -MMD -MF syntax.d -fsyntax-only axpy.c' >> %t/go
// RUN: echo '$cc -M axpy.c -o only.d; $cc -MM axpy.c > only2.d' >> %t/go
// RUN: echo '$cc -MMD -x c -c - -o out/stdin.o < axpy.c' >> %t/go
// RUN: bash -e %t/go %t/ours %agglomcc
// RUN: bash -e %t/go %t/clang %clang
// RUN: cd %t/clang && find . -name '*.d' | sort > ../list
// RUN: grep -c . %t/list | FileCheck %s
// CHECK: 14
// RUN: cd %t && while read f; do cmp clang/$f ours/$f; done < list
// RUN: cd %t/ours && find . -name '*.d' | sort | cmp - ../list
