// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that call themselves in device code: a warning, said once for each cycle, and an error where no depth or no
// stack would do.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-sections -Wno-agglom-work -ferror-limit=0 -Wno-infinite-recursion -Xclang -verify %s
// RUN: not %agglomcc -fsyntax-only -Wno-agglom-sections -Wno-agglom-work -Wno-agglom-recursion -Wno-infinite-recursion %s 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=warning:
// OFF: error: every way through
// RUN: not %agglomcc -fsyntax-only -Wno-agglom-sections -Wno-agglom-work -w -Werror=agglom-recursion %s 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{.*}}'factorial' calls itself
#include <stdlib.h>

// expected-warning@+1 {{recursion in device code: 'factorial' calls itself; a device thread has 12288 bytes of stack for that, and when it needs more the launch ends, the device is not used any more, and the units run on the CPU [-Wagglom-recursion]}}
static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
#pragma agglom task inout(x[0:n])
void once(int n, double *x) { x[0] = factorial(n); }
#pragma agglom task inout(x[0:n])
void not_again(int n, double *x) { x[0] = factorial(n); }

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 || odd(n - 1); } // expected-warning {{recursion in device code: 'even' calls 'odd', which calls 'even'; a device}}
static int odd(unsigned n) { return n != 0 && even(n - 1); }
#pragma agglom task inout(x[0:n])
void mutual(unsigned n, double *x) { x[0] = even(n) + odd(n); }

// The shortest way round, of several.
static int b(int n);
static int c(int n);
static int a(int n) { return n ? b(n - 1) + c(n - 2) : 0; } // expected-warning {{recursion in device code: 'a' calls 'c', which calls 'a'}}
static int b(int n) { return n ? c(n - 1) : 1; }
static int c(int n) { return n > 5 ? a(n - 1) + b(n - 5) : 2; }
#pragma agglom task inout(x[0:n])
void three(int n, double *x) { x[0] = a(n); }

// The task itself: calls of tasks are plain calls in a unit.
#pragma agglom task inout(x[0:n])
void halves(int n, double *x) { // expected-warning {{recursion in device code: 'halves' calls itself}}
  x[n / 2] += n;
  if (n > 1)
    halves(n / 2, x);
}

static int table[4];
#pragma agglom task inout(x[0:n]) in(table[0:4])
void with_table(int n, double *x) { // expected-error {{'table' is named in a data clause, so the task itself may use it, but not a function that it calls; pass 'table' as a parameter}}
  x[0] = table[n & 3];
  if (n)
    with_table(n - 1, x);
}

// No way out.
static int for_ever(int n) { return for_ever(n + 1); } // expected-error {{every way through 'for_ever' calls it again, directly or through others, so its depth has no bound and it cannot become device code}}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void endless(int n, double *x) { x[0] = for_ever(n); }
static int pong(int n);
static int ping(int n) { // expected-error {{every way through 'ping' calls it again}}
  if (n % 2)
    return pong(n / 2);
  else
    return pong(n - 1) + 1;
}
static int pong(int n) { return ping(n); }
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void endless_pair(int n, double *x) { x[0] = ping(n); }
// One of the two has a way out: both have.
static int down(int n);
static int up(int n) { return down(n); } // expected-warning {{'up' calls 'down', which calls 'up'}}
static int down(int n) {
  for (int i = 0; i < n; i++)
    if (up(n - 1))
      return 1;
  return 0;
}
#pragma agglom task inout(x[0:n])
void way_out(int n, double *x) { x[0] = up(n); }
// A way that ends the program is one.
static int until_abort(int n) { // expected-warning {{'until_abort' calls itself}}
  if (!n)
    abort();
  return until_abort(n - 1);
}
#pragma agglom task inout(x[0:n])
void aborting(int n, double *x) { x[0] = until_abort(n); }

// Much on the stack.
static int large(int n) { // expected-error {{'large' calls itself, and takes about 8324 bytes of the stack each time, of which device code has 4096 for one call; keep large arrays elsewhere, or make the task or loop device(cpu)}}
  int all[2048] = {n};
  return n ? large(n - 1) + all[n] : 0;
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void much(int n, double *x) { x[0] = large(n); }
static int buffer(int n) {
  char all[4000] = {1};
  return all[n];
}
static int calls_large(int n) { return n ? calls_large(buffer(n)) : 0; } // expected-error {{'calls_large' calls itself, and takes about 4264 bytes}}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void much_below(int n, double *x) { x[0] = calls_large(n); }

// A variant is called by a block; the body beside it is not device code.
static int leaf(int n) { return n ? leaf(n / 2) + 1 : 0; } // expected-warning {{'leaf' calls itself}}
static void recursive_cuda(int n, double *x) { // expected-error {{variant 'recursive_cuda' calls itself; block-shared objects and barriers would not be those of one call: let a function that it calls be recursive instead}}
  if (n)
    recursive_cuda(n - 1, x + 1);
  x[0] = n;
}
static void helped_cuda(int n, double *x) { x[0] = leaf(n); }
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n]) variant(cuda: recursive_cuda)
void variant(int n, double *x) { x[0] = n; }
static int on_host(int n) { return n ? on_host(n / 2) + 1 : 0; }
#pragma agglom task inout(x[0:n]) variant(cuda: helped_cuda)
void helped(int n, double *x) { x[0] = on_host(n); }

// On the way to it.
static int deep(int n) { return n ? deep(n / 2) + 1 : 0; } // expected-warning {{'deep' calls itself}}
static int wide(int n) {
  int many[600] = {n};
  return deep(many[n]);
}
static int beside(int n) {
  char other[4000] = {1}; // not at the same time
  return other[n];
}
#pragma agglom task inout(x[0:n])
void narrow_caller(int n, double *x) { x[0] = wide(n) + beside(n); }
#pragma agglom task inout(x[0:n])
void wide_caller(int n, double *x) { // expected-error {{'wide_caller' and the functions between it and recursive ones have about 4272 bytes of variables on the stack, and there a device thread has 4096; keep large arrays elsewhere, or make the task or loop device(cpu)}}
  double few[200] = {0};
  x[0] = wide(n) + few[n];
}

// Who uses it is not known.
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
int others(int n) { return n ? others(n - 1) : 0; } // expected-error {{'others' calls itself, which a function under '#pragma agglom declare' and those that it calls cannot do; the tasks that use it are not known here}}

// What functions that call each other write is known all the same.
static void fill(int n, int *x);
static void fill_rest(int n, int *y) {
  if (n)
    fill(n - 1, y + 1);
}
static void fill(int n, int *x) { // expected-warning {{'fill' calls 'fill_rest', which calls 'fill'}}
  fill_rest(n, x);
  *x = n;
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(x[0:n]) out(z[0:n])
void writes_in(int n, int *x, int *z) {
  fill(0, z);
  fill_rest(n, x); // expected-error {{task 'writes_in' writes through 'x', which it only declares as 'in'}}
}
