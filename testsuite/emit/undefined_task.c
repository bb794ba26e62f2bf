// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit that only calls a task defined elsewhere: the call is redirected and
// nothing is registered here.
// RUN: %agglomcc -c %s -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
#pragma agglom task inout(x[0:n])
void elsewhere(int n, float *x);
void host(int n, float *x) { elsewhere(n, x); }
// CHECK-DAG: U __agglom_submit_elsewhere
// CHECK-NOT: agglom_register
