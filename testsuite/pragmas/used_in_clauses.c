// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only clauses name is in use, and what nothing names is not.
// RUN: %agglomcc -fsyntax-only -Wall -Wextra -Wunused -Xclang -verify %s

static int rank(int d) { return d > 3; }
static int length(int d) { return 2 * d; }
static const int base = 2;
static int cost_of(int d) { return d; }
static int nobody(int d) { return d; } // expected-warning {{unused function 'nobody'}}
static const int none = 3;             // expected-warning {{unused variable 'none'}}

#pragma agglom task inout(x[0 : length(d)]) priority(rank(d) + base) cost(cost_of(d))
static void work(int d, float *x) {
#pragma agglom loop
  for (int i = 0; i < 2 * d; ++i)
    x[i] += 1;
}

int main(void) {
  static float x[8];
  work(4, x);
#pragma agglom wait
  return 0;
}
