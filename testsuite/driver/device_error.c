// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the device compiler refuses is reported with the user's file, and nothing is written.
// RUN: rm -rf %t && mkdir %t && cd %t && touch x.o
// RUN: printf '#!/bin/sh\necho "boom: no such register" >&2\nexit 3\n' > ptxas && mkdir -p cuda/bin && mv ptxas cuda/bin && chmod +x cuda/bin/ptxas
// RUN: not env AGGLOMCC_CUDA_PATH=%t/cuda %agglomcc -c %S/Inputs/axpy.c -o x.o 2>&1 | FileCheck %s
// RUN: not ls x.o
// CHECK: axpy.c: the device code of its tasks could not be compiled by {{.*}}ptxas:
// CHECK-NEXT: boom: no such register
