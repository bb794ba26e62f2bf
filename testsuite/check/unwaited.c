// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host code that uses what units still read or write: said where it is certain, with a fix-it, and nowhere else.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-wait %s 2>&1 | count 0
// RUN: not %agglomcc -fsyntax-only -Werror=agglom-wait %s 2> /dev/null
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> /dev/null && %agglomcc -fsyntax-only -Werror %t.c && %cc -fsyntax-only -w %t.c
// RUN: sed -e 's|//.*||' -e '/^ *$/d' %t.c | FileCheck %s --check-prefix=FIXED
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10, COLUMNS = 4 };

#pragma agglom task in(row[0 : n]) out(sum[0 : 1])
void add_up(const double *row, int n, double *sum) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += row[i];
  *sum = s;
}
#pragma agglom task inout(x[0 : n])
void scale(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}
#pragma agglom task inout(A[0 : n][0 : m])
void clear(int n, int m, double A[n][m]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i][j] = 0;
}
struct pair {
  double first, second;
};
#pragma agglom task out(*p)
void fill(struct pair *p) { p->first = p->second = 1; }

static double total;
static double *shared;
#pragma agglom task inout(total, shared[0 : n])
void add_total(int n) { total += shared[n - 1]++; }

void elsewhere(void);
static void finish(void) {
#pragma agglom wait
}
static void print(int n, const double *x) {
  for (int i = 0; i < n; ++i)
    printf("%g\n", x[i]);
}
static void print_then_wait(int n, const double *x) {
  finish();
  print(n, x);
}
static double first_of(const double *x) { return x[0]; }
static void set_shared(void) { shared = malloc(8); }

void whole_array(int k) {
  static double table[ROWS][COLUMNS], sums[ROWS];
  for (int r = 0; r < ROWS; ++r)
    add_up(table[r], COLUMNS, &sums[r]); // expected-note {{the task is called here, with out(sum[0 : 1])}}
  // FIXED: add_up(table[r], COLUMNS, &sums[r]);
  // FIXED: {{^}}#pragma agglom wait
  // FIXED-NEXT: printf("%g\n", sums[k]);
  // expected-warning@+1 {{'sums' is read here, and units of task 'add_up' may still have to write it; put '#pragma agglom wait' before this}}
  printf("%g\n", sums[k]);
  for (int r = 0; r < ROWS; ++r)
    add_up(table[r], COLUMNS, &sums[r]); // expected-note {{the task is called here, with in(row[0 : n])}}
  // expected-warning@+1 {{'table' is written here, and units of task 'add_up' may still have to read it;}}
  table[0][0] = 1;
}

void through_pointers(int n, double *x) {
  scale(n, x); // expected-note {{the task is called here, with inout(x[0 : n])}}
  // FIXED: scale(n, x);
  // FIXED-NEXT: {{^}}#pragma agglom wait
  // FIXED-NEXT: {{^}}#pragma GCC ivdep
#pragma GCC ivdep
  for (int i = 0; i < n; ++i)
    x[i] += 1; // expected-warning {{'x' is written here, and units of task 'scale'}}
  scale(n, x); // expected-note {{the task is called here}}
  for (int i = n - 1; i >= 0; --i)
    x[i] = 0;  // expected-warning {{'x' is written here, and units of task 'scale'}}
  scale(n, x); // expected-note {{the task is called here}}
  x[n - 1]++;  // expected-warning {{'x' is written here}}
  scale(4, x + 3); // expected-note {{the task is called here}}
  x[6] = x[7]; // expected-warning {{'x' is written here}}
  *(x + 5) = 1; // no second time
}

void by_functions(int n, double *x, double *y) {
  scale(n, x);                  // expected-note {{the task is called here}}
  print(n, x);                  // expected-warning {{'x' is read here}}
  scale(n, x);                  // expected-note {{the task is called here}}
  y[0] = first_of(x);           // expected-warning {{'x' is read here}}
  scale(n, x);                  // expected-note {{the task is called here}}
  memcpy(y, x, n * sizeof *x);  // expected-warning {{'x' is read here}}
  scale(n, x);                  // expected-note {{the task is called here}}
  memset(x, 0, 8);              // expected-warning {{'x' is written here}}
  scale(n / 2, x + n / 2);      // expected-note {{the task is called here}}
  free(x);                      // expected-warning {{'x' is freed here, and units of task 'scale' may still have to write it;}}
}

double objects(int n, int m, double A[n][m], int late) {
  struct pair p;
  double s = 0, sum;
  fill(&p);      // expected-note {{the task is called here, with out(*p)}}
  s += p.second; // expected-warning {{'p' is read here}}
  clear(n, m, A); // expected-note {{the task is called here, with inout(A[0 : n][0 : m])}}
  s += A[0][0];   // expected-warning {{'A' is read here}}
  add_total(n);   // expected-note {{the task is called here, with inout(total)}}
  s += total;     // expected-warning {{'total' is read here}}
  add_up(A[0], m, &sum); // expected-note {{the task is called here}}
  // FIXED: add_up(A[0], m, &sum);
  // FIXED-NEXT: {{^}}#pragma agglom wait
  if (late)
    return sum; // expected-warning {{'sum' is read here}}
  return s;
}

