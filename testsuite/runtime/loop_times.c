// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the shortest loops few executions are timed; their times stand for the others in the report. Each execution is 8,000
// floating-point operations that wait for one another, of two cycles at least: 2 us with any processor up to 8 GHz.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 AGGLOM_REPORT=%t.json %t
// RUN: %python -c "import json; t = json.load(open('%t.json'))['tasks'][0]; print(t['loop']['executions'], t['cpu']['iterations'], t['cpu']['chunks'] < 2050, t['cpu']['total_ns'] >= 2000 * 1900)" | FileCheck %s
// CHECK: 2000 4000 True True
enum { EXECUTIONS = 2000, STEPS = 2000 };

int main(void) {
  double y[2] = {0};
  for (int k = 0; k < EXECUTIONS; ++k) {
#pragma agglom for out(y[i])
    for (int i = 0; i < 2; ++i) {
      double s = k + i;
      for (int n = 0; n < STEPS; ++n)
        s = s * 0.999 + 1;
      y[i] = s;
    }
  }
  return !(y[1] > 0);
}
