// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX has ASCII names only: a task's other letters are spelled out there.
// RUN: %agglomcc --emit-ptx %s -o - | FileCheck %s
// RUN: %agglomcc -c %s -o %t.o
// CHECK: .visible .entry _uC3_uBCbel__agglom_kernel(
#pragma agglom task inout(größe[0:1])
void übel(double *größe) {
  double höhe = größe[0];
  größe[0] = höhe + 1;
}
