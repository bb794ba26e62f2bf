// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses that certainly take place, whatever else there is in the body: pointers of unknown origin, functions that
// return early, loops that are left, loops that count by pointers.
// RUN: %agglomcc -fsyntax-only -fno-caret-diagnostics -Wno-everything -Wagglom-sections %s 2>&1 | FileCheck %s --implicit-check-not=sections]
struct grid { int n, m; double own[4], *cells; } g, *gp = &g;
void a(struct grid *s, int *r) {
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'g.n' leaves out memory that an iteration touches; name all that it touches [-Wagglom-sections]
#pragma agglom for in(g.n) out(r[i])
  for (int i = 0; i < 9; ++i)
    r[i] = g.m;
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's->n' leaves out memory that an iteration touches; name all that it touches [-Wagglom-sections]
#pragma agglom for in(s->n) out(r[i])
  for (int i = 0; i < 9; ++i)
    r[i] = s->n + s->own[0];
}
static double h(struct grid s, int i) { return s.cells[i]; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'p[i]' leaves out memory that the task touches; name all that it touches [-Wagglom-sections]
#pragma agglom task in(sv.cells[0]) in(p[i]) inout(r[0])
void a1(struct grid sv, int i, double *p, double *r) { struct grid c = sv; r[0] = c.cells[0] + p[i + 1]; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'p[i]' leaves out memory that the task touches; name all that it touches [-Wagglom-sections]
#pragma agglom task in(sv.cells[0]) in(p[i]) inout(r[0])
void a2(struct grid sv, int i, double *p, double *r) { r[0] = h(sv, 0) + p[i + 1]; }
static double h1(const double *p, int i) { if (i <= 0) return 0; return p[i]; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'p[2]' leaves out memory that the task touches; write p[1:1] [-Wagglom-sections]
#pragma agglom task in(p[2]) inout(r[0])
void e1(double *p, double *r) { r[0] = h1(p, 1); }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'q[i]' leaves out memory that the task touches; write q[i + 1:1] [-Wagglom-sections]
#pragma agglom task in(p[2]) in(q[i]) inout(r[0])
void e2(int i, double *p, double *q, double *r) { r[0] = h1(p, 2); r[0] += q[i + 1]; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'p[0:n]' leaves out memory that the task touches; write p[0:n + 1] [-Wagglom-sections]
#pragma agglom task in(p[0:n]) inout(r[0])
void l1(int n, double *p, double *r) { for (const double *q = p, *e = p + n; q <= e; ++q) r[0] += *q; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'p[0:4]' leaves out memory that the task touches; write p[0:5] [-Wagglom-sections]
#pragma agglom task in(p[0:4]) inout(r[0])
void l2(double *p, double *r) { for (const double *q = p; q < p + 5; ++q) r[0] += *q; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's->own[0:4]' leaves out memory that the task touches; write s[0:1] [-Wagglom-sections]
#pragma agglom task in(s->own[0:4]) inout(r[0])
void l3(struct grid *s, double *r) { for (const double *p = s->own; p < s->own + 5; ++p) r[0] += *p; }
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'q[i]' leaves out memory that the task touches; write q[i + 1:1] [-Wagglom-sections]
#pragma agglom task in(p[2]) in(q[i]) inout(r[0])
void b2(int i, double *p, double *q, double *r) {
  r[0] = q[i + 1];
  for (int j = 0; j < 1; ++j) { if (j == 5) break; r[0] += p[2]; }
}
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'gp->cells[0:gp->n]' leaves out memory that the task touches; write gp->cells[1:gp->n] [-Wagglom-sections]
#pragma agglom task in(gp->cells[0:gp->n]) out(r[0:gp->n])
void gg(double *r) {
  for (int j = 0; j < gp->n; ++j) r[j] = gp->cells[j + 1];
}
// right
#pragma agglom task in(p[0:n]) inout(r[0])
void r1(int n, double *p, double *r) { for (const double *q = p, *e = p + n; q < e; ++q) r[0] += *q; }
#pragma agglom task in(p[0:n]) inout(r[0])
void r2(int n, double *p, double *r) { for (const double *q = p, *e = p + n - 1; q <= e; ++q) r[0] += *q; }
static int find(int n, const double *p) { for (int j = 0; j <= n; ++j) if (p[j] > 1) return j; return n; }
#pragma agglom task in(p[0:n]) inout(r[0])
void r3(int n, double *p, double *r) { r[0] = find(n, p); }
