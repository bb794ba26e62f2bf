// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shape of clauses: names, parentheses, arguments.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s

// expected-error@+1 {{unknown clause 'inn' of '#pragma agglom task'; did you mean 'in'?}}
#pragma agglom task inn(x[0:n])
void f1(int n, const float *x);
// expected-error@+1 {{unknown clause 'shared' of '#pragma agglom task'; see agglomcc --help-pragmas}}
#pragma agglom task shared(x)
void f2(int n, const float *x);
// expected-error@+1 {{clause 'accumulate' needs an argument in parentheses}}
#pragma agglom task accumulate
void f3(int n, float *x);
// expected-error@+1 {{expected the name of a clause of '#pragma agglom task'}}
#pragma agglom task (x[0:n])
void f5(int n, float *x);
// expected-error@+1 {{clause 'in' needs an argument in parentheses}}
#pragma agglom task in
void f6(int n, float *x);
// expected-error@+1 {{clause 'independent' takes no argument}}
#pragma agglom task independent(n)
void f7(int n, float *x);
// expected-error@+2 {{expected ')' to close the argument of clause 'in'}}
// expected-note@+1 {{opened here}}
#pragma agglom task in(x[0:n]
void f8(int n, float *x);
// expected-error@+1 {{clause 'in' is empty; write the memory it names, p[lo:len]}}
#pragma agglom task in()
void f9(int n, float *x);
// expected-error@+1 {{clause 'in' is empty}}
#pragma agglom task in(x[0:n], )
void f10(int n, float *x);
// expected-error@+1 {{clause 'priority' is empty; write an expression}}
#pragma agglom task priority()
void f11(int n, float *x);
// expected-error@+1 {{clause 'variant' is empty; write a kind of device and a function, cuda: f}}
#pragma agglom task variant()
void v1(int n, float *x);
// expected-error@+1 {{clause 'variant' names a kind of device and a function: variant(cuda: f)}}
#pragma agglom task variant(cuda)
void v2(int n, float *x);
// expected-error@+1 {{clause 'variant' names a kind of device and a function: variant(cuda: f)}}
#pragma agglom task variant(cuda: f, g)
void v3(int n, float *x);
// expected-error@+1 {{clause 'variant' names a kind of device and a function: variant(cuda: f)}}
#pragma agglom task variant(cuda: n + 1)
void v4(int n, float *x);
// expected-error@+1 {{clause 'variant' names a kind of device and a function: variant(cuda: f)}}
#pragma agglom task variant(cuda: int)
void v5(int n, float *x);
// expected-error@+1 {{'hip' is not a kind of device that a variant can be written for; write variant(cuda: f)}}
#pragma agglom task variant(hip: f)
void v6(int n, float *x);
// expected-error@+1 {{clause 'variant' is given twice}}
#pragma agglom task variant(cuda: f) variant(cuda: g)
void v7(int n, float *x);
// expected-error@+1 {{clause 'variant' has no meaning on a device(cpu) task, whose units are never launched on a device}}
#pragma agglom task variant(cuda: f) device(cpu)
void v8(int n, float *x);
// expected-error@+1 {{clause 'variant' needs an argument in parentheses}}
#pragma agglom task variant
void v9(int n, float *x);
// expected-error@+1 {{clause 'name' is empty; write a name}}
#pragma agglom task name()
void f12(int n, float *x);
// expected-error@+1 {{clause 'device' is empty; write any, cpu or gpu}}
#pragma agglom task device()
void f13(int n, float *x);
// expected-error@+1 {{clause 'priority' is given twice}}
#pragma agglom task priority(1) priority(2)
void f14(int n, float *x);
// expected-error@+1 {{'fpga' is not a device; device(any), device(cpu) or device(gpu)}}
#pragma agglom task device(fpga)
void f15(int n, float *x);
// expected-error@+1 {{clause 'name' takes one identifier}}
#pragma agglom task name(a b)
void f16(int n, float *x);
// expected-error@+1 {{clause 'name' takes one identifier}}
#pragma agglom task name("f")
void f17(int n, float *x);
// expected-error@+1 {{the expression in clause 'priority' must be an integer, not 'double'}}
#pragma agglom task priority(1.5)
void f18(int n, float *x);
// expected-error@+1 {{the expression in clause 'cost' must be an integer, not 'const float *'}}
#pragma agglom task cost(x)
void f19(int n, const float *x);
// expected-error@+1 {{clause 'max_units' takes an integer constant from 1 to 4294967295}}
#pragma agglom task max_units(n)
void f20(int n, float *x);
// expected-error@+1 {{clause 'max_units' takes an integer constant from 1 to 4294967295}}
#pragma agglom task max_units(0)
void f21(int n, float *x);
// expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom task cost(n++)
void f22(int n, float *x);
#define NEXT n++
#define SET(v, w) ((v) = (w))
// expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom task priority(NEXT)
void f22_macro(int n, float *x);
// expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom task in(x[0 : 1 + SET(n, 3)])
void f22_function_macro(int n, const float *x);
#pragma agglom task in(x[0 : sizeof(NEXT) + _Generic(n, int : 1, default : NEXT)])
void f22_unevaluated(int n, const float *x);
// expected-error@+1 {{clause 'cost' must not hold statements; write an expression without ({ ... })}}
#pragma agglom task cost(({ int k = n; k; }))
void f22a(int n, float *x);
// expected-error@+1 {{clause 'in' must not hold statements; write an expression without ({ ... })}}
#pragma agglom task in(({ x; })[0:n])
void f22b(int n, float *x);
// expected-error@+1 {{unexpected '3' in clause 'cost'}}
#pragma agglom task cost(n 3)
void f23(int n, float *x);
// expected-error@+1 {{use of undeclared identifier 'undeclared'}}
#pragma agglom task cost(undeclared)
void f24(int n, float *x);

// expected-error@+1 {{clause 'max_units' has no meaning on a device(cpu) task}}
#pragma agglom task max_units(3) device(cpu)
void f25(int n, float *x);

void host(void) {
  // expected-error@+1 {{unknown clause 'now' of '#pragma agglom wait'}}
#pragma agglom wait now
}
