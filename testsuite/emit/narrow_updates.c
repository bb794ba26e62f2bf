// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An update of one byte changes no other: also where the new value is out of range, so that C leaves it open and the
// instruction that converts may set more bits.
// RUN: %agglomcc --emit-ptx %s -o - | FileCheck %s

// CHECK: ld.volatile.{{[bu]}}8
// CHECK: cvt.rzi.{{[us]}}16.f64
// CHECK-NEXT: cvt.u32.u16 [[W:%r[0-9]+]], %rs
// CHECK-NOT: shl
// CHECK: and.b32 {{.*}}, [[W]], 255;
// CHECK: atom{{.*}}.cas.b32
#pragma agglom task inout(x[0:8])
void bump(unsigned char *x, double by) {
#pragma agglom loop
  for (int i = 0; i < 64; ++i) {
#pragma agglom atomic
    x[1] += by;
  }
}
