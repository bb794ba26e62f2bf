// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Odd spellings: digraphs, lines spliced inside words and pragmas, comments everywhere, strings and characters that look like
// code or pragmas, adjacent strings, every escape, macros that make operators meet, empty macros, conditional compilation.
// RUN: %compare %s %t -w
#include <stdio.h>
#define EMPTY
#define ID(x) x
#define NEG -
#define LESS <
#define STR(...) #__VA_ARGS__
#define XSTR(...) STR(__VA_ARGS__)
#define TAIL ] = 7;
#define LOOP_OF(v) for (int v = 0; v LESS n; v++)

enum <% UNITS = 8, N = 16 %>;
static const char text[] = "#pragma agglom task // not /* one */ \"\\\n" "\a\b\f\v\r\t\x1b\033\'\?" "\101\x42" "C" /* and */ "\0end";
static const char op<::> = "}{;";

#pragma agglom task /* a comment */ inout(x[0:n]) \
    // and another
static void od\
d(int n, int *x) {
  int a = 5, b = 3, *p = &a;
#pragma /* here */ agglom /* there */ \
  loop /**/
  LOOP_OF(i) <%
    x<:i:> += NEG-ID(NEG)i NEG NEG b; /* /* not nested */
    x[i] += a / *p; // a divided by what p points to */
    x[i] -=- 2, x[i] += + +a - -b;
    int c = a;
    x[i] += c+++b;
    x[i] EMPTY--;
    x[i] += '\'' + '"' + '\\' + '/*' % 100 + L'x' + u'y' + U'z' + '\x7f';
  %>
  for (int i = 0; i < n; i++)
    x[i] ^= text[i % (int)sizeof text] + "/* str */ // ing"[i] + ("a" "b\
c")[i % 4] + op[i & 3] + sizeof XSTR(N, "q", '\n') + __LINE__ * 0;
#if N < 15 && defined(EMPTY) && !defined NOTHING
  x[0 TAIL
#else
  broken code that nobody reads(
#endif
#line 1000 "else\"where.c"
  x[1] = __LINE__ + sizeof __func__ + __func__[1];
  x[2] = 0x1p3 + 1.e1 + .5e+1 + 0X1F + 017 + 1e0f + 10lu + 0xeuLL+1;
  if (a) if (b) x[3]++; else x[3] = 9;
  ;;{}{;}
}

int main(void) {
  static int x[UNITS][N];
  for (int u = 0; u < UNITS; u++) odd(N, x[u]);
_Pragma("agglom wait")
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d%c", x[u][i], i == N - 1 ? '\n' : ' ');
  return 0;
}
