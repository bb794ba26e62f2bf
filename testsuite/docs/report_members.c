// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each member of the report as JSON is in the manual, and no other.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.json %t
// RUN: %python %S/check.py --source %S/../.. --report %t.json report | FileCheck %s
// CHECK: {{^}}0 missing{{$}}
//
// It sees what is missing.
// RUN: sed 's/"units"/"pieces"/' %t.json > %t.bad.json
// RUN: not %python %S/check.py --source %S/../.. --report %t.bad.json report | FileCheck %s --check-prefix=BAD
// BAD: docs/reports.md: member pieces of the report as JSON is missing
#pragma agglom task inout(x[0:64])
static void twice(int *x) {
  for (int i = 0; i < 64; ++i)
    x[i] *= 2;
}

static int x[640];

int main(void) {
  for (int i = 0; i < 10; ++i)
    twice(x + 64 * i);
#pragma agglom for inout(x[i])
  for (int i = 0; i < 640; ++i)
    x[i] += 1;
  return 0;
}
