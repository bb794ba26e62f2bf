// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of functions, each of which calls the next more than once, is not
// followed along each of its 3^24 ways.
// RUN: %agglomcc -Wall -Werror --emit-c %s -o /dev/null 2>&1 | count 0

struct number {
  double r, i;
};
static inline void loop_0(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
static inline struct number sum_0(struct number a, struct number b) {
  struct number z = {a.r + b.r, a.i - b.i};
  return z;
}
static inline double *past_0(double *x, int n) { return n > 3 ? x + 1 : x; }

#define NEXT(next, last)                                                                                     \
  static inline void loop_##next(double *x, int n) {                                                         \
    for (int i = 0; i < n; ++i) {                                                                            \
      loop_##last(x, n);                                                                                     \
      if (x[i] > 3)                                                                                          \
        loop_##last(x + 1, n - 1);                                                                           \
    }                                                                                                        \
  }                                                                                                          \
  static inline struct number sum_##next(struct number a, struct number b) {                                 \
    struct number z = sum_##last(sum_##last(a, b), sum_##last(b, a));                                        \
    return z;                                                                                                \
  }                                                                                                          \
  static inline double *past_##next(double *x, int n) {                                                      \
    double *y = past_##last(x, n), *z = past_##last(x, n - 1);                                               \
    return *y > 0 ? past_##last(y, n) : z;                                                                   \
  }
#define SIX(n, last)                                                                                         \
  NEXT(n##1, last)                                                                                           \
  NEXT(n##2, n##1) NEXT(n##3, n##2) NEXT(n##4, n##3) NEXT(n##5, n##4) NEXT(n##6, n##5)
SIX(a, 0)
SIX(b, a6)
SIX(c, b6)
SIX(d, c6)

#pragma agglom task inout(x[0 : n])
void loops(double *x, int n) { loop_d6(x, n); }

#pragma agglom task in(x[0 : n])out(y[0 : 1])
void sums(double *x, double *y, int n) {
  struct number a = {x[0], x[n - 1]}, b = {x[n - 1], x[0]};
  y[0] = sum_d6(a, b).r;
}

#pragma agglom task in(x[0 : n])out(y[0 : 1])
void pasts(double *x, double *y, int n) { y[0] = *past_d6(x, n); }

void host(double *x, double *y, int n) {
#pragma agglom for in(x[0 : n])out(y[i])
  for (int i = 0; i < n; ++i) {
    struct number a = {x[0], x[n - 1]}, b = {x[n - 1], x[0]};
    y[i] = sum_d6(a, b).r + *past_d6(x, n);
  }
  loops(x, n);
  sums(x, y, n);
  pasts(x, y, n);
#pragma agglom wait
}
