// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clause 'accumulate' itself.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -ferror-limit=0 -Xclang -verify %s
#include <stdbool.h>
struct cell {
  double a, b;
};
enum colour { RED };
#define WHOLE(p) p[0:n]

#pragma agglom task accumulate(+: x[0:n], y[n > 1 ? 0 : 1 : 1]) accumulate(max: WHOLE(z)), accumulate(^:*w)
void forms(int n, int *x, double *y, float *z, unsigned long *w) {
  x[0]++;
  y[0] += n;
  z[0] = z[0] > n ? z[0] : n;
  *w ^= 1;
}

// expected-error@+1 {{'accumulate' names an operator and sections, accumulate(+: x[0:n]); the operator is one of + (for -=, too) * min max & | ^}}
#pragma agglom task accumulate(x[0:n])
void no_operator(int n, int *x);
// expected-error@+1 {{'accumulate' names an operator and sections}}
#pragma agglom task accumulate(-: x[0:n])
void minus(int n, int *x);
// expected-error@+1 {{'accumulate' names an operator and sections}}
#pragma agglom task accumulate(&&: x[0:n])
void logical(int n, int *x);
// expected-error@+1 {{clause 'accumulate' is empty; write an operator and sections, +: x[0:n]}}
#pragma agglom task accumulate()
void empty(int n, int *x);
// expected-error@+1 {{clause 'accumulate' is empty; write the memory it names, p[lo:len]}}
#pragma agglom task accumulate(+:)
void no_section(int n, int *x);
// expected-error@+1 {{operator '+' cannot accumulate elements of type 'struct cell'; elements are integers of 8 to 64 bits, or float or double for + * min max}}
#pragma agglom task accumulate(+: x[0:n])
void structures(int n, struct cell *x);
// expected-error@+1 {{operator '|' cannot accumulate elements of type 'bool'}}
#pragma agglom task accumulate(|: x[0:n])
void booleans(int n, bool *x);
// expected-error@+1 {{operator 'max' cannot accumulate elements of type 'enum colour'}}
#pragma agglom task accumulate(max: x[0:n])
void enumerations(int n, enum colour *x);
// expected-error@+1 {{operator '+' cannot accumulate elements of type 'int *'}}
#pragma agglom task accumulate(+: x[0:n])
void pointers(int n, int **x);
// expected-error@+1 {{operator '&' cannot accumulate elements of type 'double'}}
#pragma agglom task accumulate(&: x[0:n])
void bits_of_double(int n, double *x);
// expected-error@+1 {{'x' points to const data and stands in 'accumulate'; a task cannot write it}}
#pragma agglom task accumulate(+: x[0:n])
void constant(int n, const int *x);
// expected-error@+2 {{'x' stands in 'accumulate' and in another data clause of this task; what is accumulated has no other use, so pass other memory through another pointer}}
// expected-note@+1 {{the other clause is here}}
#pragma agglom task accumulate(+: x[0:n]) in(x[n:n])
void also_read(int n, int *x);
// expected-error@+2 {{'x' stands in 'accumulate' and in another data clause}}
// expected-note@+1 {{the other clause is here}}
#pragma agglom task accumulate(+: x[0:n]) accumulate(*: x[n:n])
void two_operators(int n, int *x);
#pragma agglom task accumulate(+: x[0:n]) accumulate(+: x[2 * n:n])
void two_sections(int n, int *x);

// expected-note@+1 {{the task is declared here}}
#pragma agglom task accumulate(min: x[0:n])
void signs(int n, int *x, unsigned u) {
  x[0] = x[0] < u ? x[0] : u; // expected-error {{'int' and 'unsigned int' are compared as unsigned numbers here, but partial results are combined as 'int'; convert the value to 'int' first}}
}

struct list {
  int n, *p;
};
// expected-error@+1 {{'accumulate' takes sections of pointer parameters and of file-scope objects, and 's->p' is neither; pass a pointer to that memory as a parameter}}
#pragma agglom task accumulate(+: s->p[0:s->n])
void held(struct list *s);
// expected-error@+1 {{'accumulate' takes sections of pointer parameters and of file-scope objects, and 's.p' is neither}}
#pragma agglom task accumulate(+: s.p[0:s.n])
void member(struct list s);
void in_loop(int n, int **rows) {
  // expected-error@+1 {{'accumulate' takes sections of pointer variables and of file-scope objects, and 'rows[0]' is neither; keep the pointer to that memory in a variable of its own, set before the loop}}
#pragma agglom for accumulate(+: rows[0][0:4])
  for (int i = 0; i < n; ++i)
    rows[0][i % 4] += i;
}

static int table[8], *behind;
static void other(int i) {
  behind[i] += 1;
  table[i] = 0; // expected-error {{memory of 'accumulate(+: table[0:8])' may only be updated, as in x += e; here it is changed in another way}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task accumulate(+: table[0:8]) device(cpu)
void of_the_file(int i) {
  table[i]++;
  other(i); // expected-note {{'other' is given that memory by 'of_the_file' here}}
}
