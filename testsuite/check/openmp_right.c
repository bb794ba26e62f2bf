// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of OpenMP's threads that need no order, or have one.
// RUN: %agglomcc -fopenmp -fsyntax-only -Werror %s
// RUN: %agglomcc -fsyntax-only -Werror %s
#include "Inputs/openmp_tasks.h"
static int x[2 * N + 1][S], f[N];
#pragma agglom task independent inout(x[0:S])
static void mark(int *x) {
  for (int i = 0; i < S; ++i)
    x[i] ^= i;
}
int omp_get_thread_num(void);

void wait_between(void) {
  for (int t = 0; t < 9; ++t) {
#pragma omp parallel for
    for (int k = 0; k < N; ++k)
      pull(x[k], x[(k + 1) % N], &f[k]);
#pragma agglom wait
#pragma omp parallel for
    for (int k = 0; k < N; ++k)
      move(x[k], &f[k]);
#pragma agglom wait
  }
}
// A thread has the same iterations each time.
void same_thread(int n, int (*x)[S]) {
  for (int t = 0; t < 9; ++t) {
#pragma omp parallel for
    for (int k = 0; k < n; ++k)
      change(S, x[k]);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < n; ++k)
      change(S, x[k]);
  }
#pragma agglom wait
#pragma omp parallel
  for (int t = 0; t < 9; ++t) {
#pragma omp for schedule(static, 4)
    for (int k = 0; k < n; ++k)
      change(S, x[k]);
  }
#pragma agglom wait
}
void other_memory(void) {
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < N; ++k)
    change(S, x[k]);
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    change(S, x[k + N]);
  change(S, x[N * 2]);
  change(1, f);
#pragma agglom wait
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    add(x[k], x[k + N]);
#pragma agglom wait
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    change(S, x[k]);
  change(S, x[N]);
  change(S, x[0]); // of the first thread, which is this one
#pragma agglom wait
}
void only_read(void) {
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    pull(x[k], x[0], &f[k]);
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < N; ++k)
    accumulate(x[k], &f[0]);
#pragma agglom wait
}
int one_at_a_time(void) {
  int sum = 0;
#pragma omp parallel for
  for (int k = 0; k < N; ++k) {
#pragma omp critical
    {
      add(x[k], &sum);
#pragma agglom wait own
    }
  }
  return sum;
}
int one_thread(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < N; ++k)
    add(x[k], &sum);
#pragma agglom wait
#pragma omp parallel
  {
#pragma omp master
    add(x[0], &sum);
#pragma omp master
    for (int k = 0; k < N; ++k)
      add(x[k], &sum);
  }
  add(x[1], &sum);
#pragma agglom wait
#pragma omp parallel for num_threads(1)
  for (int k = 0; k < N; ++k)
    add(x[k], &sum);
#pragma omp parallel if (0)
  add(x[0], &sum);
#pragma omp parallel
  if (omp_get_thread_num() == 0)
    add(x[0], &sum);
#pragma agglom wait
  return sum;
}
void own_memory(void) {
#pragma omp parallel
  {
    int own[S] = {0}, me = omp_get_thread_num();
    change(S, own);
    change(S, x[me]);
    for (int k = me; k < N; k += 4)
      change(1, &f[k]);
#pragma agglom wait own
  }
  int copy[S] = {0};
#pragma omp parallel firstprivate(copy)
  {
    change(S, copy);
#pragma agglom wait own
  }
#pragma omp parallel for
  for (int k = 0; k < N; ++k) {
    int *row = x[k];
    for (int i = 0; i < S; ++i)
      change(1, &row[i]);
  }
#pragma agglom wait
}
void promised(void) {
#pragma omp parallel for schedule(dynamic, 10)
  for (int k = 0; k < N; ++k)
    mark(x[0]);
  mark(x[0]);
#pragma agglom wait
}
void ended_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int k = 1; k < N; ++k)
#pragma omp task depend(in : x[k - 1]) depend(out : x[k])
  {
    add(x[k - 1], x[k]);
#pragma agglom wait own
  }
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < N; ++k)
#pragma omp task
    change(S, x[k]);
#pragma agglom wait
}
#pragma agglom task device(cpu) inout(x[0:n])
static void waits(int n, int *x) {
#pragma omp parallel for
  for (int k = 0; k < n; ++k) {
    change(1, &x[k]);
#pragma agglom wait own
  }
#pragma omp parallel
#pragma omp master
  {
#pragma agglom wait
  }
#pragma agglom wait
#pragma agglom for inout(x[k])
  for (int k = 0; k < n; ++k)
    ++x[k];
}
void starts(int n, int *x) {
  waits(n, x);
#pragma agglom wait
}
/* Each thread has a loop of its own, or one has it. */
double loops(int n, double *p, double *q, int me(void)) {
  double total = 0;
#pragma omp parallel
  {
    int k0 = me() * n;
    double sum = 0, mine[8], *rows = p + k0;
#pragma agglom for inout(p[k0 + k])
    for (int k = 0; k < n; ++k)
      p[k0 + k] += 1;
#pragma agglom for inout(p[k])
    for (int k = k0; k < k0 + n; ++k)
      p[k] += 1;
#pragma agglom for inout(rows[k])
    for (int k = 0; k < n; ++k)
      rows[k] += 1;
#pragma agglom for out(mine[k])
    for (int k = 0; k < 8; ++k)
      mine[k] = k;
#pragma agglom for in(mine[k]) reduction(+ : sum)
    for (int k = 0; k < 8; ++k)
      sum += mine[k];
    if (me() == 0) {
#pragma agglom for inout(p[k])
      for (int k = 0; k < n; ++k)
        p[k] += 1;
    }
#pragma omp single
    {
#pragma agglom for inout(p[k])
      for (int k = 0; k < n; ++k)
        p[k] += 1;
    }
#pragma omp single
#pragma agglom for inout(p[k])
#pragma omp simd
    for (int k = 0; k < n; ++k)
      p[k] += 1;
#pragma omp master
#pragma agglom for inout(p[k])
    for (int k = 0; k < n; ++k)
      p[k] += 1;
#pragma omp atomic
    total += sum;
  }
#pragma omp parallel if (0)
  {
#pragma agglom for inout(q[k])
    for (int k = 0; k < n; ++k)
      q[k] += 1;
  }
  return total;
}
