// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __func__ and the like are in tasks, loops and functions that they call what the host compiler has for them; __PRETTY_FUNCTION__ is
// __func__ in gcc's C and not in Clang's.
// RUN: for host in gcc %clang; do $host -w %s -o %t.serial && %t.serial > %t.out && %agglomcc -fagglom-host-compiler=$host -w %s -o %t.a || exit 1; \
// RUN:   for devices in none emulated; do env AGGLOM_DEVICES=$devices AGGLOM_SPLIT=gpu %t.a | cmp - %t.out || exit 1; done; done
#include <stdio.h>

#pragma agglom task out(sizes[0:3], first[0:3])
static void task(int *sizes, char *first) {
  sizes[0] = sizeof __func__, sizes[1] = sizeof __FUNCTION__, sizes[2] = sizeof __PRETTY_FUNCTION__;
  first[0] = __func__[0], first[1] = __FUNCTION__[1], first[2] = __PRETTY_FUNCTION__[2];
}

static int length(int k, const double *unused) { return k ? sizeof __PRETTY_FUNCTION__ : sizeof __func__; }

#pragma agglom task out(sizes[0:2])
static void calls(int *sizes) {
  for (int k = 0; k < 2; ++k)
    sizes[k] = length(k, 0);
}

static void loops(int n, const char **names) {
#pragma agglom for out(names[i]) device(cpu)
  for (int i = 0; i < n; ++i)
    names[i] = i == 0 ? __func__ : i == 1 ? __FUNCTION__ : __PRETTY_FUNCTION__;
}

int main(void) {
  int sizes[5];
  char first[3];
  const char *names[3];
  task(sizes, first);
  calls(sizes + 3);
#pragma agglom wait
  for (int i = 0; i < 5; ++i)
    printf("%d ", sizes[i]);
  loops(3, names);
  for (int i = 0; i < 3; ++i)
    printf("%c %s ", first[i], names[i]);
  return 0;
}
