// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bracket is missing: where only one place makes a directive, there is a fix-it.
// RUN: not %agglomcc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: cp %s %t.c && not %agglomcc --fix %t.c 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: grep -A1 '^#pragma agglom task' %t.c | FileCheck %s --check-prefix=FIXED

// CHECK: brackets.c:[[#@LINE+1]]:{{.*}} error: expected ')' to close the argument of clause 'in'
#pragma agglom task in(x[0:n] out(y[0:n])
void a1(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n]) out(y[0:n]){{$}}
#pragma agglom task in(x[0:n // at the end
void a2(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n]) // at the end
#pragma agglom task in(x[0:n) out(y[0:n])
void a3(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n]) out(y[0:n]){{$}}
// CHECK: brackets.c:[[#@LINE+1]]:{{.*}} error: expected ']' in the section 'x[0:n)'
#pragma agglom task in(x[0:n)) out(y[0:n])
void a4(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n]) out(y[0:n]){{$}}
#pragma agglom task in(x[0:n, y[0:n])
void a5(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n], y[0:n]){{$}}
#pragma agglom task in(x[0:n), y[0:n])
void a6(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n], y[0:n]){{$}}
#pragma agglom task in(x[(n + 1:n]) out(y[0:n])
void a7(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[(n + 1):n]) out(y[0:n]){{$}}
#pragma agglom task in(x[0:n]) \
    out(y[0:n]
void a8(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[0:n]) \
// FIXED-NEXT: {{^}}    out(y[0:n]){{$}}

// Two are missing, or there is more than one way: no guess.
#pragma agglom task in(x[(n:n) out(y[0:n)
void b1(int n, const double *x, double *y);
// FIXED: {{^}}#pragma agglom task in(x[(n:n) out(y[0:n){{$}}
// LEFT: error: expected ')' to close the argument of clause 'in'
// LEFT: {{^}}1 error generated
