// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body against its data clauses.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Xclang -verify %s

struct node { struct node *next; float v; float own[4]; };

static void store(float *to, float v) { *to = v; }
static float load(const float *from) { return *from; }

// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void missing(int n, float *x, const float *y) {
  // expected-error@+1 {{task 'missing' dereferences its parameter 'y', but no data clause names it; add in(y[0:1])}}
  x[0] = y[0];
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n]) in(which[0:1])
void not_inferred(int n, float *x, const float *y, const int *which) {
  // expected-error@+2 {{add in(y[lo:len]), out(...) or inout(...)}}
  // expected-note@+1 {{the section of 'y' cannot be inferred: }}
  x[0] = y[*which];
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void missing_through_local(int n, float *x, const float *y) {
  const float *q = y + n;
  x[0] = *q; // expected-error {{no data clause names it}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void missing_through_call(int n, float *x, const float *y) {
  x[0] = load(y); // expected-error {{task 'missing_through_call' dereferences its parameter 'y'}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(x[0:n])
void writes_in(int n, float *x) {
  x[0] = n; // expected-error {{task 'writes_in' writes through 'x', which it only declares as 'in'; make it out(...) or inout(...)}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(x[0:n])
void writes_in_callee(int n, float *x) {
  store(x + 1, n); // expected-error {{task 'writes_in_callee' writes through 'x'}}
}
#pragma agglom task inout(x[0:n])
void loaded(int n, struct node *x) {
  x[0].v = x[0].next->v; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
// expected-warning@+1 {{'in' names 'y', which the task does not use}}
#pragma agglom task inout(x[0:n]) in(y[0:n])
void unused(int n, float *x, const float *y) { x[0] = n; }

// Fine: own variables, arrays in structures, pointers that stay inside.
#pragma agglom task inout(x[0:n]) in(y[0:2])
void fine(int n, struct node *x, const float *y) {
  float local[4] = {0};
  float *p = local;
  struct node *e = x + n;
  for (struct node *q = x; q != e; ++q) {
    q->own[1] = *p++ + load(&y[1]);
    store(&q->v, y[0]);
  }
}

// Pointers in memory that sections name, objects of the file, parameters of variable size.
struct holder { int n; float *v; const float *w; };
static int hits, misses; // expected-note {{is declared here}}
static void hit(void) {
  hits++; // expected-error {{'hits' is named in a data clause, so the task itself may use it, but not a function that it calls; pass 'hits' as a parameter}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(hits)
void counts(void) {
  hits++;
  hit(); // expected-note {{'hit' becomes device code because 'counts' calls it here}}
}
#pragma agglom task inout(hits)
void counts_other(void) {
  hits++;
  misses++; // expected-error {{'misses' is a variable outside the task and not const}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(hits) out(x[0:1])
void writes_file(int *x) {
  *x = hits;
  hits = 0; // expected-error {{task 'writes_file' writes through 'hits', which it only declares as 'in'}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(s->v[0:s->n])
void writes_held(struct holder *s) {
  s->v[0] = s->n; // expected-error {{task 'writes_held' writes through 's->v', which it only declares as 'in'}}
}
#pragma agglom task in(s->v[0:s->n]) out(x[0:1])
void other_member(struct holder *s, float *x) {
  *x = s->w[0]; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(s->v[0:s->n])
void writes_holder(struct holder *s) {
  s->v[0] = 1;
  s->n = 0; // expected-error {{task 'writes_holder' writes through 's', which it only declares as 'in'}}
}
static void set(struct holder *s, int i) { s->v[i] = 1; }
#pragma agglom task inout(s->v[0:s->n])
void held_in_callee(struct holder *s) { set(s, 0); }
#pragma agglom task inout(A[0:n][0:m])
void rows(int n, int m, double A[n][m]) {
  double(*row)[m] = A + 1; // expected-error {{the type 'double (*)[m]' has variable size; device code can index a parameter of such a type, as of 'void f(int n, double x[n][n])', take the address of an element and measure it with sizeof, and no more}}
  (*row)[0] = n;
}