// One statement a line is a habit, not a rule.
double on_one_line(double *x) {
  // FIXED: scale(1, x);
  // FIXED-NEXT: {{^}}#pragma agglom wait
  // FIXED-NEXT: return *x; }
  { scale(1, x); return *x; } // expected-note {{called}} expected-warning {{'x' is read here}}
}

void in_a_loop(int n, double *x, double *sums) {
  double all = 0;
  for (int r = 0; r < n; ++r) {
    int at = 2 * r;
    scale(1, &sums[at]); // expected-note {{the task is called here}}
    // FIXED: scale(1, &sums[at]);
    // FIXED-NEXT: {{^}}#pragma agglom wait
    all += sums[2 * r]; // expected-warning {{'sums' is read here}}
  }
  if (n > 2)
    scale(n, x); // expected-note {{the task is called here}}
  switch (n) {
  case 1:
    break;
  }
  // FIXED: break;
  // FIXED-NEXT: }
  // FIXED-NEXT: {{^}}#pragma agglom wait
  all += x[0] + x[1]; // expected-warning {{'x' is read here}}
  printf("%g\n", all);
}

#pragma agglom task inout(x[0 : n]) device(cpu)
void submits(int n, double *x) {
  scale(n, x); // expected-note {{the task is called here}}
  x[0] = 1;    // expected-warning {{'x' is written here}}
}

// Fine from here on: what a wait covers, and all that is not certain.
void waits(int n, double *x, int k) {
  scale(n, x);
#pragma agglom wait
  x[0] = 1;
  scale(n, x);
  finish();
  x[0] = 1;
  scale(n, x);
  elsewhere();
  x[0] = 1;
  scale(n, x);
  print_then_wait(n, x);
  x[0] = 1;
  scale(n, x);
  if (k) {
#pragma agglom wait
  }
  x[0] = 1;
}

double other_memory(int n, double *x, double *y, int k) {
  static double a[8], s;
  scale(n / 2, x); // the host takes the other half
  for (int i = n / 2; i < n; ++i)
    x[i] *= 2;
  print(n - n / 2, x + n / 2);
  scale(4, a + 4);
  for (int i = 0; i < 4; ++i)
    a[i] = 0;
  a[k] = 1;
  scale(n, x);
  s += x[k];
  for (int i = 0; i < n; ++i)
    if (i >= n / 2)
      s += x[i];
  for (int i = 0; i < n; ++i) {
    if (i < k)
      continue;
    s += x[i];
  }
  double *next = x;
  scale(n, next);
  next = y;
  next[0] = 1;
  shared = x;
  add_total(n); // expected-note {{the task is called here, with inout(shared[0 : n])}}
  set_shared(); // expected-warning {{'shared' is written here, and units of task 'add_total' may still have to read it}}
  shared[0] = 1;
  assert(sizeof x[0] == 8 && &x[0] == x);
  add_up(y, n, &s);
  return y[0];
}

double not_on_this_way(int n, double *x, int units) {
  if (units)
    scale(n, x);
  else
    x[0] = 2;
  if (!units)
    return x[0];
  if (units) {
    scale(n, x);
    return 0;
  }
  for (int i = 0; i < n; ++i) {
    if (i == 0)
      continue;
    scale(1, &x[i]);
  }
  return x[0];
}

double a_loop_or_a_goto(int n, double *x, double *sums) {
  for (int r = 0; r < n; ++r) {
    double s = r ? sums[r - 1] : 0;
    sums[r] = s;
#pragma agglom wait
    scale(1, &sums[r]);
  }
  goto out;
inside:
  return x[0];
out:
  scale(n, x);
  if (n)
    goto end;
  goto inside;
end:
  return 0;
}

// In device code a call of a task is a plain call.
static double helper(double *x) {
  scale(1, x);
  return x[0];
}
#pragma agglom task inout(x[0 : 2])
void calls_helper(double *x) {
  scale(1, x);
  x[1] = x[0] + helper(x);
}

// Nothing is read that is only said to be unused; what leads there is.
void unused(int k) {
  double x[4] = {0}, sum;
  struct pair both;
  volatile double *v = x;
  add_up(x, 4, &sum);
  fill(&both);
  (void)sum;
  (void)both.first, (void)(&both)->second;
  (void)x[k];
  scale(4, x);
  (void)x[k];
  // expected-warning@+2 {{'x' is read here, and units of task 'scale' may still have to write it}}
  // expected-note@-3 {{the task is called here, with inout(x[0 : n])}}
  (void)x[(int)x[k]];
#pragma agglom wait
  scale(4, x);
  // expected-warning@+2 {{'x' is read here, and units of task 'scale' may still have to write it}}
  // expected-note@-2 {{the task is called here, with inout(x[0 : n])}}
  (void)*(volatile double *)x;
#pragma agglom wait
  (void)v;
}

void for_this_thread_alone(int n, double *x) {
  scale(n, x);
#pragma agglom wait own
  x[0] = 1;
  scale(n, x);
#pragma agglom wait own on(x[0:n])
  x[0] = 1;
#pragma agglom wait own
}
