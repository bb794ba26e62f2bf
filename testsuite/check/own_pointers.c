// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that a unit keeps in memory of its own may be used, also by the functions it calls; those that came from the host
// may not.
// RUN: %agglomcc -fsyntax-only -Wall -Xclang -verify %s

struct node {
  struct node *next;
  int v;
};
struct out {
  float *at, *end;
};

static void put(struct out *o, float v) {
  if (o->at < o->end)
    *o->at++ = v;
}
static void put_twice(struct out *o, float v) { put(o, v), put(o, -v); }
static int length(const struct node *l) {
  int n = 0;
  for (; l; l = l->next)
    n++;
  return n;
}
static void swap(float **a, float **b) {
  float *t = *a;
  *a = *b;
  *b = t;
}

#pragma agglom task inout(x[0:n])
void writer(int n, float *x) {
  struct out o = {x, x + n};
  float *p = x, *q = x + 1, **r = &p;
  put_twice(&o, 1);
  swap(&p, r), swap(&q, &p);
  **r = *p;
}
#pragma agglom task out(x[0:1])
void list(int n, float *x) {
  struct node nodes[4], *head = 0;
  for (int i = 0; i < 4; i++)
    nodes[i] = (struct node){head, n}, head = nodes + i;
  x[0] = (float)length(head) + (float)head->next->v;
}

static int again(const struct node *l) { return length(l) + 1; }
static int third(const struct node *l) {
  return l->next->next->v; // expected-error {{this pointer is loaded from memory, where it is a host address}}
}
static int last(const struct node *l) {
  for (; l->next; l = l->next) // expected-error {{this pointer is loaded from memory}}
    ;
  return l->v;
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(l[0:1]) out(x[0:1])
void in_helper(const struct node *l, float *x) {
  x[0] = (float)third(l); // expected-note {{'third' becomes device code because 'in_helper' calls it here}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(l[0:1]) out(x[0:1])
void in_helper_later(const struct node *l, float *x) {
  struct node own = {0, 1};
  x[0] = (float)last(&own) + (float)last(l); // expected-note {{'last' becomes device code because 'in_helper_later' calls it here}}
}
#pragma agglom task in(l[0:1]) out(x[0:1])
void copied(const struct node *l, float *x) {
  struct node first = *l;
  x[0] = (float)first.next->v; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(l[0:1]) out(x[0:1])
void assigned(const struct node *l, float *x) {
  struct node first = {0, 0}, second;
  second = l[0];
  first = second;
  x[0] = (float)first.next->v; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task out(x[0:1])
void by_value(struct node first, float *x) {
  x[0] = (float)first.next->v; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task out(x[0:1]) // expected-note {{the task is declared here}}
void kept(const float *y, float *x) {
  const float *both[2] = {x, y}; // expected-error {{task 'kept' dereferences its parameter 'y', but no data clause names it}}
  x[0] = both[1][0];
}
#pragma agglom task out(x[0:1]) // expected-note {{the task is declared here}}
void put_away(float *y, float *x) {
  struct out o;
  o.at = x;
  o.end = y; // expected-error {{task 'put_away' dereferences its parameter 'y', but no data clause names it}}
  put(&o, 1);
}
void host(struct node *l, float *x) {
  (void)again(l);
  in_helper(l, x);
}
#pragma agglom task out(x[0:1]) // expected-note {{the task is declared here}}
void deep(float *y, float *x) {
  float *p = y, **pp = &p, ***ppp = &pp;
  x[0] = ***ppp; // expected-error {{task 'deep' dereferences its parameter 'y', but no data clause names it}}
}
