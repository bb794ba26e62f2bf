// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain char, its constants, its conversions, its use as an index and in comparisons: as the host has it.
// RUN: %compare %s %t -w
// RUN: %compare %s %t -w -funsigned-char
// RUN: %compare %s %t -w -fsigned-char
#include <stdio.h>
#include <string.h>

enum { UNITS = 6, N = 256 };
static const char marks[] = "a\x7f\x80\xff\0\377z\?\"\\";

#pragma agglom task in(text[0:n]) out(value[0:n], kind[0:n]) inout(count[0:4])
static void classify(int n, const char *text, int *value, char *kind, int *count) {
  int high = 0, negative = 0;
#pragma agglom loop reduction(+: high, negative)
  for (int i = 0; i < n; i++) {
    char c = text[i];
    unsigned char u = (unsigned char)c;
    value[i] = c * 2 + (c >> 1) + (c == (char)0xff) * 1000 + (c == 0xff) * 2000 + ('\xff' < 0) * 4000 + u / 3;
    kind[i] = c >= 'a' && c <= 'z' ? 'l' : c >= '0' && c <= '9' ? 'd' : c < ' ' ? (char)(c - 1) : '.';
    kind[i] += marks[u % sizeof marks];
    high += c > '\x7e';
    negative += c < 0;
  }
  count[0] += high, count[1] += negative, count[2] += (int)sizeof marks, count[3] += marks[2] + marks[3];
}

int main(void) {
  static char text[UNITS][N], kind[UNITS][N];
  static int value[UNITS][N], count[UNITS][4];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      text[u][i] = (char)(i + u * 41);
  for (int u = 0; u < UNITS; u++)
    classify(N, text[u], value[u], kind[u], count[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int i = 0; i < N; i += 3)
      printf("%d:%d ", value[u][i], kind[u][i]);
    printf("| %d %d %d %d\n", count[u][0], count[u][1], count[u][2], count[u][3]);
  }
  return 0;
}
