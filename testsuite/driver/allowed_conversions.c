// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions that the user has allowed are not refused in device code.
// RUN: not %agglomcc -w -fsyntax-only %s
// RUN: %agglomcc -w -Wno-int-conversion -Wno-incompatible-pointer-types --emit-ptx %s | FileCheck %s
// RUN: %agglomcc -w -DALLOW --emit-ptx %s | FileCheck %s
// CHECK: .visible .entry
#ifdef ALLOW
#pragma clang diagnostic ignored "-Wint-conversion"
#pragma clang diagnostic ignored "-Wincompatible-pointer-types"
#endif
#pragma agglom task inout(x[0:n])
void f(int n, int *x) {
  short *s = x;
  int *none = n - n, k = none;
  for (int i = 0; i < n; ++i)
    x[i] += s[0] + k;
}
