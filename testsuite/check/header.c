// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task whose header lacks the pragma would be called directly by other files.
// RUN: not %agglomcc -fsyntax-only -Wno-agglom-work -Werror %s 2>&1 | FileCheck %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Wno-agglom-declaration %s 2>&1 | count 0
#include "Inputs/plain.h"
// CHECK: Inputs/plain.h:2:6: error: 'in_header' is declared without '#pragma agglom task' here; files that see only this declaration call it directly, so put the pragma before it too [-Wagglom-declaration]
// CHECK: header.c:[[#@LINE+1]]:1: note: the task is declared here
#pragma agglom task inout(x[0:n])
void in_header(int n, float *x) { x[0] = n; }
