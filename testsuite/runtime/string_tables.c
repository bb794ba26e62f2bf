// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant tables that hold addresses: of strings, of other tables, inside structures.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: spell: 40 units in
#include <stdio.h>
#include <string.h>

static const char *const digits[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
static const double halves[] = {0.5, 1.5, 2.5}, thirds[] = {1 / 3.0, 2 / 3.0};
struct table {
  const char *name;
  const double *values;
  int n;
  const char *const *words;
};
static const struct table tables[] = {
    {"halves", halves, 3, &digits[2]},
    {.name = "thirds", .values = &thirds[0], .n = 2, .words = digits + 3},
    {0},
    {&"tail of halves"[8], halves + 1, 2},
};
static const struct table *const best = &tables[1];

static int length(const char *s) {
  int n = 0;
  while (s[n])
    ++n;
  return n;
}

#pragma agglom task out(text[0:24]) out(sum[0:1])
static void spell(int k, char *text, double *sum) {
  static const char *const ends[] = {"!", "?", 0};
  const char *word = digits[k % 10];
  int n = length(word), t = k % 4;
  const struct table *at = &tables[t];
  memset(text, 0, 24);
  for (int i = 0; i < n; ++i)
    text[i] = word[i];
  text[n] = ends[k % 2][0];
  text[n + 1] = (char)('0' + !ends[2]);
  double s = 0;
  for (int i = 0; i < tables[t].n; ++i)
    s += at->values[i];
  if (at->name)
    strcat(text, at->name);
  *sum = s + best->values[1] + (at->words ? length(at->words[1]) : -1) + length(best->words[0]);
}

int main(void) {
  enum { N = 40 };
  static char text[N][24];
  static double sum[N];
  for (int k = 0; k < N; ++k)
    spell(k, text[k], &sum[k]);
#pragma agglom wait
  for (int k = 0; k < N; ++k)
    printf("%s %a\n", text[k], sum[k]);
  return 0;
}
