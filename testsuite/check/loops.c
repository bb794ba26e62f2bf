// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel loops: canonical form, and what iterations must not do.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s

#pragma agglom task inout(x[0:n])
void form(int n, float *x, int k) {
#pragma agglom loop
  for (; k < n; k++) // expected-error {{the loop must begin by setting its variable: for (int i = first; ...)}}
    x[k] = 0;
#pragma agglom loop
  for (float f = 0; f < n; f++) // expected-error {{the variable of a parallel loop must be an integer, and 'f' is 'float'}}
    x[0] = 0;
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
  for (int i = 0; i != n; i += 2) // expected-error {{the loop's step leads away from its bound}}
    x[i] = 0;
}

#pragma agglom task inout(x[0:n])
void body(int n, float *x) {
  float s = 0;
  int j;
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    s += x[i]; // expected-error {{iterations of this loop all write 's', which is declared outside it}}
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
