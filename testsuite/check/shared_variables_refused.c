// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of which nothing is proposed, though they look private or like a reduction: what others see, what is jumped
// over, what depends on the order or on conversions, what the clause may not name.
// RUN: not %agglomcc -fsyntax-only -fno-caret-diagnostics -ferror-limit=0 %s 2>&1 | FileCheck %s --implicit-check-not='; add'
// RUN: cp %s %t.c && not %agglomcc --fix -ferror-limit=0 %t.c >/dev/null 2>&1; cmp %s %t.c
// CHECK-COUNT-17: iterations of this loop all write
// CHECK-NOT: iterations of this loop all write
#include <math.h>
void clean(int *t);
static int global;
static _Atomic int counted;
int use(void) { return global; }

void refused(int n, const int *a, const double *d, int *o) {
  int jumped = 77, whole = 0, below = -5, taken = 5, *look = &taken, cleaned __attribute__((cleanup(clean))) = 0, later = 0, ok = 5;
  register int registered = 0;
  unsigned char small = 5;
  _Bool odd = 1;
  double most = 100;
#pragma agglom for in(a[i]) inout(o[i])
  for (int i = 1; i < n; i++) {
    global = a[i];
    o[i] += global;
  }
#pragma agglom for in(a[i]) inout(o[i]) device(cpu)
  for (int i = 1; i < n; i++) {
    global += a[i];
    o[i] += use();
    ++counted;
  }
#pragma agglom for in(a[i]) inout(o[i])
  for (int i = 1; i < n; i++)
    o[i] += a[i] + ++counted;
#pragma agglom for in(a[i]) inout(o[i]) device(cpu)
  for (int i = 1; i < counted; i++)
    o[i] += a[i] + ++counted;
#pragma agglom for in(a[i]) inout(o[i])
  for (int i = 1; i < n; i++) {
    if (a[i] == 3)
      goto over;
    jumped = a[i];
  over:
    o[i] = jumped;
  }
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++)
    whole += 0.5 * a[i];
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++) {
    unsigned x = a[i];
    if (x < below)
      below = x;
  }
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++)
    if (a[i] > small)
      small = a[i];
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++)
    odd ^= a[i];
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++)
    if (a[i] > 600)
      ok = ok && a[i];
#pragma agglom for in(d[i])
  for (int i = 1; i < n; i++)
    most = most < d[i] ? most : d[i];
#pragma agglom for in(a[i]) out(o[i]) in(look[0])
  for (int i = 1; i < n; i++) {
    taken += a[i];
    o[i] = *look;
  }
#pragma agglom for out(o[i])
  for (int i = 1; i < n; i++) {
    cleaned = i;
    o[i] = cleaned;
  }
#pragma agglom for in(a[i])
  for (int i = 1; i < n; i++)
    registered += a[i];
#pragma agglom for in(a[i]) nowait
  for (int i = 1; i < n; i++)
    whole += a[i];
#pragma agglom for in(a[i]) out(o[i])
  for (int i = 1; i < n; i++)
    o[later++] = a[i];
#pragma agglom for in(a[i]) out(o[i])
  for (int i = 1; i < n; i++) {
    later = a[i];
    o[i] = later;
  }
  o[0] = jumped + whole + below + taken + cleaned + registered + small + odd + most + later + ok;
}
