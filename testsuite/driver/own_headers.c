// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The headers are found without an option, by units without pragmas too, behind the user's own.
// RUN: rm -rf %t && mkdir -p %t/mine/agglom && cd %t && cp %s x.c
// RUN: %agglomcc -c x.c && %agglomcc x.c -o program && ./program
// RUN: %agglomcc -M x.c | FileCheck %s
// RUN: %agglomcc -E x.c | FileCheck %s --check-prefix=TEXT
// RUN: %agglomcc -DTASK -c x.c
// RUN: echo '#define AGGLOM_ABI_VERSION mine' > mine/agglom/abi.h && %agglomcc -Imine -E x.c | FileCheck %s --check-prefix=MINE
// CHECK: agglom/abi.h
// TEXT: agglom_register
// MINE: version = mine
#include <agglom/abi.h>
int version = AGGLOM_ABI_VERSION;
#ifdef TASK
#pragma agglom task inout(y[0:1])
void f(int *y) { *y += 1; }
#endif
int main(void) { return 0; }
