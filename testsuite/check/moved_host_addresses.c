// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A section names what one pointer in memory points to. Where it is sure that a kernel means another element, because a pointer was
// moved, an index went to a function or a copy was made, that is an error; where it may be the named one, it is none.
// RUN: %agglomcc -fsyntax-only -Wno-agglom -ferror-limit=0 -Xclang -verify %s
#include <stdint.h>
#include <string.h>

struct m { double **rows, *p; int n; };
struct pair { double *a, *b; };
struct table { int n; double *row[3]; };
struct list { struct list *next; double *v; };

// Moved by steps.
#pragma agglom task in(s->rows[0][0:4]) out(y[0:4])
void stepped(const struct m *s, double *y, int n) {
  double **q = s->rows;
  y[0] = **q;
  q++;
  y[1] = **q; // expected-error {{no section names what 's->rows[1]' points to; add in(s->rows[1][lo:len])}}
  q += 2;
  y[2] = **q; // expected-error {{'s->rows[1 + 2]'}}
  q = q + n;
  y[3] = **q;
  q = s->rows + 3;
  y[0] = q[-2][0]; // expected-error {{'s->rows[3 + -2]'}}
  --q;
  y[1] = q[-2][0];
}
#pragma agglom task in(s->p[0:4], t->p[0:4]) out(y[0:4])
void parameter(const struct m *s, const struct m *t, double *y) {
  y[0] = s->p[0];
  s++;
  y[0] = s->p[0]; // expected-error {{'s[1].p'}}
  y[1] = t++->p[0];
  y[1] = t->p[0]; // expected-error {{'t[1].p'}}
  y[2] = (--t)->p[0];
}
#pragma agglom task in(s->rows[i][0:4], t.row[1][0:4]) out(y[0:4])
void by_parameter(const struct m *s, struct table t, int i, double *y) {
  double **q = s->rows, *const *r = t.row;
  q += i;
  y[0] = **q++;
  y[1] = **q; // expected-error {{'s->rows[i + 1]'}}
  r += 1 + 1;
  y[2] = **r; // expected-error {{'t.row[2]'}}
  y[3] = r[-1][0];
}
#pragma agglom task in(a->b[0:4], c->a[0:4]) out(y[0:4])
void to_other_member(const struct pair *a, const struct pair *c, double *y) {
  double *const *z = &a->a, *const *w = &c->a;
  ++z;
  y[0] = **z;
  w++;
  y[1] = **w; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(s->rows[0][0:4], t->rows[0][0:4]) out(y[0:4])
void kept(const struct m *s, const struct m *t, double *y) {
  struct m k = {.rows = s->rows + 1}, *z = &k;
  double **one = t->rows, ***at = &one;
  y[0] = z->rows[0][0]; // expected-error {{this pointer is loaded from memory}}
  y[1] = z->rows[-1][0];
  y[2] = (*at)[1][0]; // expected-error {{this pointer is loaded from memory}}
}

// Through functions.
static double *row(const struct m *s, int i) { return s->rows[i]; }
static double *get(const struct m *s, int i) { return s[i].p; }
static double **place(const struct m *s, int i) { return &s->rows[i]; }
static double element(const struct m *s, int i, int j) {
  return row(s, i)[j]; // expected-error {{'s->rows[4]'}}
}
static double corner(double **r) {
  return **r; // expected-error {{'s->rows[2]'}}
}
static double at_column(const struct m *s, int i, int j) {
  int next = i + 1;
  return s->rows[next][j]; // expected-error {{'s->rows[i + 1]'}}
}
// expected-note@+1 2 {{the task is declared here}}
#pragma agglom task in(s->rows[0][0:4], s->p[0:4]) out(y[0:4])
void functions(const struct m *s, double *y, int i, int j) {
  y[0] = row(s, 0)[j] + row(s, i)[j] + get(s, 0)[j] + **place(s, 0) + element(s, 0, 3) + corner(s->rows) + element(s, i, j);
  y[1] = row(s, 1)[j]; // expected-error {{'s->rows[1]'}}
  y[2] = get(s, 2)[j]; // expected-error {{'s[2].p'}}
  y[3] = **place(s, 3); // expected-error {{this pointer is loaded from memory}}
  y[0] = element(s, 4, 0); // expected-note {{'element' becomes device code because 'functions' calls it here}}
  y[1] = corner(s->rows + 2); // expected-note {{'corner' becomes device code because 'functions' calls it here}}
  y[2] = at_column(s, -1, 0);
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(s->rows[i][0:4]) out(y[0:4])
void function_by_parameter(const struct m *s, double *y, int i, int j) {
  y[0] = row(s, i)[j] + at_column(s, i - 1, j);
  y[1] = at_column(s, i, j); // expected-note {{'at_column' becomes device code because 'function_by_parameter' calls it here}}
}
// Many calls of one function: no other pointer is blamed.
static double *pick(const struct pair *p, int k) { return k % 2 ? p[k].a : p[k].b; }
#pragma agglom task in(p[0].a[0:4], p[0].b[0:4]) out(y[0:4])
void often(const struct pair *p, double *y) {
  struct pair own[2] = {{y, y}, {y, y}};
  y[0] = *pick(own, 0) + *pick(own, 1) + *pick(own, 2) + *pick(own, 3) + *pick(own, 4) + *pick(own, 5) + *pick(own, 6) +
         *pick(own, 7) + *pick(own, 8) + *pick(own, 9) + *pick(own, 10) + *pick(p, 0);
  for (int k = 0; k < 2; ++k)
    y[1] += *pick(own, k) + *pick(p, k - k);
}
static double steps(const struct m *s, int i, int n) { return n ? steps(s, i + 1, n - 1) : s->rows[i][0]; }
#pragma agglom task in(s->rows[3][0:4]) out(y[0:4])
void recursive(const struct m *s, double *y) { y[0] = steps(s, 0, 3); }

// Copies.
#pragma agglom task in(t.row[0][0:4], h->row[0][0:4], g->row[0][0:4]) out(y[0:4])
void copies(struct table t, const struct table *h, const struct table *g, double *y, int i) {
  struct table k = t, l, many[2];
  memcpy(&l, h, sizeof l);
  y[0] = k.row[0][0] + l.row[0][0] + k.row[i][0];
  y[1] = k.row[1][0]; // expected-error {{'t.row[1]'}}
  y[2] = l.row[2][0]; // expected-error {{this pointer is loaded from memory}}
  many[1] = *g;
  y[3] = many[1].row[0][0];
  y[3] = many[1].row[1][0]; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(s[0].p[0:4], t[1].p[0:4]) out(y[0:4])
void bytes(const struct m *s, const struct m *t, double *y) {
  double *p, *q;
  uintptr_t r;
  memcpy(&p, &s[0].p, sizeof p);
  y[0] = *p;
  memcpy(&q, &s[1].p, sizeof q);
  y[1] = *q; // expected-error {{this pointer is loaded from memory}}
  memcpy(&r, &t[0].p, sizeof r);
  y[2] = *(double *)r; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(s->rows[0:2]) out(y[0:4])
void parts(const struct m *s, double *y) {
  struct m k;
  memcpy(&k, s, sizeof k.rows);
  k.p = y;
  double *own[3] = {y, s->rows[0], y + 1};
  y[0] = *k.p + *own[0] + *own[2];
  y[1] = *own[1]; // expected-error {{'s->rows[0]'}}
}

// Fine: moved within what a section names, and to what may be named.
#pragma agglom task in(s->p[0:s->n], h[0:n]) inout(rows[0:n], s->rows[0][0:s->n], rows[i][0:n], rows[i + 1][0:n]) out(y[0:4])
void within(const struct m *s, int n, int i, double **rows, double *y, const struct list *h) {
  const double *p = s->p, *end = p + s->n;
  while (p != end)
    y[0] += *p++;
  for (double *q = s->rows[0]; q < s->rows[0] + s->n; q += 2)
    *q = 1;
  for (double **q = rows + i; q < rows + i + 2; ++q)
    (*q)[0] = 1;
  double **q = rows;
  q += i;
  q[0][0] = q[1][0];
  *++q[0] = 2;
  ++q;
  if (n > 3)
    q = rows + i;
  **q = 3;
  double local[4] = {0}, *l = local, *both[2] = {local, local + 2}, **b = both;
  l++;
  *l++ = 1;
  b++;
  **b = *l + both[1][0];
  int left = 0;
  for (; h != 0 && left < n; ++h, ++left)
    y[1] += h->next != 0;
}
struct cursor { const double *at; const double **line; };
static void advance(struct cursor *c) {
  c->at++;
  c->line++;
}
#pragma agglom task in(lines[0][0:n], lines[1][0:n]) out(y[0:4])
void cursors(const double **lines, int n, double *y) {
  struct cursor c = {lines[0], lines};
  advance(&c);
  y[0] = *c.at + **c.line;
}
#pragma agglom task in(lines[1][0:n]) out(y[0:4])
void second_line(const double **lines, int n, double *y) {
  struct cursor c = {y, lines}; // which line it is at is not known
  advance(&c);
  y[0] = *c.at + **c.line;
  const double **q = lines, ***w = &q;
  ++*w;
  y[1] = **q;
  for (int i = 0; i < 2; ++i) {
    if (i)
      y[2] = **lines;
    ++lines;
  }
}

// In loops of the host.
void host_loops(int n, struct table t, struct m *s, double *y) {
#pragma agglom for in(t.row[0][i], s->rows[1][i]) out(y[i])
  for (int i = 0; i < n; ++i) {
    double **q = s->rows;
    q++;
    struct table k = t;
    y[i] = q[0][i] + k.row[0][i] + row(s, 1)[i];
    y[i] += q[1][i]; // expected-error {{'s->rows[1 + 1]'}}
    y[i] += k.row[1][i]; // expected-error {{'t.row[1]'}}
    y[i] += row(s, 0)[i]; // expected-error {{'s->rows[0]'}}
  }
}
