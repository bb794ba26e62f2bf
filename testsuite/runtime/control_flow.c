// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// switch with fall through, goto forwards and backwards, do, while, break, continue, early return, comma, conditional
// expressions: in a unit of one thread and inside the iterations of a loop.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: machine: 50 units in
// CHECK: collatz: 50 units in
#include <stdio.h>

// A small machine: one unit is one program.
#pragma agglom task in(code[0:n]) inout(reg[0:4])
void machine(int n, const unsigned char *code, int *reg) {
  int pc = 0, fuel = 200;
  if (n <= 0)
    return;
again:
  if (fuel-- == 0)
    goto out;
  switch (code[pc] & 15) {
  case 0:
    pc++;
    break;
  case 1:
    reg[code[pc] >> 6]++;
    pc += 1;
    break;
  case 2:
    reg[0] += reg[1]; // and on
  case 3:
  case 4:
    reg[1] = reg[1] * 3 + 1;
    ++pc;
    break;
  case 5 ... 7: {
    int k = 0;
    do {
      if (k == 2)
        continue;
      reg[2] ^= k << (pc & 3);
    } while (++k < 5);
    pc++;
    break;
  }
  case 8:
    while (1) {
      reg[3] += 5;
      if (reg[3] % 7 == 0)
        break;
    }
    pc += 2;
    break;
  default:
    pc = reg[3] & 1 ? pc + 1 : (reg[2]++, pc + 2);
  case 15:;
  }
  if (pc < n)
    goto again;
  reg[0] = -reg[0];
out:
  reg[1] -= fuel;
}

#pragma agglom task inout(x[0:n])
void collatz(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    int steps = 0;
    unsigned v = (unsigned)x[i];
    if (i % 5 == 4)
      continue;
    for (;; steps++) {
      if (v <= 1)
        break;
      switch (v & 1) {
      case 0:
        v >>= 1;
        continue;
      default:
        v = 3 * v + 1;
      }
      if (steps > 60)
        goto enough;
    }
    x[i] = steps;
    continue;
  enough:
    x[i] = -steps;
  }
}

int main(void) {
  static unsigned char code[50][40];
  static int reg[50][4], x[50][31];
  unsigned r = 1;
  for (int u = 0; u < 50; u++) {
    for (int i = 0; i < 40; i++)
      code[u][i] = (unsigned char)((r = r * 1664525 + 1013904223) >> 24);
    for (int i = 0; i < 31; i++)
      x[u][i] = u * 31 + i;
  }
  for (int u = 0; u < 50; u++) {
    machine(u < 40 ? u : 40, code[u], reg[u]);
    collatz(31, x[u]);
  }
#pragma agglom wait
  for (int u = 0; u < 50; u++) {
    printf("%d %d %d %d:", reg[u][0], reg[u][1], reg[u][2], reg[u][3]);
    for (int i = 0; i < 31; i++)
      printf(" %d", x[u][i]);
    printf("\n");
  }
  return 0;
}
