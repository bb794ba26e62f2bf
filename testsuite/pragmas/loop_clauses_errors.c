// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// collapse, private, sort and map: what they refuse.
// RUN: %agglomcc -fsyntax-only -Wno-agglom-loop -ferror-limit=0 -Xclang -verify %s

static int global; // expected-note {{'global' is declared here}}

#pragma agglom task inout(x[0:n])
void collapses(int n, int *x, float f) {
  // expected-error@+1 {{clause 'collapse' takes the number of loops, an integer constant from 1 to 8}}
#pragma agglom loop collapse(n)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'collapse' takes the number of loops}}
#pragma agglom loop collapse(0)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'collapse' takes the number of loops}}
#pragma agglom loop collapse(9)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{the expression in clause 'collapse' must be an integer, not 'float'}}
#pragma agglom loop collapse(f)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'collapse' is given twice}}
#pragma agglom loop collapse(1) collapse(1)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++)
    x[i] = 0; // expected-error {{collapse(2) joins 2 'for' loops, each the whole body of the one around it: this stands in the way}}
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++) {
    int k = 2 * i; // expected-error {{collapse(2) joins 2 'for' loops}}
    for (int j = 0; j < n; j++)
      x[k] = 0;
  }
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) { // expected-error {{collapse(3) joins 3 'for' loops}}
      for (int k = 0; k < n; k++)
        x[k] = 0;
      for (int k = 0; k < n; k++)
        x[k] = 0;
    }
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++) {
  } // expected-error@-1 {{collapse(2) joins 2 'for' loops}}
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) // expected-error {{the bounds of a collapsed loop must stay the same, and these mention 'i', which a loop around it counts: lower the number in collapse}}
      x[i] = 0;
#pragma agglom loop collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 2 * j; k < n; k++) // expected-error {{these mention 'j', which a loop around it counts}}
        x[i] = 0;
  int p;
#pragma agglom loop collapse(2) private(p)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < p; j++) // expected-error {{these mention 'p', which is each iteration's own}}
      p = 0;
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j *= 2) // expected-error {{the loop must advance its variable 'j' by a constant step}}
      x[i] = 0;
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = x[0]++; j < n; j++) // expected-error {{the loop must begin by setting its variable}}
      x[i] = 0;
  // expected-note@+1 2 {{the parallel loop is here}}
#pragma agglom loop collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      j++;   // expected-error {{the body of a parallel loop must not change the loop's variable 'j'}}
      break; // expected-error {{break leaves a parallel loop}}
    }
}

#pragma agglom task inout(x[0:n])
void privates(int n, int *x) {
  int t, s = 0, i;
  const int fixed = 3;
  static const int kept = 2;
  // expected-error@+1 {{clause 'private' is empty; write variables, private(a, b)}}
#pragma agglom loop private()
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'private' is empty; write variables, private(a, b)}}
#pragma agglom loop private(t, )
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{a private variable must be a local variable or parameter of the task, not const, of constant size; 'global' is not}}
#pragma agglom loop private(global)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'fixed' is not}}
#pragma agglom loop private(fixed)
  for (int i = 0; i < n; i++)
    x[i] = fixed;
  // expected-error@+1 {{'kept' is not}}
#pragma agglom loop private(kept)
  for (int i = 0; i < n; i++)
    x[i] = kept;
  // expected-error@+1 {{'x[0]' is not}}
#pragma agglom loop private(x[0])
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'t' is named twice in the private and reduction clauses of one loop}}
#pragma agglom loop private(t, t)
  for (int i = 0; i < n; i++)
    x[i] = t = 0;
  // expected-error@+1 {{'s' is named twice in the private and reduction clauses of one loop}}
#pragma agglom loop reduction(+: s) private(s)
  for (int i = 0; i < n; i++)
    s += i;
  // expected-error@+1 {{'s' is named twice in the private and reduction clauses of one loop}}
#pragma agglom loop private(s) reduction(+: s)
  for (int i = 0; i < n; i++)
    s += i;
#pragma agglom loop private(i) // it is anyway; OpenMP programs say so
  for (i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{'i' is the loop's own variable, of which each iteration has its copy: remove it from 'reduction'}}
#pragma agglom loop reduction(+: i)
  for (i = 0; i < n; i++)
    x[i] = 0;
#pragma agglom loop private(t)
  for (i = 0; i < t; i++) // expected-error {{the loop's condition must compare its variable 'i' with a bound that does not change}}
    t = x[i];
}

#pragma agglom task inout(x[0:n])
void private_vla(int n, int *x) {
  int tmp[n]; // expected-error {{'tmp' has variable length}}
  // expected-error@+1 {{'tmp' is not}}
#pragma agglom loop private(tmp)
  for (int i = 0; i < n; i++)
    tmp[i] = x[i];
}

#pragma agglom task inout(x[0:n]) in(key[0:n])
void sorts(int n, int *x, const float *key) {
  // expected-error@+1 {{the expression in clause 'sort' must be an integer, not 'const float'}}
#pragma agglom loop sort(key[i])
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom loop sort(x[i]++)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'sort' is empty; write an expression}}
#pragma agglom loop sort()
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'sort' is given twice}}
#pragma agglom loop sort(i) sort(-i)
  for (int i = 0; i < n; i++)
    x[i] = (int)key[i];
}
// The key is device code too.
// expected-note@+1 {{the task is declared here}}
#pragma agglom task inout(x[0:n])
void sort_is_device_code(int n, int *x, const int *key) {
  // expected-error@+2 {{task 'sort_is_device_code' dereferences its parameter 'key', but no data clause names it}}
  // expected-error@+1 {{'global' is a variable outside the task and not const}}
#pragma agglom loop sort(key[i] + global)
  for (int i = 0; i < n; i++)
    x[i] = 0;
}

#pragma agglom task inout(x[0:n])
void maps(int n, int *x) {
  // expected-error@+1 {{'blocks' is not a mapping; map(auto), map(thread), map(warp) or map(block)}}
#pragma agglom loop map(blocks)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{clause 'map' is empty; write auto, thread, warp or block}}
#pragma agglom loop map()
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
#pragma agglom task inout(x[0:n])
void two_maps(int n, int *x) {
  // expected-note@+1 {{the parallel loop is here}}
#pragma agglom loop map(warp)
  for (int i = 0; i < n; i++)
    x[i] = 0;
  // expected-error@+1 {{a task has one mapping, and another loop of it asks for another one}}
#pragma agglom loop map(block)
  for (int i = 0; i < n; i++)
    x[i] = 0;
}
#pragma agglom task inout(x[0:n])
void inner_map(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    // expected-error@+1 {{this loop is run by the thread of the parallel loop around it; only map(auto) and map(thread) can stand here}}
#pragma agglom loop map(warp)
    for (int k = 0; k < 3; k++)
      x[i] += k;
  }
}
#pragma agglom task in(x[0:n])
void impossible_block(int n, int *x) {
  int h[2] = {0};
  // expected-error@+1 {{map(block) is not possible: it writes 'h', which belongs to the whole unit: declare it inside the loop, or name it in private(...)}}
#pragma agglom loop map(block)
  for (int i = 0; i < n; i++)
    h[x[i] & 1]++;
}
#pragma agglom task inout(x[0:n])
void impossible_warp(int n, int *x) {
  int k = 0;
  // expected-error@+1 {{map(warp) is not possible: line 223 changes}}
#pragma agglom loop map(warp)
  for (int i = 0; i < n; i++)
    x[i] = i;
  k = x[0]++;
  x[1] = k;
}
