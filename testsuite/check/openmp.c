// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units that different threads of OpenMP submit, and that need an order.
// RUN: %agglomcc -fopenmp -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Werror %s
// RUN: %agglomcc -fopenmp -fsyntax-only -Wno-agglom-openmp %s 2>&1 | count 0
// RUN: not %agglomcc -fopenmp -fsyntax-only -Werror=agglom-openmp %s 2> /dev/null
#include "Inputs/openmp_tasks.h"
static int x[N][S], f[N];

void two_loops(void) {
  for (int t = 0; t < 9; ++t) {
#pragma omp parallel for
    for (int k = 0; k < N; ++k)
      // expected-note@+2 {{the task is called here, with in(x[0:S])}}
      // expected-warning@+1 {{units of task 'pull' use 'x' here, as do units of task 'move' that another OpenMP thread submits, and one of the two writes it; units of different threads have no order, so put '#pragma agglom wait' between the two}}
      pull(x[k], x[(k + 1) % N], &f[k]);
#pragma omp parallel for
    for (int k = 0; k < N; ++k)
      // expected-note@+2 {{the task is called here, with inout(x[0:S]), in the loop's iteration before}}
      // expected-warning@+1 {{units of task 'move' use 'x' here, as do units of task 'pull'}}
      move(x[k], &f[k]);
  }
#pragma agglom wait
}
void of_any_size(int n, int (*x)[S], int *f) {
#pragma omp parallel
  {
#pragma omp for
    for (int k = 0; k < n; ++k)
      pull(x[k], x[(k + n - 1) % n], &f[k]); // expected-note {{called}}
#pragma omp for
    for (int k = 0; k < n; ++k)
      move(x[k], &f[k]); // expected-warning {{units of task 'move' use 'x' here}}
  }
#pragma agglom wait
}
void dynamic(int n, int (*x)[S]) {
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < n; ++k)
    change(S, x[k]); // expected-note {{called}}
#pragma omp parallel for
  for (int k = 0; k < n; ++k)
    change(S, x[k]); // expected-warning {{units of task 'change' use 'x' here}}
#pragma agglom wait
}
void around(int n, int *y) {
  change(N * S, x[0]); // expected-note {{called}}
  change(n, y);        // expected-note {{called}}
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    change(S, x[k]); // expected-warning {{use 'x'}} expected-note {{called}}
#pragma omp parallel for
  for (int k = 0; k < n; ++k)
    change(1, &y[k]); // expected-warning {{use 'y'}}
  change(S, x[3]);    // expected-warning {{units of task 'change' use 'x' here, as do units of task 'change' that another OpenMP thread submits}}
#pragma agglom wait
}
void singles(void) {
#pragma omp parallel
  {
#pragma omp single
    change(N * S, x[0]); // expected-note {{called}}
#pragma omp single
    change(S, x[5]); // expected-warning {{use 'x'}}
  }
#pragma agglom wait
#pragma omp parallel sections
  {
#pragma omp section
    change(S, x[5]); // expected-note {{called}}
#pragma omp section
    change(S, x[5]); // expected-warning {{use 'x'}}
  }
#pragma agglom wait
}
int same_memory(void) {
  int sum = 0;
#pragma omp parallel for ordered
  for (int k = 0; k < N; ++k)
#pragma omp ordered
    // expected-warning@+1 {{different OpenMP threads submit units of task 'add' here that use the same memory of 'sum', which is written, and units of different threads have no order; submit them from one thread, let them accumulate(...), or put this and a '#pragma agglom wait own' into '#pragma omp critical'}}
    add(x[k], &sum);
#pragma agglom wait
#pragma omp parallel
#pragma omp critical
  add(x[0], &sum); // expected-warning {{use the same memory of 'sum'}}
#pragma agglom wait
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < N; ++k)
#pragma omp task
    add(x[k], &sum); // expected-warning {{use the same memory of 'sum'}}
#pragma agglom wait
#pragma omp parallel for
  for (int k = 1; k < N; ++k)
    pull(x[k], x[k], &f[0]); // expected-warning {{use the same memory of 'f'}}
#pragma agglom wait
#pragma omp parallel for
  for (int k = 0; k < N - 1; ++k)
    change(2 * S, x[k]); // expected-warning {{use the same memory of 'x'}}
#pragma agglom wait
#pragma omp parallel for
  for (int k = 1; k < N; ++k)
    add(x[k - 1], x[k]); // expected-warning {{use the same memory of 'x'}}
#pragma agglom wait
  return sum;
}
int copies(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int k = 0; k < N; ++k)
    // expected-warning@+1 {{each OpenMP thread has a copy of 'sum' here, which ends with the region, and units of task 'accumulate' may still have to write it; put '#pragma agglom wait own' behind this, or let them accumulate(...) into a variable that no clause of OpenMP names}}
    accumulate(x[k], &sum);
#pragma agglom wait
  return sum;
}
void depends(void) {
#pragma omp parallel
#pragma omp single
  for (int k = 1; k < N; ++k)
#pragma omp task depend(in : x[k - 1]) depend(out : x[k])
    // expected-warning@+1 {{'depend' orders OpenMP tasks, and this one is over when units of task 'add' are submitted, not when they are complete; end it with '#pragma agglom wait own', or leave the OpenMP tasks out: data clauses order the units that one thread submits}}
    add(x[k - 1], x[k]);
#pragma agglom wait
}
#pragma agglom task device(cpu) inout(x[0:n])
static void waits(int n, int *x) {
#pragma omp parallel for
  for (int k = 0; k < n; ++k) {
    change(1, &x[k]);
    // expected-warning@+1 {{this wait never ends where another thread than that of task 'waits' reaches it: it waits for this task as well, which ends behind the parallel region; write '#pragma agglom wait own'}}
#pragma agglom wait
  }
#pragma omp parallel
#pragma omp single
  {
    // expected-warning@+1 {{this loop never ends where another thread than that of task 'waits' reaches it: it waits for this task as well, which ends behind the parallel region; put it outside of the region, or give it 'nowait' with a '#pragma agglom wait own' behind it}}
#pragma agglom for inout(x[k])
    for (int k = 0; k < n; ++k)
      ++x[k];
  }
}
void starts(int n, int *x) {
  waits(n, x);
#pragma agglom wait
}
static double p[N];
double loops(int n, double *q, int rounds) {
  double sum = 0, *other = q + n;
#pragma omp parallel default(shared) // expected-note {{OpenMP directive is here}} expected-note {{OpenMP directive is here}} expected-note {{OpenMP directive is here}} expected-note {{OpenMP directive is here}}
  {
    // expected-warning@+1 {{each thread of this OpenMP region runs all iterations of this loop, which writes 'p'; leave '#pragma omp parallel' out, as the loop is shared by agglom's threads, or put '#pragma omp single' before it}}
#pragma agglom for inout(p[k])
    for (int k = 0; k < N; ++k)
      p[k] += 1;
    for (int r = 0; r < rounds; ++r) {
      // expected-warning@+1 {{each thread of this OpenMP region runs all iterations of this loop, which writes 'q'}}
#pragma agglom for inout(q[2 * k : 2])
      for (int k = 0; k < n; ++k)
        q[2 * k] += r;
    }
    // expected-warning@+1 {{which sums up into 'sum'}}
#pragma agglom for in(p[k]) reduction(+ : sum)
    for (int k = 0; k < N; ++k)
      sum += p[k];
    // expected-warning@+1 {{which writes}}
#pragma agglom for inout(other[k])
    for (int k = 0; k < n; ++k)
      other[k] *= 2;
  }
  return sum;
}
