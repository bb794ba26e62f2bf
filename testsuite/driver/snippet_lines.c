// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number beside a line of source is that line's, also where a message has a fix-it or a highlighted range far above
// its caret. A fix-it that the snippet does not show is there all the same.
// RUN: not %agglomcc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not %agglomcc -fsyntax-only -fdiagnostics-parseable-fixits %s 2>&1 | FileCheck --check-prefix=FIXIT %s
struct s {
  double *v;
};
static double first(const double *v);

// CHECK: add out(x[0:n])
// CHECK-NEXT: {{^ *}}[[# @LINE + 22]] |   for (int i = 0; i < n; ++i) x[i] = 0;
// FIXIT: fix-it:{{.*}}:" out(x[0:n])"
#pragma agglom task
void fix_it(int n, double *x) {
  /*
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   */
  for (int i = 0; i < n; ++i) x[i] = 0;
}

// CHECK: no section names what 's->v' points to
// CHECK-NEXT: {{^ *}}[[# @LINE + 24]] | static double first(const double *v) { return v[0]; }
// FIXIT: fix-it:{{.*}}:" in(s->v[0])"
#pragma agglom task in(s[0:1]) out(x[0])
void range(const struct s *s, double *x) {
  x[0] = first(s->v);
  /*
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   *
   */
}
static double first(const double *v) { return v[0]; }
