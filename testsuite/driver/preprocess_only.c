// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -E leaves a text that compiles later, elsewhere: macros in our pragmas are expanded.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -E -DLENGTH=n %s | FileCheck %s
// RUN: %agglomcc -E -DLENGTH=n %s -o x.i && %agglomcc -c x.i && nm x.o | FileCheck %s --check-prefix=OBJECT
// RUN: %agglomcc -E -P -DLENGTH=n %s -o p.i && not grep '^# ' p.i && %agglomcc -c p.i
// RUN: not %agglomcc -E -DMISSING %s -o none.i 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ls none.i
// CHECK: #pragma agglom task inout(y[0:n])
// CHECK: void twice(
// OBJECT: twice
// MISSING: fatal error: 'missing.h' file not found
#ifdef MISSING
#include "missing.h"
#endif
#define SECTION(p) p[0:LENGTH]
#pragma agglom task inout(SECTION(y))
void twice(int n, float *y) {
  for (int i = 0; i < n; i++)
    y[i] *= 2;
}
