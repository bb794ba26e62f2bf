// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of strings: two-dimensional arrays, one string with offsets, arrays of pointers to literals, pointers chosen among
// literals, searched, compared and copied.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

enum { UNITS = 12, WIDTH = 48 };
static const char months[12][10] = {"January", "February", "March", "April", "May", "June", "July", "August",
                                    "September", "October", "November", "December"};
static const char packed[] = "ab\0cde\0f\0" "ghij\0\x41\102" "C\0";
static const unsigned char start[] = {0, 3, 7, 9, 14};
static const char *const numbers[] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};
static const struct {
  char code[3];
  const char *name;
  int value;
} units[] = {{"km", "kilometre", 1000}, {"m", "metre", 1}, {"mm", 0, -3}, {.name = "none"}};

static int length(const char *s) {
  const char *p = s;
  while (*p)
    ++p;
  return (int)(p - s);
}
static int compare(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    ;
  return (unsigned char)*a - (unsigned char)*b;
}
static char *append(char *to, const char *from) {
  while ((*to = *from++))
    to++;
  return to;
}
static const char *plural(int n) { return n == 1 ? "" : n ? "s" : " at all"; }

#pragma agglom task out(line[0:WIDTH], value[0:6])
static void compose(int k, char *line, int *value) {
  const char *local[3] = {"red", numbers[k % 8], months[k]};
  memset(line, '.', WIDTH);
  char *at = append(line, months[(k + 3) % 12]);
  at = append(at, " "), at = append(at, packed + start[k % 5]), at = append(at, "/");
  at = append(at, numbers[k & 7]), at = append(at, plural(k % 3)), *at++ = local[k % 3][k % 2 + 1];
  if (units[k % 4].name)
    at = append(at, units[k % 4].name + k % 3);
  *at = '\n';
  value[0] = compare(months[k], months[11 - k]) > 0, value[1] = length(numbers[k & 7]) + length(packed + 3);
  value[2] = (int)sizeof packed + packed[start[4]] + packed[sizeof packed - 2], value[3] = "0123456789abcdef"[k];
  value[4] = units[k & 3].value + units[k & 3].code[1] + (int)(sizeof numbers / sizeof *numbers);
  value[5] = 0;
  for (int m = 0; m < 12; m++)
    if (compare(months[m], local[2]) < 0)
      value[5] += length(months[m]) << m;
}

int main(void) {
  static char line[UNITS][WIDTH];
  static int value[UNITS][6];
  for (int u = 0; u < UNITS; u++)
    compose(u, line[u], value[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    fwrite(line[u], 1, WIDTH, stdout);
    printf(" %d %d %d %d %d %d\n", value[u][0], value[u][1], value[u][2], value[u][3], value[u][4], value[u][5]);
  }
  return 0;
}
