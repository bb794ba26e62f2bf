// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers: only the elements that the indexes name are sent, brought back and ordered. Repeated and unsorted indexes, of
// all integer types; units whose indexes meet keep their order. And objects of the file.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK-DAG: gather: {{[0-9]+}} units in {{[0-9]+}} launch{{(es)?}} on emulated:0
#include <stdio.h>
#include <string.h>

static double table[4][5];
static int counter;
static struct statistics {
  int hits[3];
  double total;
} statistics;
static const char name[] = "gather";

#pragma agglom task inout(x[idx[0:k]]) in(idx[0:k])
static void gather(double *x, const int *idx, int k, double a) {
  for (int i = 0; i < k; i++)
    x[idx[i]] = x[idx[i]] * 1.5 + a;
}
#pragma agglom task in(x[idx[first:k]], idx[first:k]) out(*sum)
static void collect(const double *x, const unsigned char *idx, int first, int k, double *sum) {
  double s = 0;
  for (int i = first; i < first + k; i++)
    s += x[idx[i]];
  *sum = s;
}
#pragma agglom task inout(x[idx[0:2]]) in(idx[0:2])
static void negative(double *x, const signed char *idx) { x[idx[0]] += x[idx[1]]; }
#pragma agglom task inout(x[idx[0:2]]) in(idx[0:2])
static void wide(double *x, const long *idx) { x[idx[0]] -= x[idx[1]]; }

#pragma agglom task inout(table[row], counter)
static void globals(int row, double x) {
#pragma agglom loop
  for (int j = 0; j < 5; j++)
    table[row][j] += x * j;
  counter++;
}
#pragma agglom task inout(statistics, statistics.total) in(name)
static void count(int k) {
  statistics.hits[k % 3] += (int)sizeof name + name[k % 6];
  statistics.total += 0.5;
}

int main(void) {
  double x[40], sums[6];
  int idx[4] = {3, 17, 0, 8}, idx2[5] = {17, 2, 1, 17, 39}, idx3[2] = {20, 21};
  unsigned char small[9] = {0, 1, 2, 3, 39, 8, 8, 17, 5};
  signed char back[2] = {-5, 3};
  long far[2] = {10, -10};
  for (int i = 0; i < 40; i++)
    x[i] = i;
  for (int k = 0; k < 6; k++) {
    gather(x, idx, 4, 0.5);
    gather(x, idx3, 2, k);
    gather(x, idx2, 5, 0.25);
    gather(x, idx2, 0, 1e9);
    collect(x, small, k % 4, 5, &sums[k]);
    negative(x + 20, back);
    wide(x + 10, far);
  }
  for (int k = 0; k < 9; k++) {
    globals(k % 4, k);
    count(k);
  }
#pragma agglom wait
  for (int i = 0; i < 40; i++)
    printf("%.17g ", x[i]);
  printf("\n");
  for (int i = 0; i < 6; i++)
    printf("%.17g ", sums[i]);
  for (int i = 0; i < 20; i++)
    printf("%g ", table[i / 5][i % 5]);
  printf("%d %d %d %d %g\n", counter, statistics.hits[0], statistics.hits[1], statistics.hits[2], statistics.total);
  return 0;
}
