// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel in place, a row a unit, and sweeps without a wait between them: each unit waits for the row above it in the
// same sweep and for the row below it in the one before.
// RUN: env COMPARE_RUN="AGGLOM_BATCH=maximal" %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: relax: 456 units in [[#]] launch
#include <stdio.h>

enum { ROWS = 40, COLUMNS = 33, SWEEPS = 12 };

#pragma agglom task in(above[0:COLUMNS], below[0:COLUMNS]) inout(row[0:COLUMNS])
static void relax(const double *above, double *row, const double *below) {
  // Within a row in two colours.
  for (int colour = 0; colour < 2; colour++) {
#pragma agglom loop
    for (int i = 1 + colour; i < COLUMNS - 1; i += 2)
      row[i] = (above[i] + below[i] + row[i - 1] + row[i + 1]) * 0.25;
  }
}

int main(void) {
  static double u[ROWS][COLUMNS];
  for (int i = 0; i < COLUMNS; i++)
    u[0][i] = i * i % 17, u[ROWS - 1][i] = 100 - i;
  for (int s = 0; s < SWEEPS; s++)
    for (int r = 1; r < ROWS - 1; r++)
      relax(u[r - 1], u[r], u[r + 1]);
#pragma agglom wait
  for (int r = 0; r < ROWS; r++)
    for (int i = 0; i < COLUMNS; i++)
      printf("%.17g%c", u[r][i], i == COLUMNS - 1 ? '\n' : ' ');
  return 0;
}
