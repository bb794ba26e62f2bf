// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searching in text: Knuth-Morris-Pratt, Horspool, Rabin-Karp, glob patterns, edit distance, longest common subsequence.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

enum { UNITS = 14, TEXT = 96, PATTERN = 8 };

static int kmp(const char *text, int n, const char *pattern, int m) {
  int fail[PATTERN + 1] = {-1}, hits = 0;
  for (int i = 0, k = -1; i < m; fail[++i] = ++k)
    while (k >= 0 && pattern[i] != pattern[k])
      k = fail[k];
  for (int i = 0, k = 0; i < n; i++) {
    while (k >= 0 && (k == m || text[i] != pattern[k]))
      k = fail[k];
    if (++k == m)
      hits = hits % 10000 * 100 + i - m + 1;
  }
  return hits;
}
static int horspool(const char *text, int n, const char *pattern, int m) {
  unsigned char skip[256];
  int hits = 0;
  memset(skip, m, sizeof skip);
  for (int i = 0; i < m - 1; i++)
    skip[(unsigned char)pattern[i]] = (unsigned char)(m - 1 - i);
  for (int at = 0; at <= n - m; at += skip[(unsigned char)text[at + m - 1]])
    if (!memcmp(text + at, pattern, (size_t)m))
      hits = hits % 10000 * 100 + at;
  return hits;
}
static int rabin(const char *text, int n, const char *pattern, int m) {
  unsigned want = 0, have = 0, top = 1;
  int hits = 0;
  for (int i = 0; i < m; i++)
    want = want * 257 + (unsigned char)pattern[i], have = have * 257 + (unsigned char)text[i], top *= i ? 257 : 1;
  for (int at = 0;; at++) {
    if (want == have)
      hits = hits % 10000 * 100 + at;
    if (at + m >= n)
      return hits;
    have = (have - (unsigned char)text[at] * top) * 257 + (unsigned char)text[at + m];
  }
}
static _Bool glob(const char *p, const char *s) {
  const char *star = 0, *retry = 0;
  while (*s)
    if (*p == '*')
      star = p++, retry = s;
    else if (*p == '?' || *p == *s)
      p++, s++;
    else if (star)
      p = star + 1, s = ++retry;
    else
      return 0;
  while (*p == '*')
    p++;
  return !*p;
}
static int distance(const char *a, int n, const char *b, int m) {
  unsigned char row[TEXT + 1];
  for (int j = 0; j <= m; j++)
    row[j] = (unsigned char)j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = (unsigned char)i;
    for (int j = 1; j <= m; j++) {
      int t = row[j], least = diagonal + (a[i - 1] != b[j - 1]);
      least = least < t + 1 ? least : t + 1, least = least < row[j - 1] + 1 ? least : row[j - 1] + 1;
      row[j] = (unsigned char)least, diagonal = t;
    }
  }
  return row[m];
}

#pragma agglom task in(text[0:n + 1]) out(r[0:9])
static void search(int n, const char *text, unsigned char shift, int *r) {
  char pattern[PATTERN] = "abab";
  pattern[shift % 4] = (char)('a' + shift % 2), pattern[4] = "\0c"[shift & 1];
  int m = 4 + (shift & 1), lcs[2][TEXT + 1] = {{0}};
  r[0] = kmp(text, n, pattern, m) % 1000000007, r[1] = horspool(text, n, pattern, m), r[2] = rabin(text, n, pattern, m);
  r[3] = glob("*a?a*b", text) | glob("a*", text) << 1 | glob("*", text) << 2 | glob("", text) << 3 | glob("*c*c*", text) << 4;
  r[4] = distance(text, n / 2, text + n / 2, n - n / 2), r[5] = distance("kitten", 6, "sitting", 7), r[6] = m;
  for (int i = 1; i <= n / 2; i++)
    for (int j = 1; j <= n / 2; j++)
      lcs[i & 1][j] = text[i] == text[n / 2 + j - 1] ? lcs[~i & 1][j - 1] + 1
                      : lcs[i & 1][j - 1] > lcs[~i & 1][j] ? lcs[i & 1][j - 1] : lcs[~i & 1][j];
  r[7] = lcs[n / 2 & 1][n / 2], r[8] = text[n];
}

int main(void) {
  static char text[UNITS][TEXT];
  static int r[UNITS][9];
  unsigned x = 1;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < 20; i++)
      x = x * 1103515245 + 12345, text[u][i] = (char)('a' + (x >> 16) % 3 % (2 + u % 2));
  for (int u = 0; u < UNITS; u++)
    search(20, text[u], (unsigned char)u, r[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < 9; k++)
      printf("%d%c", r[u][k], k == 8 ? '\n' : ' ');
  return 0;
}
