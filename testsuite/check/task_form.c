// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of function a task can be.
// RUN: %agglomcc -std=gnu11 -fsyntax-only -Wno-c23-extensions -Wno-deprecated-non-prototype -Xclang -verify %s

typedef void shape(int n, float *x);

#pragma agglom task inout(x[0:n])
// expected-error@+1 {{a task returns void: each call is submitted, so there is no place for the result of 'returns'; let it write to memory that the caller names: a parameter 'int *result' more, and the clause out(result[0:1])}}
int returns(int n, float *x) { x[0] = n; return 0; }
#pragma agglom task inout(x[0:n])
// expected-error@+1 {{a task cannot have variable arguments}}
void variadic(int n, float *x, ...) { x[0] = n; }
#pragma agglom task
// expected-error@+1 {{a task needs a prototype; write 'old_style(void)'}}
void old_style();
#pragma agglom task inout(x[0:n])
// expected-error@+1 {{the parameters of a task must be declared in its parentheses, with their types: write 'older_style(int n, float *x, int (*rows)[4])'}}
void older_style(n, x, rows) int n, (*rows)[4]; float *x; { x[0] = n + rows[0][0]; }
#pragma agglom task
// expected-error@+1 {{the declaration of task 'by_typedef' must spell its parameters}}
shape by_typedef;
#pragma agglom task
// expected-error@+1 {{parameter 'x' of the task has a variable-length type other than an array or a pointer to one, with sizes made of parameters, which is not supported}}
void vla(int n, float (**x)[n]) { x[0][0][0] = n; }
#pragma agglom task inout(x[0:n])
// expected-error@+1 {{parameter 'x' of the task has a variable-length type other than}}
void vla_effect(int n, float x[n][n++]) { x[0][0] = n; }
#pragma agglom task
// expected-error@+1 {{parameter 'f' of the task has a function pointer type, which is not supported}}
void pointer(void (*f)(void)) { (void)f; }
#pragma agglom task
// expected-error@+1 {{parameter 'v' of the task has a volatile type, which is not supported}}
void vol(volatile int v) { (void)v; }
#pragma agglom task out(p[0:1])
// expected-error@+1 {{the type of parameter 'p' is defined in the task's own parameter list, where no caller can name it; define it before}}
void defines(struct here { int a; } *p) { p->a = 1; } // expected-warning {{will not be visible outside}}
#pragma agglom task out(*p)
// expected-error@+1 {{the type of parameter 'how' is defined in the task's own parameter list}}
void defines_two(int *p, enum { ONE, TWO } how[2]); // expected-warning {{will not be visible outside}}
struct before { int a; };
#pragma agglom task out(p[0:1])
void uses(struct before *p, struct before q) { p->a = q.a; }
#pragma agglom task
// expected-error@+1 {{a parameter of the task's definition has no name}}
void unnamed(int) {}
