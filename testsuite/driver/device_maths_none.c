// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No maths for the device: said when compiling, with what to install; a unit that needs none compiles.
// RUN: not env AGGLOMCC_CUDA_PATH=none AGGLOMCC_LIBCLC=none %agglomcc -c %S/Inputs/maths.c -o %t.o 2>&1 | FileCheck %s
// RUN: env AGGLOMCC_CUDA_PATH=none AGGLOMCC_LIBCLC=none %agglomcc -c %S/Inputs/axpy.c -o %t.o
// CHECK: maths.c: a task uses <math.h>, and no maths library for the device was found; install libclc-{{[0-9]+}}
