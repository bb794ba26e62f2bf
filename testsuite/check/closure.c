// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What cannot become device code is said at its own line, once, with the chain
// of calls that led there.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Wno-unused-variable -Xclang -verify %s

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

double elsewhere(double x); // expected-note {{'elsewhere' is declared here}}
static double deep(double x) {
  return elsewhere(x); // expected-error {{'elsewhere' has no definition in this translation unit and cannot become device code; define it here (static inline in a header), put '#pragma agglom declare' before its declaration and its definition, or make the task or loop device(cpu)}}
}
static double middle(double x) {
  return deep(x); // expected-note {{'deep' becomes device code because 'middle' calls it here}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void chain(int n, double *x) {
  x[0] = middle(n); // expected-note {{'middle' becomes device code because 'chain' calls it here}}
}

static double (*pointer)(double);
#pragma agglom task inout(x[0:n])
void through_pointer(int n, double *x) {
  x[0] = pointer(n); // expected-error {{a call through a function pointer cannot become device code}}
}
static double twice(double x) { return 2 * x; }
#pragma agglom task inout(x[0:n])
void address_of_function(int n, double *x) {
  double (*f)(double) = twice; // expected-error {{the address of function 'twice' cannot be used in device code}}
  x[0] = n;
}
#pragma agglom task inout(x[0:n])
void library(int n, double *x) {
  x[0] = atoi("3");  // expected-error {{library function 'atoi' is not available in device code}}
  snprintf((char *)x, 8, "%d\n", n); // expected-error {{'snprintf' takes variable arguments and cannot become device code}}
}
#pragma agglom task inout(x[0:n])
void assembly(int n, double *x) {
  __asm__("nop"); // expected-error {{inline assembly cannot become device code}}
  x[0] = n;
}
#pragma agglom task inout(x[0:n])
void variable_length(int n, double *x) {
  double v[n]; // expected-error {{'v' has variable length; an array in device code needs a constant size}}
  v[0] = n;
  x[0] = v[0];
}
#pragma agglom task inout(x[0:n])
void stack(int n, double *x) {
  double *v = __builtin_alloca(8); // expected-error {{'__builtin_alloca' cannot become device code: the device has no growing stack}}
  v[0] = n;
  x[0] = v[0];
}
static jmp_buf place; // expected-note {{'place' is declared here}}
#pragma agglom task inout(x[0:n])
void jumps(int n, double *x) {
  longjmp(place, n); // expected-error {{'longjmp' cannot become device code}} expected-error {{'place' is a variable outside the task and not const}}
  x[0] = n;
}
#pragma agglom task inout(x[0:n])
void wide(int n, double *x) {
  x[0] = (double)((long double)n * 2); // expected-error {{'long double' cannot become device code; use double}}
}
#pragma agglom task inout(x[0:n])
void complex(int n, double *x) {
  _Complex double z = n; // expected-error {{'_Complex double' cannot become device code}}
  x[0] = __real__ z;
}
#pragma agglom task inout(x[0:n])
void reserved(int n, double *x, int ag_n) { // expected-error {{names that begin with ag_ or AG_ are used in generated code; rename 'ag_n'}}
  int AG_k = n; // no use, no harm
  x[0] = n;
}
static double größe(double x) { return x; }
#pragma agglom task inout(x[0:n])
void übel(int n, double *x) {
  x[0] = größe(n); // expected-error {{'größe' has letters outside ASCII in its name, which device code cannot have}}
}
static int counter; // expected-note {{'counter' is declared here}}
#pragma agglom task inout(x[0:n])
void global(int n, double *x) {
  x[0] = counter; x[1] = counter; // said once: expected-error {{'counter' is a variable outside the task and not const; name it in a data clause, such as in(counter)}}
}
static int seed = 7; // expected-note {{'seed' is declared here}}
static double seeded(void) { return seed; } // expected-error {{'seed' is a variable outside the task and not const; make it const if nothing changes it, or pass a pointer to it as a parameter and name that in a data clause}}
#pragma agglom task inout(x[0:n]) // expected-note {{the task is declared here}}
void of_helper(int n, double *x) {
  x[0] = seeded(); // expected-note {{'seeded' becomes device code because 'of_helper' calls it here}}
}
#pragma agglom task inout(x[0:n])
void static_local(int n, double *x) {
  static int calls = 0; // expected-error {{static local variable 'calls' keeps state between calls}}
  x[0] = calls++;
}
static _Thread_local int mine;
#pragma agglom task inout(x[0:n])
void thread_local_variable(int n, double *x) {
  x[0] = mine; // expected-error {{'mine' is volatile or thread-local and cannot become device code}}
}
extern const double unknown[4];
#pragma agglom task inout(x[0:n])
void no_value(int n, double *x) {
  x[0] = unknown[1]; // expected-error {{const object 'unknown' has no initial value in this translation unit}}
}
static const char *const names[] = {"a", "b"};
#pragma agglom task inout(x[0:n])
void addresses(int n, double *x) {
  x[0] = names[n][0];
}
static double variable, *const to_variable = &variable; // expected-note {{this is a host address}}
typedef int compare(const void *, const void *);
static int by_value(const void *a, const void *b) { return a < b; }
struct order {
  const char *name;
  compare *with;
};
static const struct order orders[] = {{"none", 0}, {"value", by_value}}; // expected-note {{this is a host address}}
extern const int later;
static const int *const to_later = &later; // expected-note {{this is a host address}}
const int later = 3;
#pragma agglom task inout(x[0:n])
void host_addresses(int n, double *x) {
  x[0] = *to_variable;       // expected-error {{const object 'to_variable' holds addresses that are host addresses; in device code only those of string literals and of const objects defined before it can be used}}
  x[1] = orders[n].name[0];  // expected-error {{const object 'orders' holds addresses}}
  x[2] = *to_later;          // expected-error {{const object 'to_later' holds addresses}}
  static int *const local[] = {0, (int *)4096}; // expected-error {{const object 'local' holds addresses}} expected-note {{this is a host address}}
  x[3] = *local[n];
}
#pragma agglom task inout(x[0:n])
void label(int n, double *x) {
  void *p = &&out; // expected-error {{the address of a label cannot become device code}}
out:
  x[0] = n;
}
static double deep_in_loop(double x) {
  return rand() * x; // expected-error {{library function 'rand' is not available in device code}}
}
static int width = 7; // expected-note 2 {{'width' is declared here}}
#pragma agglom task inout(a[0:n][0:3])
void rows(int n, double a[n][width]) { // expected-error {{the rows of an array have the size 'width', a variable outside the task that is not const; hand the size over as a parameter, as in (int m, double a[][m])}}
  a[0][0] = n;
}
#pragma agglom task inout(a[0:n][0:3], width)
void rows_of_section(int n, double (*a)[width]) { // expected-error {{the rows of an array have the size 'width'}}
  a[0][0] = n + width;
}
void loops(int n, double *x) {
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom for out(x[i])
  for (int i = 0; i < n; ++i)
    x[i] = deep_in_loop(i); // expected-note {{'deep_in_loop' becomes device code because a loop of 'loops' calls it here}}
}
