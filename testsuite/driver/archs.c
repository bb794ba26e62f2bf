// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas
// Machine code for the architectures asked for, PTX always; one that ptxas does not know is left to PTX.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -save-temps -c %S/Inputs/axpy.c && ls | FileCheck %s
// CHECK: axpy.agglom.ptx
// CHECK: axpy.agglom.sm_80.cubin
// CHECK: axpy.agglom.sm_90.cubin
// RUN: rm * && %agglomcc -v -save-temps -fagglom-arch=sm_90,sm_999 -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefix=NOTE && ls | FileCheck %s --check-prefix=ONE
// NOTE: note: {{.*}}ptxas does not know sm_999; the object carries PTX for it
// ONE-NOT: sm_80
// ONE: axpy.agglom.sm_90.cubin
// ONE-NOT: sm_999
// RUN: %agglomcc --emit-ptx -fagglom-arch=sm_70 %S/Inputs/axpy.c | FileCheck %s --check-prefix=OLD
// OLD: .target sm_70
