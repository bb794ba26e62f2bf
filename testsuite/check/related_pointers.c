// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that kernels compare or subtract: they are related as on the host only where both are the device's, or
// both the host's.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
struct span { int *b, *e; };
struct node { struct node *next, *first; int v; };
struct sheet { const char *name; double *u, *v; };

#pragma agglom task inout(begin[0:end - begin])
void triple(int *begin, const int *end) {
  for (; begin < end; ++begin) // expected-error {{on a device 'end' is a host address, for no section names what it points to, and the other one is the device's own, so how they compare is not what it is on the host; give the task a number}}
    *begin *= 3;
}

#pragma agglom task inout(s->b[0:s->e - s->b])
void span(const struct span *s) {
  for (int *p = s->b; p != s->e; ++p) // expected-error {{'s->e' is a host address}}
    *p += 1;
}
#pragma agglom task inout(s.b[0:s.e - s.b])
void span_value(struct span s) {
  long n = s.e - s.b; // expected-error {{'s.e' is a host address, for no section names what it points to, and 's.b' is the device's own, so their distance is not what it is on the host}}
  for (long i = 0; i < n; ++i)
    s.b[i] += 1;
}
#pragma agglom task in(*n) out(*o)
void single(const struct node *n, int *o) {
  *o = n->next == n; // expected-error {{'n->next' is a host address}}
}
static int is_last(const struct node *n, const struct node *last) {
  return n == last; // expected-error {{on a device 'n->first' is a host address}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task in(*n) out(*o)
void by_call(const struct node *n, int *o) {
  *o = is_last(n, n->first); // expected-note {{'is_last' becomes device code because 'by_call' calls it here}}
}
int table[50];
#pragma agglom task in(table) out(*o)
void where(const int *p, int *o) {
  *o = (int)(p - table); // expected-error {{on a device 'p' is a host address, for no section names what it points to, and 'table' is the device's own}}
}
void loop(int n, int *x, int *end, int *pivot) {
#pragma agglom for inout(x[i])
  for (int i = 0; i < n; i++)
    if (&x[i] != pivot)   // expected-error {{'pivot' is a host address}}
      x[i] = (int)(end - (x + i)); // expected-error {{'end' is a host address}}
}

// Which of two sections is where is known when the program runs.
#pragma agglom task in(x[0:n]) inout(y[0:n])
void apart(int n, int *y, const int *x) {
  if (x == y || x + n == y)
    return;
  for (int i = 2; i < n; ++i)
    y[i] += x[i];
  y[0] = x < y;        // expected-warning {{how these pointers compare is on a device what it is on the host only where one of their sections lies within the other}}
  y[1] = (int)(y - x); // expected-warning {{the distance of these pointers is}}
}

// Right: of one section, with null, and of two that are the host's.
#pragma agglom task inout(x[0:n]) in(*s)
void right(int n, int *x, const struct sheet *s, const struct node *a, const struct node *b) {
  int own[4] = {0}, *q = own;
  for (int *p = x, *end = x + n; p < end; ++p)
    *p = (int)(p - x) + (a == b) + (a != 0) + (s->name != (void *)0) + (s->u == s->v);
  while (q < own + 4)
    *q++ = n;
  x[0] = own[3] + (q == x);
}
#pragma agglom task in(*s, s->u[0:n]) inout(s->v[0:n])
void members(int n, const struct sheet *s) {
  for (double *u = s->u; u - s->u < n && s->u != s->v; ++u)
    s->v[u - s->u] += *u;
}
#pragma agglom task device(cpu) inout(begin[0:end - begin])
void on_cpu(int *begin, const int *end) {
  for (; begin < end; ++begin)
    *begin *= 3;
}

// Right, too: what the host evaluates, what is never executed, what may be another element than the named one, and what the
// library returns, which is its first argument.
void head(int n, const double *x, const double *end, double *y) {
#pragma agglom for in(x[i]) out(y[i])
  for (long i = 0; i < end - x; i++)
    y[i] = 2 * x[i] + n;
}
enum { DEBUG = 0 };
#pragma agglom task inout(x[0:n]) in(*s)
void dead(int n, double *x, const struct sheet *s) {
  if (DEBUG && x == s->u)
    x[0] = 1;
  if (sizeof(int) == 1)
    x[0] = x < s->v;
  for (int i = 0; i < n; ++i)
    x[i] += DEBUG ? x - s->u : 1;
}
#pragma agglom task in(rows[0:4], rows[0][0:n]) out(y[0:2])
void elements(int n, double **rows, const double *mark, int k, double *y) {
  y[0] = rows[k] == mark;
  y[1] = rows[0][n - 1];
  for (int i = 1; i < 4; i++)
    y[0] += rows[i] == mark;
}
#pragma agglom task in(rows[0:4], rows[0][0:n]) out(y[0:2])
void first(int n, double **rows, const double *mark, double *y) {
  y[0] = rows[0] == mark; // expected-error {{'mark' is a host address, for no section names what it points to, and 'rows[0]' is the device's own, so they are never equal there}}
  y[1] = rows[0][n - 1];
}
