// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host code meets units in memory at file scope, behind pointers and in members, also in functions that it calls.
// RUN: %agglomcc -fsyntax-only -fno-caret-diagnostics -Wno-everything -Wagglom-wait %s 2>&1 | FileCheck %s --implicit-check-not=wait]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static double *u, *unew; static int nx = 600, n = 600;
static double *f, buf[600], e;
typedef struct { int n; double *f, e; } S;
S gs, *gp = &gs;
#pragma agglom task in(nx, u[0:nx]) out(unew[0:nx])
static void sweep(void) {
#pragma agglom loop
  for (int i = 1; i < nx - 1; i++) unew[i] = .5 * (u[i-1] + u[i+1]);
}
static void swapu(void) { double *t = u; u = unew; unew = t; }
#pragma agglom task in(n) inout(f[0:n])
static void work(void) {
#pragma agglom loop
  for (int i = 0; i < n; i++) f[i] += i;
}
#pragma agglom task in(s->f[0:s->n]) inout(s->e)
static void swork(S *s) { for (int i = 0; i < s->n; i++) s->e += s->f[i]; }
#pragma agglom task inout(s->f[0:9])
static void sf(S *s) { for (int i = 0; i < 9; i++) s->f[i]++; }
#pragma agglom task out(e)
static void oute(void) { e = 3; }
static double get(void) { return e; }
static double maybe(int c) { if (c) return 0; return e; }
static void set_e(void) { e = 4; }
static void setf(void) { f[0] = 4; }
static void pw(int k, double *x);
int main(void) {
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'u' is written here, and units of task 'sweep' may still have to read it; put '#pragma agglom wait' before this [-Wagglom-wait]
  for (int t = 0; t < 11; t++) { sweep(); swapu(); }
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'f' is read here, and units of task 'work' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  f = buf; work(); printf("%g\n", f[0]);
#pragma agglom wait
  double a[9] = {1, 2, 3}; S s = {9, a, 0};
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's' is read here, and units of task 'swork' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  swork(&s); printf("%g\n", s.e);
#pragma agglom wait
  swork(&s); printf("%d\n", s.n); // right
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's' is read here, and units of task 'sf' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  sf(&s); printf("%g\n", s.f[3]);
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's' is written here, and units of task 'sf' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  sf(&s); s.f[3] = 1;
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's' is freed here, and units of task 'sf' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  sf(&s); free(s.f);
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 's' is written here, and units of task 'sf' may still have to read it; put '#pragma agglom wait' before this [-Wagglom-wait]
  sf(&s); s.f = 0; s.f[0] = 1;
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'gp' is written here, and units of task 'sf' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  sf(gp); gp->f[3] = 1;
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'gp' is read here, and units of task 'swork' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  swork(gp); printf("%g\n", gp->e);
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'gs' is read here, and units of task 'swork' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  swork(&gs); printf("%g\n", gs.e);
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'e' is read here, and units of task 'oute' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  oute(); printf("%g\n", get());
#pragma agglom wait
  oute(); printf("%g\n", maybe(1)); // right
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'e' is written here, and units of task 'oute' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  oute(); set_e();
#pragma agglom wait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'f' is written here, and units of task 'work' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  work(); setf();
#pragma agglom wait
  double x[3]={0};
  oute();
#pragma agglom for inout(x[i]) nowait
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'e' is read here, and units of task 'oute' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  for (int i = 0; i < 3; i++) x[i] += e;
#pragma agglom wait
  e = x[0];
}
void lp(double *b0, double *b1) {
  double *t;
#pragma agglom for inout(u[i]) nowait
  for (int i = 0; i < 500; i++) u[i] += 1;
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'u' is written here, and units of the loop may still have to read it; put '#pragma agglom wait' before this [-Wagglom-wait]
  t = u; u = unew; unew = t;
#pragma agglom wait
}

//===--- Right ones

int asprintf(char **to, const char *format, ...);
long read(int fd, void *to, unsigned long bytes);
static struct { int n; char *line; } job;
#pragma agglom task inout(x[0:n])
static void up(int n, char *x) { for (int i = 0; i < n; ++i) x[i]++; }
struct value { int kind; union { char *p; long i; }; };
static char ca[4], cb[4], *cur = ca, **where = &cur;
#define STEP(x) do { (x)[0] = 'c'; up(2, (x)); } while (0)
enum { DEBUG = 0 };
int pthread_join(unsigned long t, void **result);
void right(struct value *v, unsigned long thread) {
  for (int k = 0; k < 3; ++k) {
    int r = asprintf(&job.line, "%d", k);
    job.line[0] = 'a';
    up(r, job.line);
  }
#pragma agglom wait
  up(1, job.line);
  read(0, &job, sizeof job);
  job.line[0] = 1;
#pragma agglom wait
  up(1, v->p);
  v->i = (long)cb;
  v->p[0] = 'z';
#pragma agglom wait
  up(2, cur);
  *where = cb;
  cur[0] = 'z';
#pragma agglom wait
  STEP(ca);
  if (DEBUG)
    ca[0] = 1;
  while (DEBUG)
    ca[0] = 1;
  for (int i = 0; i < DEBUG; ++i)
    ca[0] = 1;
  DEBUG && (ca[0] = 1);
#pragma agglom wait
  up(2, ca);
  pthread_join(thread, 0);
  ca[0] = 1;
#pragma agglom wait
}
static int length = 1;
#pragma agglom task inout(length)
static void grow(void) { length += 3; }
#pragma agglom task inout(x[0:length]) in(length)
static void whole(char *x) { for (int i = 0; i < length; ++i) x[i]++; }
void bounds(void) {
  grow();
// CHECK: :[[@LINE+1]]:{{.*}}warning: 'length' is read here, and units of task 'grow' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
  whole(ca);
#pragma agglom wait
}

void exit(int status);
void never_ends(void) {
  char state[64] = {0};
  for (int k = 0;; ++k) {
    up(64, state);
    if (k == 100)
      exit(0);
  }
}
void sleeps(void) {
  char state[64] = {0};
  up(64, state);
  for (;;) {
    for (int k = 0; k < 3; ++k)
      if (k == 1)
        break;
  }
}
static void finish(int *guard) {
  (void)guard;
#pragma agglom wait
}
void guarded(void) {
  char local[4] = "aa";
  __attribute__((cleanup(finish))) int guard = 0;
  up(2, local);
}
// CHECK: :[[@LINE+7]]:{{.*}}warning: the memory of 'state' ends here, and units of task 'up' may still have to write it; put '#pragma agglom wait' before this [-Wagglom-wait]
void ends(int n) {
  char state[64] = {0};
  up(64, state);
  for (;;)
    if (n-- == 0)
      break;
}
