// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --emit-c, --emit-cuda and --emit-ptx write one stage to -o or standard output.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc --emit-c axpy.c | FileCheck %s --check-prefix=C
// RUN: %agglomcc --emit-cuda axpy.c | FileCheck %s --check-prefix=CUDA
// RUN: %agglomcc --emit-ptx axpy.c | FileCheck %s --check-prefix=PTX
// RUN: %agglomcc --emit-ptx -O2 axpy.c -o kernel.ptx && FileCheck %s --check-prefix=PTX < kernel.ptx
// RUN: not ls a.out axpy.o
// C: agglom_submit
// CUDA: AG_KERNEL
// PTX: .visible .entry
// RUN: not %agglomcc --emit-c plain.c 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not %agglomcc --emit-c broken.c -o broken.txt 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not ls broken.txt
// PLAIN: error: plain.c holds no '#pragma agglom': there is nothing to emit
// BROKEN: broken.c:6:19: error:
