// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointer that lies in memory is the host's unless a section names what it points to: to follow it is an error that says
// which section would. What sections name, and what the unit itself put somewhere, may be followed.
// RUN: %agglomcc -fsyntax-only -Wno-agglom -ferror-limit=0 -Xclang -verify %s
#include <stdint.h>
#include <string.h>

struct m { double **rows; int n; };
struct node { struct node *next; double v[4]; };
struct list { struct list *next; double *v; };
struct box { int n; int **nbr; };
struct pair { double *a, *b; };
struct csr { int rows, *start, *column; double *value; };
union word { double *p; uintptr_t bits; };
union words { double *p[2]; uintptr_t bits[2]; };

// The pointers behind a pointer that a section names.
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void arrow(const struct m *s, double *y) {
  y[0] = s->rows[1][1]; // expected-error {{this pointer is loaded from memory, where it is a host address: no section names what 's->rows[1]' points to; add in(s->rows[1][1:1])}}
}
#pragma agglom task in(s.rows[0:4]) out(y[0:4])
void dot(struct m s, double *y) {
  y[0] = s.rows[1][1]; // expected-error {{add in(s.rows[1][1:1])}}
}
#pragma agglom task in(s->next[0]) out(y[0:4])
void value(const struct list *s, double *y) {
  y[0] = s->next->v[1]; // expected-error {{add in(s->next->v[0:2])}}
  const struct list *q = s->next;
  y[1] = s->v[0] + *q->v; // expected-error {{add in(s->v[0])}}
}
#pragma agglom task in(s->next[0]) out(y[0:4])
void next(const struct node *s, double *y) {
  y[0] = s->next->v[1];
  y[1] = s->next->next->v[1]; // expected-error {{add in(s->next->next[lo:len]), out(...) or inout(...), or where the list has no known length keep its elements in an array that a clause names, with indexes in place of pointers}}
}
#pragma agglom task in(b->nbr[0:b->n]) out(y[0:b->n])
void many(const struct box *b, int *y) {
  for (int i = 0; i < b->n; ++i)
    y[i] = b->nbr[i][0]; // expected-error {{this pointer is loaded from memory, where it is a host address: a section names what one pointer points to, and 'b->nbr[i]' is another pointer each time; keep the elements in one array that a clause names, with indexes in place of pointers}}
}
#pragma agglom task in(rows[0:n]) out(y[0:n])
void parameter(int n, double **rows, double *y) {
  y[0] = rows[n - 1][0]; // expected-error {{add in(rows[n - 1][lo:len])}}
}
#pragma agglom task in(s[0:n]) out(y[0:n])
void structures(int n, const struct pair *s, double *y) {
  y[0] = s[2].a[1]; // expected-error {{add in(s[2].a[lo:len])}}
  y[1] = (s + n)->b[1]; // expected-error {{add in(s[n].b[lo:len])}}
}

// In loops of the host.
void host_loops(int n, struct m *s, struct m t, struct box *b, int *y, double *z) {
#pragma agglom for in(s->rows[0:4]) out(z[i])
  for (int i = 0; i < n; ++i)
    z[i] = s->rows[1][i]; // expected-error {{add in(s->rows[1][i:1])}}
#pragma agglom for in(t.rows[0:4]) out(z[i])
  for (int i = 0; i < n; ++i)
    z[i] = t.rows[1][i]; // expected-error {{add in(t.rows[1][i:1])}}
#pragma agglom for in(b->nbr[0:n]) out(y[i])
  for (int i = 0; i < n; ++i)
    y[i] = b->nbr[i][0]; // expected-error {{'b->nbr[i]' is another pointer each time}}
  double *table[2] = {z, z + n};
#pragma agglom for in(table[0:2]) out(z[i])
  for (int i = 0; i < n; ++i)
    z[i] = table[1][i]; // expected-error {{add in(table[1][i:1])}}
#pragma agglom for in(s->rows[0][i], t.rows[1][i]) out(z[i])
  for (int i = 0; i < n; ++i)
    z[i] = s->rows[0][i] + t.rows[1][i];
}

