// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands behind a switch is not certain where a case may have ended the function or the iteration; a sum of an address has the
// limits of its row's index, in whatever order it is written.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -Xclang -verify %s
#pragma agglom task inout(x[0:n])
void returns(int n, int *x, int k) {
  switch (k) {
  case 0:
    return;
  }
  x[n] = 1;
}
#pragma agglom task inout(x[0:n])
void others_return(int n, int *x, int k) {
  switch (k) {
  case 0:
    break;
  default:
    return;
  }
  x[n] = 1;
}
#pragma agglom task inout(x[0:n])
void all_return(int n, int *x, int k) {
  switch (k) {
  case 0:
    return;
  default:
    return;
  }
  x[n] = 1;
}
#pragma agglom task inout(x[0:n])
void continues(int n, int *x, int k) {
  for (int i = 0; i < n; ++i) {
    switch (k) {
    case 0:
      continue;
    }
    x[i + 1] = 1;
  }
}
void ends_iterations(int n, int *x, int k) {
#pragma agglom for out(x[i])
  for (int i = 0; i < n; ++i) {
    switch (k) {
    case 0:
      continue;
    }
    x[i + 1] = 1;
  }
}

// These come to their ends.
// expected-warning@+1 {{'x[0:n]' leaves out memory that the task touches}}
#pragma agglom task inout(x[0:n])
void breaks(int n, int *x, int k) {
  switch (k) {
  case 0:
    x[0] = 1;
    break;
  default:
    for (int i = 0; i < k; ++i)
      if (i == n)
        continue;
  }
  x[n] = 1; // expected-note {{this access is outside of it}}
}
void inner(int n, int *x, int k) {
  // expected-warning@+1 {{'x[i]' leaves out memory that an iteration touches}}
#pragma agglom for out(x[i])
  for (int i = 0; i < n; ++i) {
    switch (k) {
    case 0:
      for (int j = 0; j < 2; ++j)
        if (j)
          continue;
    }
    x[i + 1] = 1; // expected-note {{this access is outside of it}}
  }
}

// expected-warning@+1 {{'p[0:n]' leaves out memory that the task touches}}
#pragma agglom task inout(p[0:n])
void number_last(int n, int (*p)[4], int j) {
  *(&p[n][j] + 4) = 1; // expected-note {{this access is outside of it}}
}
// expected-warning@+1 {{'p[0:n]' leaves out memory that the task touches}}
#pragma agglom task inout(p[0:n])
void number_first(int n, int (*p)[4], int j) {
  *(4 + &p[n][j]) = 1; // expected-note {{this access is outside of it}}
}
