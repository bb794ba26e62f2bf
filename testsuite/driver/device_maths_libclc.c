// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: libclc
// Without CUDA the device's maths is libclc's, and nothing of it stays unresolved.
// RUN: env AGGLOMCC_CUDA_PATH=none %agglomcc --emit-ptx %S/Inputs/maths.c 2>&1 | FileCheck %s
// CHECK-NOT: warning
// CHECK: .version 6.3
// CHECK-NOT: .extern .func
// CHECK: .visible .entry
