// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function of clause 'variant': its form, its body, and what only it may use.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -ferror-limit=0 -Wno-deprecated-non-prototype -Wno-c23-extensions -Wunused-function -I%include -Xclang -verify %s
#include <agglom/device.h>
#include <stdlib.h>

// Nothing is needed where the task has no body: another unit makes the kernel.
#pragma agglom task inout(x[0:n]) variant(cuda: defined_elsewhere)
void elsewhere(int n, double *x);

#pragma agglom task inout(x[0:n]) variant(cuda: nowhere) // expected-error {{no function 'nowhere' is defined in this translation unit; a variant becomes the kernel of task 'no_variant', so define it here (in a header: static inline)}}
void no_variant(int n, double *x) { x[0] = n; }
void declared_cuda(int n, double *x);
#pragma agglom task inout(x[0:n]) variant(cuda: declared_cuda) // expected-error {{no function 'declared_cuda' is defined in this translation unit}}
void only_declared(int n, double *x) { x[0] = n; }
static int variable_cuda;
#pragma agglom task inout(x[0:n]) variant(cuda: variable_cuda) // expected-error {{no function 'variable_cuda' is defined in this translation unit}}
void variable(int n, double *x) { x[0] = n; }
#pragma agglom task inout(x[0:n]) variant(cuda: itself) // expected-error {{'itself' is a task itself; the variant of task 'itself' must be a function that is none}}
void itself(int n, double *x) { x[0] = n; }

// Its form.
enum colour { RED };
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: result_cuda)
void result(int n, double *x) { x[0] = n; }
int result_cuda(int n, double *x) { return x[0] = n, n; } // expected-error {{variant 'result_cuda' must return void and have exactly the parameters of task 'result': it returns 'int'}}
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: more_cuda)
void more(int n, double *x) { x[0] = n; }
void more_cuda(int n, double *x, int m) { x[0] = n + m; } // expected-error {{the parameters of task 'more': it has 3, and the task has 2}}
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: dots_cuda)
void dots(int n, double *x) { x[0] = n; }
void dots_cuda(int n, double *x, ...) { x[0] = n; } // expected-error {{the parameters of task 'dots': it takes variable arguments}}
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: old_cuda)
void old(int n, double *x) { x[0] = n; }
void old_cuda(n, x) int n; double *x; { x[0] = n; } // expected-error {{the parameters of task 'old': its parameters are not spelt in its declaration}}
// expected-note@+1 3 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) in(f[0:1], a[0:n][0:m]) variant(cuda: types_cuda)
void types(int n, int m, double *x, enum colour e, const float *f, int a[n][m]) { x[0] = n + e + f[0] + a[0][0]; }
void types_cuda(int n, long m, // expected-error {{parameter 'm' of variant 'types_cuda' has type 'long', and in the task 'm' it has type 'int'; the two must be the same}}
                double *const x, enum colour e,
                float *g,       // expected-error {{parameter 'g' of variant 'types_cuda' has type 'float *', and in the task 'f' it has type 'const float *'}}
                int a[m][n]) {} // expected-error {{parameter 'a' of variant 'types_cuda' has type}}
#pragma agglom task inout(x[0:n]) variant(cuda: unnamed_cuda)
void unnamed(int n, double *x) { x[0] = n; }
void unnamed_cuda(int, double *x) { x[0] = 0; } // expected-error {{a parameter of the task's definition has no name}}
// Arrays of variable size are the same when their sizes are the same expressions.
#pragma agglom task inout(a[0:n][0:m], b[0:n]) variant(cuda: same_cuda)
void same(int n, int m, int a[n][m + 1], int (*b)[3]) { a[0][0] = b[0][0] = 1; }
void same_cuda(const int rows, int columns, int (*a)[columns + 1], int b[restrict][3]) { a[0][0] = b[0][0] = 1; }
#pragma agglom task inout(b[0:n]) variant(cuda: size_cuda)
void size(int n, int (*b)[3]) { b[0][0] = 1; }
// expected-note@-2 {{it becomes the kernel}}
void size_cuda(int n, int (*b)[4]) { b[0][0] = 1; } // expected-error {{parameter 'b' of variant 'size_cuda' has type 'int (*)[4]', and in the task 'b' it has type 'int (*)[3]'}}

// What it does: as the body of any task, with the sections of its task.
static int counter;
static void helper(int *x) { x[0] = counter; } // expected-error {{'counter' is a variable outside the task and not const}}
// expected-note@-2 {{'counter' is declared here}}
static void body_cuda(int n, int *y, const int *z, int *w) {
  helper(y);      // expected-note {{'helper' becomes device code because 'body_cuda' calls it here}}
  y[0] = rand();  // expected-error {{library function 'rand' is not available in device code}}
  static int many; // expected-error {{static local variable 'many' keeps state between calls}}
  w[0] = z[0];    // expected-error {{task 'body' dereferences its parameter 'w', but no data clause names it; add out(other[0:1])}}
  many = z[1];
}
// expected-note@+1 3 {{it becomes the kernel of the task because of this}} expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n]) in(z[0:n]) variant(cuda: body_cuda)
void body(int n, int *x, const int *z, int *other) { x[0] = z[0]; }

