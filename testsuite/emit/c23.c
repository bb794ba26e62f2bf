// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C23 in device code: types that are deduced, labels anywhere, an enumeration with a type.
// RUN: %agglomcc -w -std=c23 --emit-ptx %s | FileCheck %s
// CHECK: .visible .entry f__agglom_kernel
#include <stddef.h>
typedef struct {
  int a;
} pt;
constexpr int five = 5;
enum small : unsigned char { LO = 250, HI };
static bool flip(bool b) { return !b; }
#pragma agglom task inout(x[0 : n])
void f(int n, int *x) {
  auto k = 'a';
  pt p = {};
  typeof(k) q = true ? 1 : 2;
  typeof_unqual(five) u = five;
  int *np = nullptr;
  static_assert(sizeof(k) == 4);
  [[maybe_unused]] enum small s = LO;
  s += 10;
  alignas(16) int al = alignof(pt);
  switch (q) {
  case 1:
    int z = 3;
    u += z;
    break;
  case 2:
  }
  p = (pt){u};
  x[0] += sizeof k + flip(np == nullptr) + s + p.a + q + al + HI + 0b11 + 1'000 + (int)u8'\xff';
end:
}
