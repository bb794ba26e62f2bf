// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections: what they may name and how.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

struct open;
struct box { int n; float *p; };
float table[16];

// expected-error@+1 {{'x' is not a section; write x[lo:len], with the first element and the number of elements}}
#pragma agglom task in(x)
void f1(int n, const float *x);
// expected-error@+1 {{the base of a section must be a pointer, and 'n' is 'int'}}
#pragma agglom task in(n[0:n])
void f2(int n, const float *x);
// expected-error@+1 {{the base of a section must be a parameter of the task; 'table' is not}}
#pragma agglom task in(table[0:n])
void f3(int n, const float *x);
// expected-error@+1 {{the base of a section must be a parameter of the task; 'b->p' is not}}
#pragma agglom task in(b->p[0:b->n])
void f4(const struct box *b);
// expected-error@+1 {{strided sections are not supported by this version of agglomcc; write p[lo:len]}}
#pragma agglom task in(x[0:n:2])
void f5(int n, const float *x);
// expected-error@+1 {{multi-dimensional sections are not supported by this version of agglomcc; write p[lo:len]}}
#pragma agglom task in(x[0:n][0:4])
void f6(int n, float (*x)[4]);
// expected-error@+1 {{the section 'x[0:]' has no length; write p[lo:len]}}
#pragma agglom task in(x[0:])
void f7(int n, const float *x);
// expected-error@+1 {{the section 'x[]' has no length; write p[lo:len]}}
#pragma agglom task in(x[])
void f8(int n, const float *x);
// expected-error@+1 {{the length of a section must be an integer, not 'double'}}
#pragma agglom task in(x[0:1.5])
void f9(int n, const float *x);
// expected-error@+1 {{the start of a section must be an integer, not 'const float *'}}
#pragma agglom task in(x[x:n])
void f10(int n, const float *x);
// expected-error@+1 {{the length of a section is negative: -3}}
#pragma agglom task in(x[0:-3])
void f11(int n, const float *x);
// expected-error@+1 {{the elements of 'x' have the incomplete type 'void'; declare the parameter with a complete element type}}
#pragma agglom task in(x[0:n])
void f12(int n, void *x);
// expected-error@+1 {{the elements of 'x' have the incomplete type 'struct open'}}
#pragma agglom task in(x[0:n])
void f13(int n, struct open *x);
// expected-error@+1 {{'x' points to const data and stands in 'out'; a task cannot write it}}
#pragma agglom task out(x[0:n])
void f14(int n, const float *x);
// expected-error@+1 {{'f' points to a function; a section names data}}
#pragma agglom task in(f[0:n])
void f15(int n, void (*f)(void));
// expected-error@+1 {{unexpected 'y' in clause 'in'}}
#pragma agglom task in(x[0:n] y)
void f16(int n, const float *x);
// expected-error@+1 {{use of undeclared identifier 'm'}}
#pragma agglom task in(x[0:m])
void f17(int n, const float *x);
// expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom task in(x[0:n--])
void f18(int n, const float *x);
