// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State machines: a lexer by a table of classes and transitions, a parser of expressions with two stacks, a traffic light of
// bit-fields, brackets that match, a Turing machine.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 12, TEXT = 40, OUT = 8 };
enum class_of { BLANK, DIGIT, LETTER, SIGN, OPEN, CLOSE, OTHER, CLASSES };
enum state { START, NUMBER, WORD, ERROR, STATES };
static const unsigned char next[STATES][CLASSES] = {
    [START] = {START, NUMBER, WORD, START, START, START, ERROR},
    [NUMBER] = {START, NUMBER, ERROR, START, START, START, ERROR},
    [WORD] = {START, WORD, WORD, START, ERROR, START, ERROR},
    [ERROR] = {[DIGIT] = ERROR, [LETTER] = ERROR},
};

static enum class_of classify(char c) {
  switch (c) {
  case ' ': case '\t': return BLANK;
  case '0' ... '9': return DIGIT;
  case 'a' ... 'z': case '_': return LETTER;
  case '+': case '-': case '*': case '/': return SIGN;
  case '(': return OPEN;
  case ')': return CLOSE;
  default: return OTHER;
  }
}
static int rank(char op) { return op == '(' ? 0 : op == '+' || op == '-' ? 1 : 2; }
static long apply(char op, long a, long b) {
  switch (op) {
  case '+': return a + b;
  case '-': return a - b;
  case '*': return a * b % 1000003;
  default: return b ? a / b : -1;
  }
}
static long evaluate(const char *s, int *depth) {
  long values[20], n = 0;
  char ops[20];
  int tops = 0;
  *depth = 0;
  for (; *s; ++s) {
    enum class_of c = classify(*s);
    if (c == DIGIT) {
      long v = 0;
      do
        v = v * 10 + (*s - '0');
      while (classify(*++s) == DIGIT);
      values[n++] = v;
      s--;
    } else if (c == OPEN) {
      ops[tops++] = *s;
    } else if (c == SIGN || c == CLOSE) {
      while (tops && ops[tops - 1] != '(' && (c == CLOSE || rank(ops[tops - 1]) >= rank(*s))) {
        --n;
        values[n - 1] = apply(ops[--tops], values[n - 1], values[n]);
      }
      if (c == CLOSE)
        --tops;
      else
        ops[tops++] = *s;
    }
    *depth = tops > *depth ? tops : *depth;
  }
  while (tops > 0)
    --n, values[n - 1] = apply(ops[--tops], values[n - 1], values[n]);
  return n == 1 ? values[0] : -999;
}

#pragma agglom task in(text[0:TEXT]) out(o[0:OUT])
static void machines(int k, const char *text, long *o) {
  enum state s = START;
  long entered[STATES] = {0}, tape = 0;
  for (const char *p = text; *p; p++) {
    enum state t = (enum state)next[s][classify(*p)];
    entered[t] += t != s;
    s = t;
  }
  for (int i = 0; i < STATES; i++)
    o[i] = entered[i];
  int depth;
  o[4] = s == ERROR ? -1 : evaluate(text, &depth), o[5] = s == ERROR ? -1 : depth;
  struct {
    unsigned light : 2, ticks : 4, walk : 1;
  } crossing = {.light = (unsigned)k & 3, .ticks = 15};
  for (int t = 0; t < 100; t++)
    if (!crossing.ticks--)
      crossing.light++, crossing.ticks = crossing.light == 2 ? 3 : 9, crossing.walk = crossing.light == 0;
  o[6] = crossing.light * 100 + crossing.ticks * 2 + crossing.walk;
  unsigned char cells[64] = {0}; // a busy beaver of three states
  int head = 32, state = 0, steps = 0;
  static const signed char rule[3][2][3] = {{{1, 1, 1}, {1, -1, 2}}, {{1, -1, 0}, {1, 1, 1}}, {{1, -1, 1}, {1, 1, 3}}};
  while (state < 3 && steps++ < 50 + k) {
    const signed char *r = rule[state][cells[head]];
    cells[head] = (unsigned char)r[0], head += r[1], state = r[2];
  }
  for (int i = 0; i < 64; i++)
    tape += cells[i];
  o[7] = tape * 1000 + steps;
}

int main(void) {
  static const char text[UNITS][TEXT] = {"1 + 2 * 3", "(1+2)*3", "2*(3+4*(5-1))/3 - 7", "12 a", "x_1 + 3b", "7/0", "", "((((9))))",
                                         "1-2-3-4", "100*100*100*100", "5?", "8 - (3 - 1) * 2"};
  static long o[UNITS][OUT];
  static char copy[UNITS][TEXT];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < TEXT; i++)
      copy[u][i] = text[u][i];
  for (int u = 0; u < UNITS; u++)
    machines(u, copy[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%ld%c", o[u][k], k == OUT - 1 ? '\n' : ' ');
  return 0;
}
