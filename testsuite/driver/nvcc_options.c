// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// Options and pragmas that change results: nvcc gets them, or the command is refused.
// RUN: not %agglomcc -fwrapv -fagglom-device-compiler=nvcc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: not %agglomcc -fno-strict-overflow -fagglom-device-compiler=nvcc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: %agglomcc -### -fwrapv -fno-wrapv -fagglom-device-compiler=nvcc -c %s -o %t.o
// RUN: %agglomcc -fwrapv --emit-ptx %s -o %t.ptx
// WRAP: nvcc_options.c: '-fwrapv' says that signed integers wrap around, and nvcc takes for granted that none overflows; leave out -fagglom-device-compiler=nvcc
//
// RUN: %agglomcc -### -fagglom-device-compiler=nvcc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ON
// RUN: %agglomcc -### -DOFF -fagglom-device-compiler=nvcc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %agglomcc -### -DINSIDE -fagglom-device-compiler=nvcc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OFF
// ON: "-fmad=true"
// OFF: "-fmad=false"
#ifdef OFF
#pragma STDC FP_CONTRACT OFF
#endif
#pragma agglom task inout(x[0:n])
void square(double *x, int n) {
#ifdef INSIDE
#pragma clang fp contract(off)
#endif
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * x[i] + 3;
}
