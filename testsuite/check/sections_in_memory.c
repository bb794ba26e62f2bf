// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections behind pointers in memory (at file scope, in structures), of file-scope arrays, of arrays in structures, and
// with bounds in memory leave out what the body touches, by itself or in functions that it calls.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && not %agglomcc --fix -Werror %t.c 2> /dev/null; grep '^#pragma' %t.c | FileCheck %s --check-prefix=FIXED
double u[100], v[100], matrix[100][50], table[100];
double *x, *y;
int width, count;
struct grid {
  int n;
  double own[8];
  double *cells;
  struct grid *next;
} g;
struct large {
  double own[16], others[16];
};

//===--- Tasks

// expected-warning@+1 {{'u[i]' leaves out memory that the task touches; write u[i - 1:3]}}
#pragma agglom task in(u[i]) out(v[i])
void stencil(int i) { v[i] = u[i - 1] + u[i + 1]; } // expected-note {{this access is outside of it}}

// expected-warning@+1 {{'matrix[i]' leaves out memory that the task touches; write matrix[i + 1:1]}}
#pragma agglom task in(matrix[i]) out(v[i])
void other_row(int i) {
  double sum = 0;
  for (int j = 0; j < 50; ++j)
    sum += matrix[i + 1][j]; // expected-note {{this access is outside of it}}
  v[i] = sum;
}

// FIXED: {{^}}#pragma agglom task in(x[i + 1:1]) out(y[i])
// expected-warning@+1 {{'x[i]' leaves out memory that the task touches; write x[i + 1:1]}}
#pragma agglom task in(x[i]) out(y[i])
void behind_pointers(int i) { y[i] = x[i + 1]; } // expected-note {{this access is outside of it}}

// expected-warning@+1 {{'s->cells[2]' leaves out memory that the task touches; write s->cells[3:1]}}
#pragma agglom task in(s->cells[2]) out(r[0])
void behind_member(struct grid *s, double *r) { r[0] = s->cells[3]; } // expected-note {{this access is outside of it}}

// expected-warning@+1 {{'s->own[0:2]' leaves out memory that the task touches}}
#pragma agglom task in(s->own[0:2]) out(r[0])
void array_in_structure(struct grid *s, double *r) { r[0] = s->own[2]; } // expected-note {{this access is outside of it}}

// Two sections, and neither of them has it.
// expected-warning@+1 {{'p[i]' leaves out memory that the task touches; name all that it touches}}
#pragma agglom task in(p[i], p[i + 2]) out(r[i])
void between(int i, const double *p, double *r) { r[i] = p[i + 1]; } // expected-note {{this access is outside of it}}

// The index in the row is any of the row's.
// expected-warning@+1 {{'m[i][0:50]' leaves out memory that the task touches}}
#pragma agglom task in(m[i][0:50]) out(r[i])
void any_column(int i, int k, const double (*m)[50], double *r) { r[i] = m[i + 1][k]; } // expected-note {{this access is outside of it}}

// FIXED: {{^}}#pragma agglom task in(p[0:width + 1], width) out(r[i])
// expected-warning@+1 {{'p[0:width]' leaves out memory that the task touches; write p[0:width + 1]}}
#pragma agglom task in(p[0:width], width) out(r[i])
void bound_in_memory(int i, const double *p, double *r) {
  double sum = 0;
  for (int k = 0; k <= width; ++k)
    sum += p[k]; // expected-note {{this access is outside of it}}
  r[i] = sum;
}

static double at(const double *p, int i) {
  return p[i]; // expected-note {{this access is outside of it}}
}
// FIXED: {{^}}#pragma agglom task in(p[i - 1:1]) out(r[i])
// expected-warning@+1 {{'p[i]' leaves out memory that the task touches; write p[i - 1:1]}}
#pragma agglom task in(p[i]) out(r[i])
void by_a_function(int i, const double *p, double *r) { r[i] = at(p, i - 1); }

//===--- Loops

static double left_of(const double *p, int i) {
  return p[i - 1]; // expected-note 2 {{this access is outside of it}}
}

