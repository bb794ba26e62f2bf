// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may stand under declare, and that a definition is checked where it stands.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -ferror-limit=0 -Wno-main -Wno-deprecated-non-prototype -Xclang -verify %s
#include <stdlib.h>

#pragma agglom declare
double good(double x, int *counts);
#pragma agglom declare
extern const int table[4];
#pragma agglom declare
const int table[4] = {1, 2, 3, 4};
#pragma agglom declare
double good(double x, int *counts) {
  counts[0] += table[1];
  return x;
}

// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
static double local(double x) { return x; } // expected-error {{'local' is static or inline, so other translation units cannot use it, and this one needs no '#pragma agglom declare'; remove one of the two}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
inline double in_line(double x) { return x; } // expected-error {{'in_line' is static or inline}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
int variable_arguments(int n, ...); // expected-error {{'variable_arguments' cannot be declared for device code: that needs a function with a prototype, a fixed number of parameters, and another name than main}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
int no_prototype(); // expected-error {{'no_prototype' cannot be declared for device code}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
int main(void); // expected-error {{'main' cannot be declared for device code}}
#pragma agglom task
void task(void);
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
void task(void); // expected-error {{task 'task' cannot also stand under '#pragma agglom declare'; put its body into a function of its own and declare that}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
extern int changing; // expected-error {{'changing' is not const; only functions and const objects can be declared for device code, other objects are passed to tasks by pointer}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
const char *const words[] = {"one"}; // expected-error {{const object 'words' holds addresses, which are not the same on the device; one that is declared for other translation units may hold numbers only}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
static const int own = 3; // expected-error {{'own' is static or inline}}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
extern const volatile int status; // expected-error {{'status' is volatile or thread-local}}
#pragma agglom declare // expected-error {{'#pragma agglom declare' must stand directly before a function at file scope}}
typedef int nothing;
#pragma agglom declare device(cpu) // expected-error {{'#pragma agglom declare' has no clause 'device'; it belongs to '#pragma agglom task'}}
int with_clause(int x);

static int helper(int x) {
  return x + rand(); // expected-error {{library function 'rand' is not available in device code}}
}
// expected-note@+1 {{it becomes device code because of this}}
#pragma agglom declare
int uses_library(int x) {
  return helper(x); // expected-note {{'helper' becomes device code because 'uses_library' calls it here}}
}
struct list {
  struct list *next;
};
#pragma agglom declare
int follows(const struct list *l) {
  return l->next->next == 0; // expected-error {{this pointer is loaded from memory}}
}

#pragma agglom task inout(x[0:n])
void uses(int n, double *x, int *counts) {
  int c[2] = {0, 0};
  x[0] = good(table[n], c);
}

// The result of a function whose body is elsewhere: it may print, so code around loops calls it in one thread.
#pragma agglom declare
int elsewhere(int n);
#pragma agglom task inout(x[0:n])
void around(int n, double *x) {
  int k = elsewhere(n);
#pragma agglom loop // expected-warning {{both steers the unit and writes memory}}
  for (int i = 0; i < n; ++i)
    x[i] = k;
}
