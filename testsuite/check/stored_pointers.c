// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that kernels store into memory which the host has, too: they are the device's.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Werror -Wno-agglom-pointers %s
struct node { int v; struct node *next; };
struct grid { double *u, *v; };

#pragma agglom task inout(p[0:n])
void link_up(int n, struct node *p) {
  for (int i = 0; i + 1 < n; ++i)
    p[i].next = &p[i + 1]; // expected-warning {{this stores a pointer into memory that a clause names: on a device it is an address of the device}}
  p[n - 1].next = 0;
}
#pragma agglom task inout(*g, g->u[0:4], g->v[0:4])
void swap(struct grid *g) {
  for (int i = 0; i < 4; ++i)
    g->v[i] = 2 * g->u[i];
  double *s = g->u;
  g->u = g->v; // expected-warning {{this stores a pointer}}
  g->v = s; // expected-warning {{this stores a pointer}}
}
static void put(struct node *to, struct node *next) {
  to->next = next; // expected-warning {{this stores a pointer}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(p[0:2])
void by_call(struct node *p) {
  put(p, p + 1); // expected-note {{'put' becomes device code because 'by_call' calls it here}}
}

// Its own memory, copies of host addresses, the CPU's.
#pragma agglom task inout(p[0:2]) in(x[0:n]) out(y[0:n])
void right(int n, struct node *p, double *x, double *y) {
  struct node own[2] = {{1, 0}, {2, 0}};
  own[0].next = &own[1];
  p[0].next = p[1].next;
  p[1].v = own[0].next->v;
  double *q = x;
  for (int i = 0; i < n; ++i)
    y[i] = *q++;
}
#pragma agglom task device(cpu) inout(p[0:2])
void on_cpus(struct node *p) { p[0].next = &p[1]; }
#pragma agglom task inout(g.u[0:4], g.v[0:4])
void by_value(struct grid g) {
  double *s = g.u;
  g.u = g.v;
  g.v = s;
  g.u[0] = g.v[0];
}
