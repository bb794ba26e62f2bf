// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object of another ABI version: a clear sentence, and its tasks become plain calls, while those of other objects
// go on as units.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -c %s -o main.o
// RUN: %agglomcc -O1 -DOTHER -c %s -o other.o
// RUN: cp %s plain.c && %agglomcc -save-temps -DOTHER -c plain.c
// RUN: sed 's/AGGLOM_ABI_VERSION = [0-9]*/AGGLOM_ABI_VERSION = 999/' plain.agglom.c > future.i
// RUN: %clang -w -x cpp-output -c future.i -o future.o && not cmp -s plain.agglom.c future.i
// RUN: %agglomcc main.o other.o -o good && env AGGLOM_DEVICES=emulated AGGLOM_REPORT=1 ./good 2>&1 | FileCheck %s --check-prefixes=OUT,GOOD --implicit-check-not=error:
// RUN: %agglomcc main.o future.o -o bad && env AGGLOM_DEVICES=emulated AGGLOM_REPORT=1 ./bad 2>&1 | FileCheck %s --check-prefixes=OUT,BAD
// GOOD-DAG: ours: 10 units in
// GOOD-DAG: theirs: 10 units in
// BAD: agglom: error: {{.*}}plain.c was compiled by agglomcc {{.*}} for ABI version 999 of libagglomrt, but this is version {{[0-9]+}}; recompile it with this library's own agglomcc, of release {{.*}} (its tasks are plain calls now)
// BAD-NOT: theirs:
// BAD-DAG: ours: 10 units in
// OUT-DAG: {{^}}52{{$}}
// OUT-DAG: {{^}}7 12 17 22 27 32 37 42 47 52 {{$}}
#include <stdio.h>

#pragma agglom task inout(x[0:1])
void theirs(int *x, int k);

#ifdef OTHER
void theirs(int *x, int k) { *x = *x * 5 + k; }
/* Directives that name memory wait for everything then. */
int look(int *x) {
#pragma agglom data resident(x[0:1])
  {
#pragma agglom wait on(x[0:1])
    *x += 1;
#pragma agglom update host(x[0:1])
    return --*x;
  }
}
#else
int look(int *x);
#pragma agglom task inout(x[0:1])
void ours(int *x, int k) { *x += k; }

int main(void) {
  int x[10] = {0};
  for (int k = 0; k < 10; k++) {
    ours(&x[k], k + 1);
    theirs(&x[k], 2);
  }
  printf("%d\n", look(&x[9]));
#pragma agglom wait
  for (int k = 0; k < 10; k++)
    printf("%d ", x[k]);
  printf("\n");
  return 0;
}
#endif
