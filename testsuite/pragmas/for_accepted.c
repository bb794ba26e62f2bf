// RUN: %agglomcc -fsyntax-only -Wall -Wextra -Werror -Xclang -verify %s
// Nothing is said twice, or of what only a clause uses.
// expected-no-diagnostics
#include <stddef.h>

#define BOTH(A, I) A[I]
#define LOOP(I, N) for (size_t I = 0; I < (N); ++I)

void clauses(size_t n, size_t unused, const double *x, double *y, int kind) {
  double s = 0, t;
#pragma agglom for in(x[i:1], x[0:unused]), inout(BOTH(y, i)), reduction(+: s), private(t) \
    schedule(dynamic, n / 3 + 1) device(any) cost(kind) name(all_of_them)
  LOOP(i, n) {
    t = x[i];
    y[i] += t;
    s += t;
  }
  y[0] = s;
#pragma agglom for in(x[0:n]) accumulate(+: y[0:n]) collapse(2) schedule(runtime) device(gpu) cost(i + 1) nowait
  LOOP(i, n)
  LOOP(j, n)
  y[i] += x[j];
  _Pragma("agglom for inout(y[i])") for (size_t i = 0; i < n; ++i) y[i] = 0;
#pragma agglom for inout(y[i]) schedule(auto)
#pragma clang loop unroll(disable)
  for (size_t i = 0; i < n; ++i)
    y[i] += 1;
}
