// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DO(x) _Pragma(#x)
#define ALL(p) p[0:n]
#define TASK DO(agglom task inout(ALL(x)))
#define LOOP DO(agglom loop)
TASK void from_macro(int n, float *x) {
  LOOP for (int i = 0; i < n; i++) x[i] = 0;
}
#pragma agglom task in(ALL(y)) inout(ALL(x)) \
    priority(n ? n > 3 ? 1 : 2 : 3)
static inline void both(int n, float *x, const float *y) { x[0] = y[n - 1]; }
void host(float *x) { from_macro(2, x), both(2, x, x + 2); DO(agglom wait) }