void loops(struct grid *s, double *r, const int *index) {
// FIXED: {{^}}#pragma agglom for in(x[i - 1:3]) out(y[i])
// expected-warning@+1 {{'x[i]' leaves out memory that an iteration touches; write x[i - 1:3]}}
#pragma agglom for in(x[i]) out(y[i])
  for (int i = 1; i < 99; ++i)
    y[i] = x[i - 1] + x[i + 1]; // expected-note {{this access is outside of it}}
// FIXED: {{^}}#pragma agglom for in(s->cells[i - 1:2]) out(r[i])
// expected-warning@+1 {{'s->cells[i]' leaves out memory that an iteration touches; write s->cells[i - 1:2]}}
#pragma agglom for in(s->cells[i]) out(r[i])
  for (int i = 1; i < 99; ++i)
    r[i] = s->cells[i] - s->cells[i - 1]; // expected-note {{this access is outside of it}}
// FIXED: {{^}}#pragma agglom for in(s->own[i:2]) out(r[i])
// expected-warning@+1 {{'s->own[i]' leaves out memory that an iteration touches; write s->own[i:2]}}
#pragma agglom for in(s->own[i]) out(r[i])
  for (int i = 0; i < 7; ++i)
    r[i] = s->own[i] + s->own[i + 1]; // expected-note {{this access is outside of it}}
// FIXED: {{^}}#pragma agglom for in(g.cells[i * g.n:g.n + 1], g) out(r[i])
// expected-warning@+1 {{'g.cells[i * g.n:g.n]' leaves out memory that an iteration touches; write g.cells[i * g.n:g.n + 1]}}
#pragma agglom for in(g.cells[i * g.n:g.n], g) out(r[i])
  for (int i = 0; i < 99; ++i) {
    double sum = 0;
    for (int k = 0; k <= g.n; ++k)
      sum += g.cells[i * g.n + k]; // expected-note {{this access is outside of it}}
    r[i] = sum;
  }
// FIXED: {{^}}#pragma agglom for in(u[i - 1]) out(v[i])
// expected-warning@+1 {{'u[i]' leaves out memory that an iteration touches; write u[i - 1]}}
#pragma agglom for in(u[i]) out(v[i])
  for (int i = 1; i < 99; ++i)
    v[i] = left_of(u, i);
// expected-warning@+1 {{'u[i]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(u[i]) out(v[i])
  for (int i = 0; i < 99; ++i)
    if (i > 1)
      v[i] = left_of(u, i);
// expected-warning@+1 {{'matrix[i]' leaves out memory that an iteration touches}}
#pragma agglom for in(matrix[i], index[i]) out(v[i])
  for (int i = 0; i < 99; ++i)
    v[i] = matrix[i + 1][index[i]]; // expected-note {{this access is outside of it}}
}

//===--- Right ones

#pragma agglom task in(s->own[2]) out(r[0])
void one_of_array(struct grid *s, double *r) { r[0] = s->own[2]; }

#pragma agglom task in(s->own[2:6], s->n) out(r[0])
void two_members(struct grid *s, double *r) { r[0] = s->own[7] + s->n; }

#pragma agglom task in(p[i], p[i + 1]) out(r[i])
void both(int i, const double *p, double *r) { r[i] = p[i + 1] - p[i]; }

// What changes has no name.
#pragma agglom task in(s->cells[0:4]) inout(*s) out(r[0])
void moves_on(struct grid *s, double *r) {
  s->n += 3;
  r[0] = s->cells[s->n - 3];
}

#pragma agglom task in(big->own[0:16]) out(r[0])
void first_of_many(struct large *big, double *r) {
  double sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += big->own[i];
  r[0] = sum;
}

void right(struct grid *s, double *r) {
#pragma agglom for in(s->cells[i - 1:3]) out(r[i])
  for (int i = 1; i < 99; ++i)
    r[i] = s->cells[i - 1] + s->cells[i + 1];
#pragma agglom for in(matrix[i:2], table) out(v[i])
  for (int i = 0; i < 98; ++i)
    v[i] = matrix[i + 1][(int)table[0] & 31];
#pragma agglom for in(x[i * width:width], width) out(y[i])
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int k = 0; k < width; ++k)
      sum += x[i * width + k];
    y[i] = sum;
  }
}
