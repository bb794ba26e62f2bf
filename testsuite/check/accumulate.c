// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a task may do with memory under 'accumulate': update it, itself and through functions, and nothing else.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Wno-agglom-mapping -Xclang -verify %s
#include <math.h>
#include <stdint.h>
#include <string.h>

struct pair {
  double a, b;
};

static void bump(int *p, int by) {
  *p += by;
}
static int *skip(int *p, int n) { return p + n; }

#pragma agglom task accumulate(+: x[0:n], d[0:n]) accumulate(min: lo[0:n], f[0:1]) accumulate(|: *bits) in(k[0:n])
void accepted(int n, int *x, double *d, short *lo, float *f, uint64_t *bits, const int *k, double (*grid)[3]) {
  int *q = x + 1, *end = &x[n], *r = n > 3 ? q : x;
  (void)grid;
  for (int i = 0; i < n; i++, x[0]++) {
    x[k[i]] += k[i];
    d[i] -= 0.5 * k[i];
    x[i] = x[i] - 1;
    *q = 2 + *q;
    --*r;
    lo[i] = (short)(k[i] < lo[i] ? k[i] : lo[i]);
    f[0] = fminf(f[0], (float)k[i]);
    if (*f > k[i])
      *f = (float)k[i];
    *bits |= 1u << (k[i] & 31);
    *bits = *bits | (unsigned)n;
    (x[i]++), (void)(d[i] += 1);
  }
  bump(x, 2);
  bump(skip(x, 1), n);
  *skip(x, 2) += 1;
  if (q < end && end - q > 2 && sizeof x[0] == 4)
    ++*q;
  switch (n) {
  case 1:
    x[0] += 1;
    break;
  default:
    do
      x[1] += 2;
    while (--n > 0);
  }
}

#pragma agglom task accumulate(*: p[0:n]) accumulate(^: m[0:2]) accumulate(max: u[0:n]) device(cpu)
void on_the_cpu(int n, double *p, long (*m)[3], unsigned char *u) {
  for (int i = 0; i < n; i++) {
    p[i] *= 2;
    m[i & 1][i % 3] ^= i;
    u[i] = u[i] > i ? u[i] : (unsigned char)i;
  }
}

// expected-note@+1 {{the task is declared here}}
#pragma agglom task accumulate(+: x[0:n]) inout(y[0:n])
void uses(int n, int *x, int *y) {
  y[0] = x[0]; // expected-error {{memory of 'accumulate(+: x[0:n])' may only be updated, as in x += e; here it is read}}
  x[1] = 0; // expected-error {{here it is changed in another way}}
  x[1] *= 2; // expected-error {{here it is changed in another way}}
  x[1] = 3 - x[1]; // expected-error {{here it is changed in another way}}
  y[1] = ++x[2]; // expected-error {{here it is updated and its value is used}}
  y[1] = x[2] -= 1; // expected-error {{here it is updated and its value is used}}
  x[x[0]] += 1; // expected-error {{here it is read}}
  y[2] = (int)(intptr_t)x; // expected-error {{here it is made a number}}
  int *where[2] = {y, x}; // expected-error {{here it is put into memory}}
  where[0] = x + 1; // expected-error {{here it is put into memory}}
  memset(x, 0, sizeof *x); // expected-error {{here it is given to 'memset', which is not known to only update it}}
  ((unsigned *)x)[0] += 1u; // expected-error {{memory of 'accumulate(+: x[0:n])' is updated as 'unsigned int' here, but its elements are 'int'}}
  x[0] += 0.5; // expected-error {{adding or multiplying 'double' into 'int' drops a fraction each time, so the result depends on the order; convert the value to 'int' first}}
  if (x[0] < y[0]) // expected-error {{here it is read}}
    x[0] += 1;
}

static int last(const int *p) { return p[1]; } // expected-error {{here it is read}}
static int looks(int *p) {
  *p += 1;
  return last(p); // expected-note {{'last' is given that memory by 'looks' here}}
}
// expected-note@+1 {{the task is declared here}}
#pragma agglom task accumulate(+: x[0:n]) inout(y[0:1])
void chain(int n, int *x, int *y) {
  y[0] = n + looks(x); // expected-note {{'looks' is given that memory by 'chain' here}}
}
