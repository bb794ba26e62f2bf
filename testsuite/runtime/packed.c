// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed structures are laid out alike on host and device.
// RUN: %compare %s %t -w
#include <stdio.h>
#pragma pack(push, 1)
struct s {
  char c;
  double d;
};
#pragma pack(pop)
struct t {
  char c;
  int i;
} __attribute__((packed)) g;
#pragma agglom task inout(p[0 : n]) inout(q[0 : n])
void f(int n, struct s *p, struct t *q) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    p[i].d += i;
    q[i].i += i;
  }
}
int main(void) {
  static struct s s[10];
  static struct t t[10];
  f(10, s, t);
#pragma agglom wait
  printf("%g %d\n", s[3].d, t[4].i);
  return 0;
}
