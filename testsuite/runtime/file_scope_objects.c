// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Old code keeps all at file scope: enumerations without a name, members that are accumulated beside others of the same
// structure.
// RUN: %agglomcc -O2 %s -o %t
// RUN: AGGLOM_DEVICES=none %t
// RUN: AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_EMULATE=isolate=on %t
// RUN: not %agglomcc -fsyntax-only -DWRONG %s 2>&1 | FileCheck %s
// CHECK: error: the type of 'unnamed' has no name, so device code cannot declare it; give the structure a tag
// CHECK: error: the type of 'either' has no name, so device code cannot declare it; give the union a tag
// CHECK: error: the variable of a parallel loop must be a local one, and 'global' is there once for all threads; declare it in the loop, as in 'for (int global = ...'
// CHECK: error: 'values' is named in a data clause, so the task itself may use it, but not a function that it calls
// CHECK-NOT: which the task does not use
// CHECK: error: 'all' stands in 'accumulate' and in another data clause
static enum { PLAIN, TWICE } mode = TWICE;
static double values[400];
static struct all {
  double total;
  int count;
  double own[4];
  struct { double most; } in;
} all = {.own = {1, 2, 3, 4}};

#pragma agglom task in(a->own[0:4]) accumulate(+: a->total) accumulate(max: a->in.most)
static void by_pointer(int i, struct all *a) {
  double *total = &a->total;
  *total += a->own[i & 3];
  a->in.most = a->own[i & 3] > a->in.most ? a->own[i & 3] : a->in.most;
}

int main(void) {
#pragma agglom for out(values[i])
  for (int i = 0; i < 400; i++)
    values[i] = mode == TWICE ? 2 * i : i;
#pragma agglom for in(values[i]) accumulate(+: all.total, all.count)
  for (int i = 0; i < 400; i++) {
    all.total += values[i];
    all.count++;
  }
#pragma agglom for in(all.own[0:4]) accumulate(+: all.total)
  for (int i = 0; i < 400; i++)
    all.total += all.own[i & 3];
  for (int i = 0; i < 400; i++)
    by_pointer(i, &all);
#pragma agglom wait
  return all.total != 399 * 400 + 2000 || all.count != 400 || all.in.most != 4;
}

#ifdef WRONG
static double some[9];
static struct { double *a; } unnamed = {some};
static union { double *a; int b; } either;
static double at(int i) { return values[i]; }
static int global;
void wrong(void) {
#pragma agglom for out(unnamed.a[i])
  for (int i = 0; i < 9; i++)
    unnamed.a[i] = i;
#pragma agglom for out(either.a[i])
  for (int i = 0; i < 9; i++)
    either.a[i] = i;
}
#pragma agglom task out(values[0:50])
static void counts(void) {
#pragma agglom loop
  for (global = 0; global < 50; global++)
    values[global] = 1;
}
void wrong_function(void) {
#pragma agglom for in(values[i]) out(some[i])
  for (int i = 0; i < 9; i++)
    some[i] = at(i);
}
#pragma agglom task in(all) accumulate(+: all.total)
void overlaps(void) { all.total += all.count; }
#endif
