/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tasks, helpers, tables and types that a program includes. */
#ifndef LANGUAGE_TASKS_H
#define LANGUAGE_TASKS_H
#include <stdint.h>

typedef struct sample {
  int16_t left, right;
} sample;
enum { GAIN_STEPS = 5 };
static const int gains[GAIN_STEPS] = {1, 3, 5, 7, 11};

static inline int16_t limit(int v) { return (int16_t)(v > 32767 ? 32767 : v < -32768 ? -32768 : v); }

#pragma agglom task in(from[0:n]) inout(to[0:n])
static inline void mix(int n, const sample *from, sample *to, unsigned gain) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    to[i].left = limit(to[i].left + from[i].right * gains[gain % GAIN_STEPS]);
    to[i].right = limit(to[i].right - from[i].left * gains[gain % GAIN_STEPS]);
  }
}

#pragma agglom task inout(s[0:n])
void reverse(int n, sample *s);

#define FILTER(name, taps, ...)                                                                     \
  _Pragma("agglom task in(x[0:n]) out(y[0:n])")                                                     \
  static void name(int n, const sample *x, sample *y) {                                             \
    const int tap[taps] = {__VA_ARGS__};                                                            \
    _Pragma("agglom loop")                                                                          \
    for (int i = 0; i < n; i++) {                                                                   \
      int l = 0, r = 0;                                                                             \
      for (int k = 0; k < taps; k++)                                                                \
        if (i >= k)                                                                                 \
          l += x[i - k].left * tap[k], r += x[i - k].right * tap[k];                                \
      y[i] = (sample){limit(l / 8), limit(r / 8)};                                                  \
    }                                                                                               \
  }
#endif
