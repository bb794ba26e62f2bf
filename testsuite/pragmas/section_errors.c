// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections: what they may name and how.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s

struct open;
struct box { int n; float *p; };
float table[16];
extern const float fixed_table[4];
// expected-error@+1 {{'fixed_table' points to const data and stands in 'out'}}
#pragma agglom task out(fixed_table[0:n])
void f0(int n);

// expected-error@+1 {{'x' is not a section; write x[lo:len], with the first element and the number of elements}}
#pragma agglom task in(x)
void f1(int n, const float *x);
// expected-error@+1 {{the base of a section must be a pointer, and 'n' is 'int'}}
#pragma agglom task in(n[0:n])
void f2(int n, const float *x);
// expected-error@+1 {{unexpected ',' in the section 'x[0:n, 0:n]'; each dimension has brackets of its own}}
#pragma agglom task in(x[0:n, 0:n])
void f2a(int n, const float *x);
// expected-error@+1 {{unexpected ',' in the section 'x[0, n]'}}
#pragma agglom task in(x[0, n])
void f2b(int n, const float *x);
float *at(int n);
// expected-error@+1 {{'at(n)[0:n]' is not a section: 'at(n)' must be a name, or members, elements and pointers reached from one}}
#pragma agglom task in(at(n)[0:n])
void f3(int n, const float *x);
// expected-error@+1 {{'(x + 1)[0:n]' is not a section: 'x + 1' must be a name, or members}}
#pragma agglom task in((x + 1)[0:n])
void f3a(int n, const float *x);
// expected-error@+1 {{'b' is part of parameter 'b', which is passed by value; it needs no clause}}
#pragma agglom task in(b)
void f4(struct box b);
static struct { int n; } nameless;
// expected-error@+1 {{the type of 'nameless' has no name, so device code cannot declare it; give the structure a tag}}
#pragma agglom task in(nameless)
void f4a(int n);
// expected-error@+1 {{the stride of a section must be 1 or more, not 0}}
#pragma agglom task in(x[0:n:0])
void f5(int n, const float *x);
// expected-error@+1 {{the stride of a section must be 1 or more, not -2}}
#pragma agglom task in(x[0:n:-2])
void f5a(int n, const float *x);
// expected-error@+1 {{the stride of a section must be an integer, not 'double'}}
#pragma agglom task in(x[0:n:1.5])
void f5b(int n, const float *x);
// expected-error@+1 {{the section 'x[0:n:]' has no length}}
#pragma agglom task in(x[0:n:])
void f5c(int n, const float *x);
// expected-error@+1 {{the section 'x[0:n][0:4]' has more brackets than 'x' has dimensions}}
#pragma agglom task in(x[0:n][0:4])
void f6(int n, float *x);
// expected-error@+1 {{the section 'x[0:n][0:4][1:2]' has more brackets than 'x' has dimensions}}
#pragma agglom task in(x[0:n][0:4][1:2])
void f6a(int n, float (*x)[4]);
// expected-error@+1 {{sections of many pointers are not supported; write p[i][lo:len] with one index i, or keep the rows in one array and name that}}
#pragma agglom task in(x[0:n][0:4])
void f6b(int n, float **x);
// expected-error@+1 {{sections of a member of many structures are not supported; write s[i].member[lo:len] with one index i}}
#pragma agglom task in(b[0:n].p[0:4])
void f6c(int n, struct box *b);
// expected-error@+1 {{the indexes of a gather must be integers in memory, and 'y' has type 'const float *'}}
#pragma agglom task in(x[y[0:n]])
void f6d(int n, const float *x, const float *y);
// expected-error@+1 {{gathers are not supported; write x[}}
#pragma agglom task in(x[i[0:n:2]])
void f6e(int n, const float *x, const int *i);
// expected-error@+1 {{gathers in several dimensions are not supported; write x[indexes[lo:len]]}}
#pragma agglom task in(x[i[0:n]][0:2])
void f6f(int n, float (*x)[4], const int *i);
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
// expected-error@+1 {{the elements of 'x' have the incomplete type 'void'; declare it with a complete element type}}
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
struct sheet { double *u; };
struct book { struct sheet at[3]; int k; };
// expected-error@+1 {{the section 'b.at[k].u[0:4]' is reached through one of several pointers in 'b', which units get by value, so which one it is must be a constant; put that pointer into a variable or parameter of its own, or pass a pointer to 'b'}}
#pragma agglom task inout(b.at[k].u[0:4])
void f19(struct book b, int k);
#pragma agglom task inout(b.at[1].u[0:4])
void f20(struct book b, int k);
void f21(struct book b, int k) {
// expected-error@+1 {{the section 'b.at[k].u[i]' is reached through one of several pointers in 'b'}}
#pragma agglom for inout(b.at[k].u[i])
  for (int i = 0; i < 4; i++)
    b.at[k].u[i] += 1;
}
