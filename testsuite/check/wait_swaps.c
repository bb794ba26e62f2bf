// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two buffers that change places while units still look at the pointers to them: in structures and of the file.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
struct grid {
  int n;
  double *u, *v;
};
#pragma agglom task in(g->u[0:g->n]) out(g->v[0:g->n])
void step(struct grid *g) {
  for (int i = 0; i < g->n; ++i)
    g->v[i] = 2 * g->u[i];
}
void in_a_structure(int n, double *a, double *b) {
  struct grid g = {n, a, b};
  step(&g); // expected-note {{the task is called here}}
  double *s = g.u;
  g.u = g.v; // expected-warning {{'g' is written here, and units of task 'step' may still have to read it; put '#pragma agglom wait' before this}}
  g.v = s;
  step(&g);
#pragma agglom wait
}

static double a[4], b[4], *now = a, *next = b;
#pragma agglom task in(now[0:4]) out(next[0:4])
void of_file(void) {
  for (int i = 0; i < 4; ++i)
    next[i] = now[i] + 1;
}
void swapped(void) {
  of_file(); // expected-note {{the task is called here}}
  double *s = now;
  now = next; // expected-warning {{'now' is written here, and units of task 'of_file' may still have to read it; put '#pragma agglom wait' before this}}
  next = s;
#pragma agglom wait
}
void right(int n, double *x, double *y) {
  struct grid g = {n, x, y};
  for (int t = 0; t < 4; ++t) {
    step(&g);
#pragma agglom wait
    double *s = g.u;
    g.u = g.v;
    g.v = s;
    of_file();
#pragma agglom wait on(next[0:4])
    s = now;
    now = next;
    next = s;
  }
}
