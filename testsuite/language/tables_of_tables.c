// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant objects that name each other, several in one declaration: and their object is the same whenever it is made.
// RUN: %agglomcc %s -o %t && %run-emulated %t | FileCheck %s
// RUN: for i in 1 2 3 4 5 6 7 8; do %agglomcc -g -c %s -o %t.o && cksum < %t.o || exit 1; done | sort -u | count 1
// RUN: %agglomcc --emit-ptx %s -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx
// What is named stands before what names it.
// PTX: .u64 third[
// PTX: .u64 second[
// PTX: .u64 first[
#include <stdio.h>

struct element {
  const char *name;
  const struct element *next;
  const int *shells;
  int n;
};
static const int two[] = {2}, three[] = {2, 1}, many[200] = {2, 8, 18};
static const char *const light[] = {"hydrogen", "helium", "lithium"};
static const char *const heavy[] = {"gold", "lead", "uranium"};
static const struct element third = {"lead", 0, many, 200}, second = {"lithium", &third, three, 2},
                            first = {"helium", &second, two, 1};
static const char *const *const all[] = {light, heavy, light};
static const struct element *const elements[] = {&second, &first, &third};

#pragma agglom task out(s[0:2])
static void look(int i, int *s) {
  s[0] = elements[i]->shells[elements[i]->n > 1] + 100 * all[i][i][0];
  s[1] = elements[i]->next ? elements[i]->next->name[1] : -1;
}

int main(void) {
  int s[3][2];
  for (int i = 0; i < 3; ++i)
    look(i, s[i]);
#pragma agglom wait
  // CHECK: 10401 101
  // CHECK-NEXT: 10802 105
  // CHECK-NEXT: 10808 -1
  for (int i = 0; i < 3; ++i)
    printf("%d %d\n", s[i][0], s[i][1]);
  return 0;
}
