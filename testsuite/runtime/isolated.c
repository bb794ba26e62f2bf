// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that follows a pointer into the program's memory, which no check of the source can see: an isolated device
// says so, the units run on the CPU, and the program's status tells a test of it.
// RUN: %agglomcc -O1 -w -Wl,-z,now %s -o %t
// RUN: env AGGLOM_DEVICES=none %t heap > %t.serial
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off %t heap | cmp - %t.serial
//
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t heap; test $? = 70' 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefixes=READS,HEAP < %t.err
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t stack; test $? = 70' 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefixes=READS,STACK < %t.err
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t static; test $? = 70' 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefixes=READS,STATIC < %t.err
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t large; test $? = 70' 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefixes=READS,LARGE < %t.err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_BATCH=static:2 sh -c '%t heap; test $? = 70' 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefixes=READS,HEAP < %t.err
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t write; test $? = 70' 2>&1 > %t.out | FileCheck %s --check-prefix=WRITES
// RUN: FileCheck %s --check-prefix=WRITTEN < %t.out
//
// READS: agglom: warning: emulated:0 (emulated device 0) failed: task 'follow' ({{.*}}isolated.c:[[#]]) {{reads|uses}} host memory at 0x{{[0-9a-f]+}} (
// HEAP-SAME: the heap), which no clause names; it is not used any more and its units run elsewhere; name what the pointer points to in a data clause of the task
// STACK-SAME: a thread's stack)
// STATIC-SAME: a static object
// LARGE-SAME: memory that was allocated
// WRITES: task 'store' ({{.*}}isolated.c:[[#]]) {{writes|uses}} host memory at
// WRITTEN: 41 42
//
// What is right goes on as without: constants and string literals, the C library, what a kernel prints.
// RUN: env AGGLOM_DEVICES=none %t right > %t.serial
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=%t.report %t right | cmp - %t.serial
// RUN: FileCheck %s --check-prefix=RIGHT < %t.report
// RIGHT: look: 1 unit in 1 launch on emulated:0
//
// With one linkage table beside the static objects (lazy binding) these are not found, but overwritten.
// RUN: %agglomcc -O1 -w -Wl,-z,lazy %s -o %t
// RUN: env AGGLOM_DEVICES=emulated %t right | cmp - %t.serial
// RUN: env AGGLOM_DEVICES=emulated sh -c '%t heap; test $? = 70' 2>&1 | FileCheck %s --check-prefixes=READS,HEAP
//
// Nothing of the program can be hidden from an instrumented kernel. All threads may allocate from one arena.
// RUN: %agglomcc -O1 -w -fsanitize=address %s -o %t
// RUN: env AGGLOM_DEVICES=emulated %t right 2> %t.err | cmp - %t.serial
// RUN: FileCheck %s --check-prefix=SANITIZED < %t.err
// SANITIZED: agglom: warning: isolate=on in AGGLOM_EMULATE has no effect: the program is instrumented by a sanitizer
// RUN: %agglomcc -O1 -w %s -o %t
// RUN: env AGGLOM_DEVICES=emulated MALLOC_ARENA_MAX=1 %t right | cmp - %t.serial
// RUN: env AGGLOM_DEVICES=emulated MALLOC_ARENA_MAX=1 sh -c '%t large; test $? = 70' 2>&1 | FileCheck %s --check-prefixes=READS,LARGE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, LARGE = 1 << 20 };

struct hidden {
  uintptr_t row;
};

/* Byte by byte, so that no check sees that it is the host's. */
#define COPY(to, from)                                                                                       \
  for (unsigned b = 0; b < sizeof(to); ++b)                                                                  \
    ((char *)&(to))[b] = ((const char *)&(from))[b]

#pragma agglom task in(h[0:1]) out(y[0:n])
static void follow(int n, const struct hidden *h, double *y) {
  const double *row;
  COPY(row, h->row);
  for (int i = 0; i < n; ++i)
    y[i] = 2 * row[i];
}

#pragma agglom task in(h[0:1]) out(y[0:1])
static void store(const struct hidden *h, double *y) {
  double *row;
  COPY(row, h->row);
  *row = 41;
  *y = 42;
}

static const double weights[3] = {0.5, 0.25, 0.125};
static const char *const names[2] = {"even", "odd"};

#pragma agglom task in(x[0:n]) out(y[0:n])
static void look(int n, const double *x, double *y) {
  for (int i = 0; i < n; ++i) {
    y[i] = weights[i % 3] * sin(x[i]) + pow(x[i], 1.5);
    printf("%s %d: %.3f\n", names[i % 2], i, y[i]);
  }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "right";
  static double in_static[4 * N];
  double in_stack[N], y[4][N] = {{0}};
  double *x = !strcmp(how, "stack")    ? in_stack
              : !strcmp(how, "static") ? in_static + 2 * N
                                       : malloc((!strcmp(how, "large") ? LARGE : N) * sizeof *x);
  if (!x)
    return 1;
  for (int i = 0; i < N; ++i)
    x[i] = i;
  struct hidden h[4];
  for (int k = 0; k < 4; ++k)
    h[k].row = (uintptr_t)x;
  printf("at first\n");
  if (!strcmp(how, "right")) {
    look(N, x, y[0]);
  } else if (!strcmp(how, "write")) {
    store(h, y[0]);
#pragma agglom wait
    printf("%g %g\n", x[0], y[0][0]);
  } else {
    for (int k = 0; k < 4; ++k)
      follow(N, &h[k], y[k]);
  }
#pragma agglom wait
  for (int k = 0; k < 4; ++k)
    printf("%g %g\n", y[k][1], y[k][N - 1]);
  if (x != in_stack && x != in_static + 2 * N)
    free(x);
  return 0;
}
