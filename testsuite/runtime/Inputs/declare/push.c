// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of them, one that another one uses, and a task of its own.
#include "law.h"

static double distance(double x) { return x * 1.0625; } /* another one than that of law.c */

#pragma agglom declare
double soften(double x) { return distance(x) + 0.5; }

#pragma agglom declare
void push(struct particle *p, double f) { p->x += f * (double)p->more.weight; }

#pragma agglom task inout(p[0:n])
void drift(int n, struct particle *p) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    push(&p[i], soften(p[i].charge) * strength[1]);
}
