// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What units share counts once in the memory of a launch: many that read one table, or tables by turns, write one
// record, add to one histogram, or read what slides over one go in few launches, in a FIFO as well as in a stream.
// RUN: %agglomcc -w -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=64MB AGGLOM_SPLIT=gpu AGGLOM_BATCH=maximal AGGLOM_REPORT=%t.report %t
// RUN: FileCheck %s < %t.report
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=memory=64MB AGGLOM_SPLIT=gpu AGGLOM_BATCH=auto AGGLOM_REPORT=%t.report %t
// RUN: FileCheck %s --check-prefix=AUTO < %t.report
// CHECK-DAG: look: 4000 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// CHECK-DAG: look_alone: 4000 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// CHECK-DAG: by_turns: 1000 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// CHECK-DAG: renew: 300 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// CHECK-DAG: slide: 1000 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// CHECK-DAG: add: 300 units in {{[1-5]?[0-9] launch(es)?}} on emulated:0
// AUTO: look: 4000 units in
// AUTO-NOT: why {{.*}}full
// AUTO: total: 6 task types, {{[0-9]+}} units submitted
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 << 10, TABLES = 4, UNITS = 4000 }; // a table takes a sixteenth of a launch

#pragma agglom task in(table[0:n]) out(y[0:1])
void look(const double *table, int n, int at, double *y) { *y = table[at] + table[n - 1 - at]; }

#pragma agglom task in(table[0:n]) out(y[0:1]) independent
void look_alone(const double *table, int n, int at, double *y) { *y = table[at] - table[n - 1 - at]; }

#pragma agglom task in(a[0:n], b[0:n]) out(y[0:1])
void by_turns(const double *a, const double *b, int n, int at, double *y) { *y = a[at] * b[n - 1 - at]; }

#pragma agglom task in(table[0:n]) out(y[0:1])
void slide(const double *table, int n, double *y) { *y = table[0] + table[n - 1]; }

#pragma agglom task inout(record[0:n])
void renew(double *record, int n, int at) { record[at] = record[at + 1] + 1; }

#pragma agglom task accumulate(+: sum[0:n])
void add(double *sum, int n, int at) { sum[at] += 1; }

int main(void) {
  double *t = malloc(TABLES * N * sizeof *t), *sum = calloc(N, sizeof *sum), *record = calloc(N, sizeof *record);
  static double y[UNITS], z[UNITS], p[UNITS], s[UNITS];
  for (int i = 0; i < TABLES * N; ++i)
    t[i] = i;
  for (int i = 0; i < UNITS; ++i)
    look(t, N, i, &y[i]);
  for (int i = 0; i < UNITS; ++i)
    look_alone(t, N, i, &z[i]);
#pragma agglom wait
  for (int i = 0; i < 1000; ++i)
    by_turns(t + (i % TABLES) * N, t + (i / TABLES % TABLES) * N, N, i, &p[i]);
  for (int i = 0; i < 1000; ++i)
    slide(t + i, N, &s[i]);
  for (int i = 0; i < 300; ++i)
    renew(record, N, 299 - i);
  for (int i = 0; i < 300; ++i)
    add(sum, N, i % 100);
#pragma agglom wait
  for (int i = 0; i < UNITS; ++i)
    if (y[i] != N - 1 || z[i] != 2 * i - (N - 1))
      return printf("look %d\n", i), 1;
  for (int i = 0; i < 1000; ++i)
    if (p[i] != t[(i % TABLES) * N + i] * t[(i / TABLES % TABLES) * N + N - 1 - i])
      return printf("by_turns %d\n", i), 2;
  for (int i = 0; i < 1000; ++i)
    if (s[i] != 2 * i + N - 1)
      return printf("slide %d\n", i), 5;
  for (int i = 0; i < 300; ++i)
    if (record[i] != 300 - i)
      return printf("renew %d\n", i), 3;
  for (int i = 0; i < 100; ++i)
    if (sum[i] != 3)
      return printf("add %d\n", i), 4;
  return 0;
}
