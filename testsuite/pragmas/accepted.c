// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of clauses and sections that are accepted without a word.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Wall -Wextra -Werror -Xclang -verify %s
// expected-no-diagnostics

enum { WIDTH = 8 };
#define WHOLE(p) p[0:n]
#define TASK _Pragma("agglom task inout(x[0:n])")

#pragma agglom task in(x[0:n]) out(y[0:n]) inout(z[0:1])
void lists(int n, const float *x, float *y, float *z) { z[0] += y[0] = x[n - 1]; }
#pragma agglom task in(x[:n], y[2]), inout(*z) independent
void forms(int n, const float *x, const float *y, float *z) { *z += x[0] + y[2]; }
#pragma agglom task in(x[n > 4 ? 1 : 0 : n > 4 ? n - 1 : n]) inout(z[(n+1)/2:WIDTH*2])
void expressions(int n, const float *x, float *z) { z[(n + 1) / 2] = x[n - 1]; }
#pragma agglom task in(WHOLE(x)) inout(WHOLE(z))
void macros(int n, const float *x, float *z) { z[0] = x[0]; }
#pragma agglom task inout(x[0:n]) priority(n - 3) cost(2L * n) name(other_name) max_units(1 << 10)
void scheduling(int n, float *x) { x[0] = 1; }
#pragma agglom task inout(x[0:n]) device(any)
void any(int n, float *x) { x[0] = 1; }
#pragma agglom task inout(x[0:n]) device(gpu)
void gpu(int n, float *x) { x[0] = 1; }
#pragma agglom task inout(x[0:n]) device(cpu) priority(-1)
void cpu(int n, float *x) { x[0] = 1; }
TASK void from_macro(int n, float *x) { x[0] = 1; }
#pragma agglom task
void nothing(void) {}
#pragma agglom task inout(x[0:0])
void empty_section(float *x) { (void)x; }

void host(float *x) {
  nothing();
  from_macro(1, x);
#pragma agglom wait
  switch ((int)x[0]) {
  case 0:
#pragma agglom wait
    cpu(1, x);
  }
  _Pragma("agglom wait")
}
