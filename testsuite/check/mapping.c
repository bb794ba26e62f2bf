// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A body that block mapping cannot run alike on all threads is run by one
// thread, and that is said.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: not %agglomcc -fsyntax-only -Werror=agglom-mapping %s 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-mapping %s 2>&1 | count 0
// RUN: %agglomcc -fsyntax-only -w %s 2>&1 | count 0
// ERROR: error: the iterations of this loop will not be shared by device threads

static void bump(int *p) { ++*p; }

#pragma agglom task inout(x[0:n])
void own_array(int n, int *x) {
  int h[4] = {0};
// expected-warning@+1 {{the iterations of this loop will not be shared by device threads: it writes 'h', which}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    h[x[i] & 3]++;
  x[0] = h[1];
}
#pragma agglom task inout(x[0:n])
void both_at_once(int n, int *x) {
  int k = 0;
// expected-warning@+1 {{changes both memory and the unit's own variables}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = i;
  k = x[0]++;
  x[1] = k;
}
#pragma agglom task inout(x[0:n])
void own_address(int n, int *x) {
  int k = n;
  bump(&k);
// expected-warning@+1 {{takes the address of 'k', which belongs to the whole unit}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = k;
}
#pragma agglom task inout(x[0:n])
void jumps(int n, int *x) {
  if (n < 2)
    goto end;
// expected-warning@+1 {{can only be run by one thread}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = i;
end:
  x[0] = 1;
}
