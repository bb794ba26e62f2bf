// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What 'atomic' may stand before, and what it may not.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s
#include <stdbool.h>
#include <stdint.h>

// expected-error@+1 {{'#pragma agglom atomic' must stand directly before an update inside a function: x op= e; x++; x--; or x = x op e;}}
#pragma agglom atomic
int at_file_scope;

double fmin(double, double);
float fmaxf(float, float);
int next(int *state);
enum colour { RED };
struct odd {
  char c;
  int i;
} __attribute__((packed));
struct bits {
  unsigned low : 3, word;
};
#define ATOMIC _Pragma("agglom atomic")
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

void accepted(int *x, double *d, float *f, int8_t *small, unsigned long *big, int e, volatile int *v) {
#pragma agglom atomic
  *x += e;
#pragma agglom atomic
  x[e++] -= 2;
#pragma agglom atomic
  (x[0])++;
#pragma agglom atomic
  --*x;
#pragma agglom atomic
  *x <<= 2;
#pragma agglom atomic
  *x = *x % 7;
#pragma agglom atomic
  *x = e - *x;
#pragma agglom atomic
  *small = (int8_t)(*small + 1.5);
#pragma agglom atomic
  big[e + 1] = e | big[(e + 1)];
#pragma agglom atomic
  *x = SMALLER(*x, e);
#pragma agglom atomic
  *x = SMALLER(e, *x);
#pragma agglom atomic
  *d = fmin(*d, e);
#pragma agglom atomic
  *f = fmaxf(2.0f, *f);
#pragma agglom atomic
  *v += 1;
#pragma agglom atomic
  e += 1;
  ATOMIC *x ^= 1;
  if (e)
#pragma agglom atomic
    ++*x;
  switch (e) {
  case 0:
#pragma agglom atomic
    ++*x;
  }
#pragma agglom atomic
  if (*x > e)
    *x = e;
}

void forms(int *x, int *y, int e) {
// expected-error@+1 {{'#pragma agglom atomic' needs an update under it}}
#pragma agglom atomic
  *x = e;
// expected-error@+1 {{needs an update under it: x op= e; x++; x--; x = x op e; x = x op (e); or the smaller or larger of x and e, as in x = e < x ? e : x; or if (e < x) x = e;}}
#pragma agglom atomic
  *x = *y + e;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x = *x + e + 1;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *y = *x += e;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x += 1, *y += 1;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  {
    *x += 1;
  }
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x = e < *x ? *y : *x;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x = e < *y ? e : *x;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x = e == *x ? e : *x;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  *x = e < *x;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  if (e < *x)
    *x = e;
  else
    *x = 0;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  if (e < *x)
    *x = e + 1;
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  x[e++] = x[e++] + 1; // expected-warning {{multiple unsequenced modifications to 'e'}}
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  next(x);
// expected-error@+1 {{needs an update under it}}
#pragma agglom atomic
  for (int i = 0; i < e; i++)
    *x += i;
// expected-error@+1 {{must stand directly before an update inside a function}}
#pragma agglom atomic
  int z = 0;
  (void)z;
// expected-error@+1 {{unknown clause 'relaxed' of '#pragma agglom atomic'}}
#pragma agglom atomic relaxed
  ++*x;
}

void types(bool *b, int **p, enum colour *c, struct bits *bits, struct odd *odd, long double *wide, __int128 *huge,
           _Complex double z, double *d, _Atomic int *a) {
#pragma agglom atomic
  *b |= 1; // expected-error {{an atomic update needs an integer of 8 to 64 bits, a float or a double, and this is 'bool'}}
#pragma agglom atomic
  *p += 1; // expected-error {{and this is 'int *'}}
#pragma agglom atomic
  *c += 1; // expected-error {{and this is 'enum colour'}}
#pragma agglom atomic
  *wide += 1; // expected-error {{and this is 'long double'}}
#pragma agglom atomic
  *huge += 1; // expected-error {{and this is '__int128'}}
#pragma agglom atomic
  *a += 1; // expected-error {{and this is '_Atomic(int)'}}
#pragma agglom atomic
  bits->low += 1; // expected-error {{a bit-field cannot be updated atomically; make it a member of its own}}
#pragma agglom atomic
  bits->word += 1;
#pragma agglom atomic
  odd->i += 1; // expected-error {{a member of a packed structure may not be aligned, so it cannot be updated atomically}}
#pragma agglom atomic
  *d += z; // expected-error {{an atomic update needs an integer or floating-point value, and this is '_Complex double'}}
}

void twice(int *x, int *state) {
#pragma agglom atomic
  *x = next(state) < *x ? next(state) : *x; // expected-error {{this value is computed twice here and has side effects, but an atomic update computes it once; put it into a variable first}}
#pragma agglom atomic
  if (*x < *state++)
    *x = *state++; // expected-error {{this value is computed twice}}
}