static void writes_cuda(int n, int *y) { y[0] = n; } // expected-error {{task 'writes' writes through 'y', which it only declares as 'in'; make it out(...) or inout(...)}}
#pragma agglom task in(x[0:n]) out(y[0:n]) variant(cuda: writes_both_cuda)
void writes_both(int n, int *x, int *y) { y[0] = x[0]; }
static void writes_both_cuda(int n, int *y, int *x) { x[0] = y[0]; }
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(x[0:n]) variant(cuda: writes_cuda)
void writes(int n, int *x) { (void)x[0]; }

static void reads_cuda(int n, long *total) { total[0] = n; } // expected-error {{memory of 'accumulate(+: t[0:1])' may only be updated, as in x += e; here it is changed in another way}}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task accumulate(+: t[0:1]) variant(cuda: reads_cuda)
void reads(int n, long *t) { t[0] += n; }

// A body that could not become device code: on the CPU and on the emulated device it is what runs, under the same rules.
static void simple_cuda(int n, int *x) { x[0] = n; }
#pragma agglom task inout(x[0:n]) variant(cuda: simple_cuda)
void not_simple(int n, int *x) { x[0] = rand(); } // expected-error {{library function 'rand' is not available in device code}}

// The threads share the work themselves.
static void loop_cuda(int n, int *x) {
#pragma agglom loop // expected-error {{'#pragma agglom loop' stands in 'loop_cuda', the hand-written variant of task 'looping', whose threads share the work themselves by agglom_thread() and agglom_threads(); remove the pragma}}
  for (int i = 0; i < n; i++)
    x[i] = i;
}
#pragma agglom task inout(x[0:n]) variant(cuda: loop_cuda)
void looping(int n, int *x) { x[0] = n; }
// expected-note@+1 2 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: simple_cuda)
void mapped(int n, int *x) {
#pragma agglom loop map(block)
  for (int i = 0; i < n; i++)
    x[i] = i;
#pragma agglom loop map(auto)
  for (int i = 0; i < n; i++) {
#pragma agglom loop map(thread)
    for (int j = 0; j < 1; j++)
      x[i] = i;
  }
#pragma agglom loop map(warp) // expected-error {{map(warp) is not possible: a block runs the hand-written variant 'simple_cuda'; write map(block), or no map}}
  for (int i = 0; i < n; i++)
    x[i] = i;
#pragma agglom loop map(thread) // expected-error {{map(thread) is not possible}}
  for (int i = 0; i < n; i++)
    x[i] = i;
}

// Memory that only one of the two uses.
static void scratch_cuda(int n, int *x, int *scratch) { scratch[0] = x[0] = n; }
#pragma agglom task inout(x[0:n], s[0:n]) variant(cuda: scratch_cuda)
void scratch(int n, int *x, int *s) { x[0] = n; }
#pragma agglom task inout(x[0:n], s[0:n]) variant(cuda: scratch_cuda)
void scratch_read(int n, int *x, int *s) { x[0] = n + s[0]; }

// What only a variant may use, also in the functions that it calls.
static int rank(void) { // for both
  AGGLOM_SHARED int once; // expected-error {{'once' is for the hand-written function of a 'variant' clause; in what agglomcc makes of a task's body the threads are its own affair}}
  once = (int)agglom_thread(); // expected-error {{'agglom_thread' is for the hand-written function of a 'variant' clause}}
  return once + agglom_sum_int(1); // expected-error {{'agglom_sum_int' is for the hand-written function}}
}
static void ranks_cuda(int n, int *x) { x[rank()] = n; }
// expected-note@+1 3 {{the task is declared here}}
#pragma agglom task inout(x[0:n]) variant(cuda: ranks_cuda)
void ranks(int n, int *x) { x[rank()] = n; } // expected-note 3 {{'rank' becomes device code because 'ranks' calls it here}}

// Block-shared memory.
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: initial_cuda)
void initial(int n, int *x) { x[0] = n; }
static void initial_cuda(int n, int *x) {
  AGGLOM_SHARED int sum = 1; // expected-error {{block-shared object 'sum' cannot have an initial value; let one thread assign it and call agglom_barrier()}}
  x[0] = sum;
}
static void fits_cuda(int n, int *x) {
  AGGLOM_SHARED int all[12288];
  x[0] = all[n];
}
static int more_memory(int n) {
  AGGLOM_SHARED char one; // expected-error {{with 'one' the variant of task 'big' uses 49153 bytes of block-shared memory; a block has 49152}}
  return one;
}
static void big_cuda(int n, int *x) {
  AGGLOM_SHARED int all[12288];
  x[0] = all[n] + more_memory(n);
}
static void sums_cuda(int n, int *x) {
  AGGLOM_SHARED int all[10241]; // expected-error {{with 'all' the variant of task 'sums' uses 49156 bytes of block-shared memory; a block has 49152}}
  x[0] = agglom_sum_int(all[n]);
}
#pragma agglom task inout(x[0:n]) variant(cuda: fits_cuda)
void fits(int n, int *x) { x[0] = n; }
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: big_cuda)
void big(int n, int *x) { x[0] = n; }
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: sums_cuda)
void sums(int n, int *x) { x[0] = n; }
// Thread-local memory of the user's own is another thing.
static void own_cuda(int n, int *x) {
  static _Thread_local int calls; // expected-error {{static local variable 'calls' keeps state between calls}}
  x[0] = ++calls;
}
// expected-note@+1 {{it becomes the kernel of the task because of this}}
#pragma agglom task inout(x[0:n]) variant(cuda: own_cuda)
void own(int n, int *x) { x[0] = n; }

// On the host they are ordinary functions.
int host(void) { return (int)agglom_thread() + agglom_sum_int(3); }