// Through pointers of the unit's own.
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void copy(const struct m *s, double *y) {
  double **r = s->rows, *last;
  y[0] = r[1][1]; // expected-error {{add in(s->rows[1][lo:len])}}
  last = s->rows[3];
  y[1] = *last; // expected-error {{add in(s->rows[3][0:1])}}
  double **shifted = &s->rows[1] + 1;
  y[2] = shifted[0][1]; // expected-error {{add in(s->rows[1 + 1][lo:len])}}
}
#pragma agglom task in(s->next[0:1]) out(y[0:4])
void walk(const struct node *s, double *y) {
  for (const struct node *q = s->next; q; q = q->next) // expected-error {{a list or tree of unknown length cannot be named in a clause; keep its elements in one array that a clause names, and have 'next' hold the index of an element in place of its address}}
    y[0] += q->v[1];
}
#pragma agglom task in(s[0:1]) out(y[0:4])
void walk_parameter(const struct node *s, double *y) {
  while (s) {
    y[0] += s->v[1]; // expected-error {{have 'next' hold the index of an element in place of its address}}
    s = s->next;
  }
}
static double walked(const struct node *s) {
  double t = 0;
  for (; s; s = s->next) // expected-error {{have 'next' hold the index of an element in place of its address}}
    t += s->v[1];
  return t;
}
#pragma agglom task in(s[0:1]) out(y[0:4]) // expected-note {{the task is declared here}}
void walk_in_function(const struct node *s, double *y) {
  y[0] = walked(s); // expected-note {{'walked' becomes device code because 'walk_in_function' calls it here}}
}
#pragma agglom task in(s->rows[0:4], t->rows[0][0:4]) out(y[0:4])
void chosen(const struct m *s, const struct m *t, double *y, int k) {
  y[0] = *(k ? s->rows : t->rows)[0]; // expected-error {{this pointer is loaded from memory}}
  y[1] = k > 2 ? t->rows[0][1] : s->rows[2][1]; // expected-error {{add in(s->rows[2][lo:len])}}
}
#pragma agglom task in(s[0:1]) out(y[0:4])
void copied(const struct m *s, double *y) {
  struct m local = *s, again, bytes;
  again = local;
  memcpy(&bytes, s, sizeof bytes);
  y[0] = again.rows[0][0]; // expected-error {{add in(s->rows[lo:len])}}
  y[1] = bytes.rows[0][0]; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void kept(const struct m *s, double *y) {
  struct pair p = {.b = s->rows[2]};
  double *t[2], **at = t;
  *at = s->rows[0];
  at[1] = y;
  y[0] = p.b[0]; // expected-error {{add in(s->rows[2][lo:len])}}
  y[1] = *t[0]; // expected-error {{add in(s->rows[0][lo:len])}}
}
#pragma agglom task in(u[0:2]) out(y[0:4])
void punned(const union word *u, double *y) {
  union word v = u[0];
  y[0] = v.p[0]; // expected-error {{this pointer is loaded from memory}}
  y[1] = *(double *)(u[1].bits & ~(uintptr_t)7); // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(u[0:2]) out(y[0:4])
void beside(const union word *u, double *y) {
  union word v;
  v.bits = u[0].bits;
  y[0] = *v.p; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(u[0:2]) out(y[0:4])
void beside_in_arrays(const union words *u, double *y) {
  union words v;
  for (int i = 0; i < 2; ++i)
    v.bits[i] = u->bits[i];
  y[0] = *v.p[1]; // expected-error {{this pointer is loaded from memory}}
}
#pragma agglom task in(u->p[0:4], s[0:1]) out(y[0:4])
void beside_named(const union word *u, const union word *s, double *y) {
  union word w, own = {.p = y};
  w.bits = u->bits;
  y[0] = *w.p + *own.p + (double)(s->bits % 8);
}
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void integers(const struct m *s, double *y, uintptr_t raw) {
  uintptr_t at = (uintptr_t)s->rows[1] + sizeof(double);
  y[0] = *(double *)at; // expected-error {{this pointer is loaded from memory}}
  y[1] = *(double *)raw; // expected-error {{this pointer is loaded from memory}}
}

// Through functions.
static double first(double **r, int i) {
  return r[i][0]; // expected-error {{no section names what 's->rows[2]' points to}} expected-error {{no section names what 't->rows[0]' points to}}
}
static double *row(const struct m *s, int i) { return s->rows[i]; }
static struct pair both(const struct m *s) { return (struct pair){s->rows[2], s->rows[3]}; }
static double deeper(const struct m *s) { return first(s->rows, 2); } // expected-note {{'first' becomes device code because 'deeper' calls it here}}
// expected-note@+1 2 {{the task is declared here}}
#pragma agglom task in(s->rows[0:4], t->rows[0:2]) out(y[0:4])
void called(const struct m *s, const struct m *t, double *y) {
  y[0] = deeper(s); // expected-note {{'deeper' becomes device code because 'called' calls it here}}
  y[1] = first(t->rows, 0); // expected-note {{'first' becomes device code because 'called' calls it here}}
}
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void returned(const struct m *s, double *y) {
  y[0] = row(s, 1)[0]; // expected-error {{add in(s->rows[1][lo:len])}}
  y[1] = both(s).b[0]; // expected-error {{add in(s->rows[3][lo:len])}}
}
#pragma agglom task in(s->rows[0:4]) out(y[0:4])
void library(const struct m *s, double *y) {
  memcpy(y, s->rows[1], 4 * sizeof *y); // expected-error {{add in(s->rows[1][0:4])}}
}

// A section follows the pointer that it mentions, and not the next one.
#pragma agglom task in(rows[i][0:n], rows[i + 1][0:n]) out(y[0:n])
void neighbours(double **rows, int i, int n, double *y) {
  y[0] = rows[i][0] + rows[1 + i][0];
  y[1] = rows[i - 1][0]; // expected-error {{add in(rows[i - 1][lo:len])}}
}
#pragma agglom task in(s.rows[0][0:4]) out(y[0:4])
void elements(struct m s, double *y) {
  y[0] = s.rows[0][1] + **s.rows;
  y[1] = s.rows[1][1]; // expected-error {{add in(s.rows[1][1:1])}}
}

// Fine: sections name it.
static double dot_row(const struct csr *a, const double *x, int i) {
  double t = 0;
  for (int k = a->start[i]; k < a->start[i + 1]; ++k)
    t += a->value[k] * x[a->column[k]];
  return t;
}
#pragma agglom task in(a->start[0:a->rows + 1], a->column[0:k], a->value[0:k], x[0:a->rows]) out(y[0:a->rows])
void multiply(const struct csr *a, int k, const double *x, double *y) {
  const double *value = a->value;
  struct csr b = *a;
  for (int i = 0; i < a->rows; ++i)
    y[i] = dot_row(a, x, i) + value[0] + b.value[1] + dot_row(&b, x, i);
}
#pragma agglom task in(s->next->next[0:1], a.a[0:4]) inout(rows[i][0:4])
void named(const struct node *s, struct pair a, double **rows, int i) {
  const struct node *q = s->next, *far = q->next;
  double **r = rows + i, *mine = rows[i];
  if (s->next == NULL || !q->next || far->next != NULL)
    return;
  (*r)[0] = q->v[0] + far->v[1] + s->next->next->v[2] + a.a[1] + (a.b != 0) + (mine != a.a);
  double (*at)[4] = (double(*)[4])rows[i];
  (*at)[1] = mine[2] + *row(&(struct m){rows, 1}, i);
}
// Fine: the unit put it there.
static void push(struct node **list, struct node *n) {
  n->next = *list;
  *list = n;
}
static double sum(const struct node *l) { return l ? l->v[0] + sum(l->next) : 0; }
static double *pick(struct pair *p, int k) { return k ? p->a : p->b; }
#pragma agglom task in(s[0:2]) out(y[0:4])
void own(const struct node *s, double *y, int k) {
  struct node nodes[3], *list = 0, head = {&nodes[1], {0}};
  for (int i = 0; i < 3; ++i) {
    memcpy(nodes[i].v, s[0].v, sizeof nodes[i].v);
    push(&list, &nodes[i]);
  }
  double a[2] = {0, 1}, *rows[2] = {a, y}, **r = rows;
  struct pair p = {a, y}, q = p;
  struct { const struct node *host; double *own; } mixed = {s[0].next, a};
  uintptr_t up = ((uintptr_t)a + 7) & ~(uintptr_t)7;
  y[0] = sum(list) + head.next->v[1] + r[1][0] + q.b[0] + mixed.own[1] + *pick(&p, k) + *(double *)up;
  y[1] = mixed.host != 0 && s[1].next != s[0].next && (uintptr_t)s[0].next % 8 == 0 && sizeof *s[0].next > 8;
  const double *v = &s[1].v[k], *end = s[1].v + 4;
  y[2] = v < end ? *v : (double)(&s[0].next->v[1] == s[1].next->v);
}

// Of local pointers it counts which value arrives.
#pragma agglom task inout(l->next->next->v[0:4]) out(y[0:4])
void in_order(struct list *l, double *y, int k) {
  struct list *a = l;
  a = a->next;
  a = a->next;
  a->v[0] = 1;
  double *p = l->v;
  if (p == a->v)
    return;
  while (k--) {
    p = l->v;
    if (!p)
      break;
    p = k ? y : a->v;
    *p++ = 2;
  }
  p = a->next->v; // expected-error {{add in(l->next->next->next[lo:len])}}
  goto in;
again:
  p = l->v;
in:
  p[0] = 1; // expected-error {{add in(l->v[lo:len])}}
  if (k++ < 3)
    goto again;
}
#pragma agglom task inout(l->next[0:1], s[0:n]) out(y[0:4])
void in_loops(int n, struct list *l, struct pair *s, double *y) {
  for (int i = 0; i < n; i++)
    l = l->next; // expected-error {{this pointer is loaded from memory}}
  for (struct pair *p = s; p != s + n; ++p)
    y[0] += p->a[0]; // expected-error {{'s[...].a' is another pointer each time}}
  double *p = y, **q = &p;
  *q = s->b;
  y[1] = *p; // expected-error {{add in(s->b[lo:len])}}
}
