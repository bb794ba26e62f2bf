// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function of another file may write what it is given, unless its declaration says that it does not.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
#pragma agglom declare
int reads(const int *p);
#pragma agglom declare
int perhaps(int n, int *); // expected-note 2 {{'perhaps' is defined elsewhere and may write through this parameter; if it does not, declare it as a pointer to const}}
static int writes(int *p) { return *p = 1; }

void loops(int n, int *p, int *q) {
#pragma agglom for in(p[i]) out(q[i])
  for (int i = 0; i < n; ++i)
    q[i] = reads(&p[i]);
#pragma agglom for in(p[i]) out(q[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    q[i] = perhaps(1, &p[i]); // expected-error {{the loop writes through 'p', which it only declares as 'in'}}
#pragma agglom for in(p[i]) out(q[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    q[i] = writes(&p[i]); // expected-error {{the loop writes through 'p', which it only declares as 'in'}}
}
#pragma agglom task in(p[0:1]) // expected-note {{the task is declared here}}
void task(int *p) {
  perhaps(2, p); // expected-error {{task 'task' writes through 'p', which it only declares as 'in'}}
}
