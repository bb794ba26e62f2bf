// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel loops: canonical form, and what iterations must not do.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Wno-tautological-compare -Xclang -verify %s

#pragma agglom task inout(x[0:n])
void form(int n, float *x, int k) {
#pragma agglom loop
  for (; k < n; k++) // expected-error {{the loop must begin by setting its variable: for (int i = first; ...)}}
    x[k] = 0;
#pragma agglom loop
  for (float f = 0; f < n; f++) // expected-error {{the variable of a parallel loop must be an integer, and 'f' is 'float'}}
    x[0] = 0;
  static int once; // expected-error {{static local variable 'once' keeps state between calls and cannot become device code}}
#pragma agglom loop
  for (once = 0; once < n; once++) // expected-error {{the variable of a parallel loop must be a local one, and 'once' is there once for all threads; declare it in the loop, as in 'for (int once = ...'}}
    ;
#pragma agglom loop
  for (int i = 0; x[i] > 0; i++) // expected-error {{the loop's condition must compare its variable 'i' with a bound that does not change}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 0;; i++) // expected-error {{the loop's condition must compare its variable 'i'}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 0; i < n - i; i++) // expected-error {{the loop's condition must compare its variable 'i'}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 0; i < n;) // expected-error {{the loop must advance its variable 'i' by a constant step}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 1; i < n; i *= 2) // expected-error {{the loop must advance its variable 'i' by a constant step}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 1; i < n; i += k) // expected-error {{the loop must advance its variable 'i' by a constant step}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 0; i < n; i--) // expected-error {{the loop's step leads away from its bound}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 0; i != n; i += 2) // expected-error {{the loop ends only if its variable 'i' meets the bound of '!=' in steps of 2; compare by '<'}}
    x[i] = 0;
#pragma agglom loop
  for (int i = 180; 0 != i; i -= 3) // expected-error {{in steps of -3; compare by '<'}}
    x[i] = 0;
#pragma agglom loop
  for (int i = n; i != 0; i -= 3) // expected-error {{in steps of -3; compare by '>'}}
    x[i] = 0;
}

#pragma agglom task inout(x[0:n])
void body(int n, float *x) {
  float s = 0;
  int j;
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    s += x[i]; // expected-error {{iterations of this loop all write 's', which is declared outside it; add reduction(+: s)}}
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    for (j = 0; j < 3; j++) // expected-error {{iterations of this loop all write 'j'}}
      x[i] += j;
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      i++; // expected-error {{the body of a parallel loop must not change the loop's variable 'i'}}
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      break; // expected-error {{break leaves a parallel loop}}
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      return; // expected-error {{return leaves a parallel loop}}
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (x[i] > 0)
      goto out; // expected-error {{goto leaves a parallel loop}}
out:
  x[0] = s;
}

// Fine: every canonical form, inner breaks, reductions.
#pragma agglom task inout(x[0:n])
void fine(int n, float *x) {
  float s = 0, top = 0;
  int i;
#pragma agglom loop reduction(+: s) reduction(max: top)
  for (i = 0; i < n; i++) {
    s += x[i];
    top = x[i] > top ? x[i] : top;
    for (int j = 0; j < 3; j++)
      if (x[i] > j)
        break;
  }
#pragma agglom loop
  for (long k = n - 1; k >= 0; k -= 2)
    x[k] = 0;
#pragma agglom loop
  for (unsigned k = 0; (unsigned)n > k; k = k + 3)
    x[k] = 1;
#pragma agglom loop
  for (int k = 0; k != n; ++k)
    x[k] = s + top;
}

// A goto that stays in the iteration is no way out of the loop.
#pragma agglom task inout(x[0:n])
void stays(int n, float *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
  again:
    x[i] /= 2;
    if (x[i] > 1)
      goto again;
    if (x[i] < 0)
      goto end;
    x[i]++;
  end:;
  }
}

// A step or a type with which the loop never comes to its bound.
#pragma agglom task inout(x[0:n])
void never(int n, float *x) {
#pragma agglom loop
  for (int i = 0; i < n; i += 0) // expected-error {{the loop's step is 0; it must not be 0, and must lie between -2^61 and 2^61}}
    x[0] = 0;
#pragma agglom loop
  for (unsigned long i = 0; i < n; i += -1ul) // expected-error {{the loop's step is 18446744073709551615; it must not be 0}}
    x[0] = 0;
#pragma agglom loop
  for (unsigned long i = 0; i < n; i += 1ul << 61) // expected-error {{the loop's step is 2305843009213693952; it must not be 0}}
    x[0] = 0;
#pragma agglom loop
  for (signed char i = 0; i < 200; i++) // expected-error {{the loop never ends: its variable 'i' has 'signed char' and cannot pass the bound, 200}}
    x[i] = 0;
#pragma agglom loop
  for (unsigned char i = 0; i <= 255; i++) // expected-error {{the loop never ends: its variable 'i' has 'unsigned char'}}
    x[i] = 0;
#pragma agglom loop
  for (short i = n; i > -32769; i--) // expected-error {{the loop never ends: its variable 'i' has 'short'}}
    x[i] = 0;
#pragma agglom loop
  for (unsigned i = n; i >= 0; i--) // expected-error {{the loop never ends: its variable 'i' has 'unsigned int' and cannot pass the bound, 0}}
    x[i] = 0;
#pragma agglom loop
  for (unsigned char i = 0; i < 255; i += 10) // expected-error {{the loop never ends: its variable 'i' has 'unsigned char' and cannot pass the bound, 255}}
    x[i] = 0;
#pragma agglom loop
  for (signed char i = 100; i >= -128; i -= 2) // expected-error {{the loop never ends: its variable 'i' has 'signed char'}}
    x[0] = 0;
}
// These come to it, or have no iteration.
#pragma agglom task inout(x[0:n])
void comes(int n, float *x) {
#pragma agglom loop
  for (unsigned char i = 0; i < 255; i++)
    x[i] = 0;
#pragma agglom loop
  for (unsigned char i = 5; i < 255; i += 10)
    x[i] = 0;
#pragma agglom loop
  for (signed char i = 127; i > -128; i--)
    x[i + 128] = 0;
#pragma agglom loop
  for (unsigned i = 9; i > 0; i--)
    x[i] = 0;
#pragma agglom loop
  for (unsigned char i = n; i <= 254; i += 2)
    x[i] = 0;
#pragma agglom loop
  for (int i = 10; i > 2147483647L; i--)
    x[i] = 0;
}
