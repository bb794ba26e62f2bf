// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order where C defines one: && || ?: and comma, side effects that happen or do not, full expressions, assignment chains,
// conversions in conditional expressions.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 10, OUT = 32 };
struct log {
  int n, text[24];
};

static int note(struct log *l, int v) { return l->text[l->n++ % 24] = v, v; }
static int truth(struct log *l, int v) {
  note(l, v);
  return v > 0;
}

#pragma agglom task out(o[0:OUT], l[0:1])
static void order(int n, int *o, struct log *l) {
  int k = 0, a = n, b = 0;
  l->n = 0;
  o[k] = truth(l, n) && truth(l, n - 3), k++;
  o[k] = truth(l, -n) || truth(l, n - 5) || truth(l, 9), k++;
  o[k] = truth(l, n & 1) ? note(l, 10) : note(l, 20), k++;
  o[k] = (note(l, 1), note(l, 2), note(l, 3)), k++;
  o[k] = !truth(l, 1) && truth(l, 77) | truth(l, 78), k++;
  a = b = n * 3, b -= a -= 2, o[k] = a * 100 + b, k++;
  o[k] = (a > 2 && a++ < 100) + a * 10, k++;
  o[k] = a ? b ? 1 : 2 : b ? 3 : 4, k++;
  o[k] = (a & 1 ? a : b) + 1, k++;
  *(a & 1 ? &a : &b) = 55, o[k] = a + b, k++;
  o[k] = a++ + b--, k++; // different objects
  o[k] = (a, b) + (a, a), k++;
  o[k] = -1 < 0u, o[k + 1] = (n ? -1 : 0u) > 0, o[k + 2] = (n ? (char)-1 : 0) < 0, k += 3;
  o[k] = (n % 2 ? 1 : 2.5) * 2, k++;
  o[k] = (n > 2) > 1, o[k + 1] = (1 < n) < 2, o[k + 2] = n == n == 1, k += 3;
  o[k] = 5 - 3 - n, o[k + 1] = 100 / 7 * 7 % 6, o[k + 2] = 1 << 2 + 1 & 6 | 1 ^ 3, k += 3;
  o[k] = n-- - - -1 == 0 ? 1 : 0, k++;
  int p[3] = {1, 2, 3}, *q = p;
  o[k] = *q++ * 100, o[k] += *++q, o[k] += ++*q, o[k] += (*q)--, k++;
  for (int i = 0, t = 1; i < 3 && (t *= 2, t < 100); i += t > 4 ? 2 : 1)
    p[i] += t, p[i] || (p[i] = -1);
  o[k] = p[0] * 10000 + p[1] * 100 + p[2], k++;
  o[k] = (b = 0) || (b = 3) || (b = 4), o[k] = o[k] * 10 + b, k++;
  o[k] = sizeof(b = 9) == sizeof(int) && b, k++;
}

int main(void) {
  static int o[UNITS][OUT];
  static struct log l[UNITS];
  for (int u = 0; u < UNITS; u++)
    order(u, o[u], &l[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < OUT; k++)
      printf("%d ", o[u][k]);
    for (int k = 0; k < l[u].n; k++)
      printf("%s%d", k ? "," : "| ", l[u].text[k]);
    printf("\n");
  }
  return 0;
}
