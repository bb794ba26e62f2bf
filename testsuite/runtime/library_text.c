// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Library functions that device code has as text: the host's results for every argument, and strings as C has them.
// RUN: %compare %s %t -Wno-unused-but-set-variable
// RUN: FileCheck %s < %t.report
// CHECK: parts: 12 units in
// CHECK: strings: 12 units in
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct parts {
  double whole, fraction, mantissa, scaled[4];
  float fwhole, ffraction, fmantissa, fscaled;
  int exponent, fexponent, log, flog;
  long near, fnear, away;
  long long lnear, laway;
};

_Static_assert(sizeof(long) == 8, "64-bit");

#pragma agglom task in(x[0:n]) out(p[0:n])
static void parts(int n, const double *x, struct parts *p) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    struct parts r;
    double v = x[i], whole;
    float f = (float)v, fwhole;
    int e, fe;
    memset(&r, 0, sizeof r);
    r.fraction = modf(v, &whole);
    r.whole = whole;
    r.ffraction = modff(f, &fwhole);
    r.fwhole = fwhole;
    r.mantissa = frexp(v, &e);
    r.exponent = e;
    r.fmantissa = frexpf(f, &fe);
    r.fexponent = fe;
    r.log = ilogb(v);
    r.flog = ilogbf(f);
    r.scaled[0] = scalbn(v, -1060);
    r.scaled[1] = scalbn(v, 70 + i);
    r.scaled[2] = scalbln(v, -1000L * i);
    r.scaled[3] = scalbn(scalbn(v, -INT_MAX), INT_MAX);
    r.fscaled = scalbnf(f, -130) + scalblnf(f, 3);
    if (fabs(v) < 1e15) {
      r.near = lrint(v);
      r.fnear = lrintf(f);
      r.away = lround(v) + lroundf(f);
      r.lnear = llrint(v) + llrintf(f);
      r.laway = llround(v) + llroundf(f);
    }
    if (__builtin_expect(isnan(nan("")) == 0, 0) || DBL_MANT_DIG != 53 || isnan(nanf("")) == 0)
      r.laway = INT64_MAX;
    p[i] = r;
  }
}

static int sign(int v) { return (v > 0) - (v < 0); }

#pragma agglom task in(words[0:64]) out(o[0:20]) out(text[0:80])
static void strings(int k, const char *words, int *o, char *text) {
  const char *w = words + k;
  for (int i = 0; i < 80; ++i)
    text[i] = '~';
  o[0] = (int)strlen(w);
  o[1] = sign(strcmp(w, "kelvin")) + 10 * sign(strcmp("kelvin", w)) + 100 * strcmp(w, w);
  o[2] = sign(strncmp(w, "mike \xff", 5)) + 10 * strncmp(w, "anything", 0);
  o[3] = (strchr(w, 'e') ? (int)(strchr(w, 'e') - w) : -5) + (strchr(w, '#') == NULL) * 1000;
  o[4] = (strrchr(w, 'i') ? (int)(strrchr(w, 'i') - w) : -5) + (strchr(w, 0) == w + strlen(w)) * 1000;
  o[5] = strstr(w, "no") ? (int)(strstr(w, "no") - w) : -1;
  o[6] = (int)strspn(w, "abcdefghijklm ") + 100 * (int)strcspn(w, "xyz");
  o[7] = (int)((const char *)memchr(words, 'r', 64) - words) + 1000 * (memchr(words, 'r', 2) == NULL);
  o[8] = (int)strnlen(w, 5) + 100 * (int)strnlen(w, 500);
  o[9] = strstr(w, "") == w;
  o[10] = (int)__builtin_strlen(w) + sign(__builtin_strcmp(w, "~~~~")) + (int)strcspn(w, "");
  strcpy(text, w);
  strcat(text, "/end");
  strncpy(text + 40, w, 12);
  text[60] = 0;
  strncat(text + 60, w, 4);
  strncat(text + 60, "xy", 4);
  for (int i = 11; i < 20; ++i)
    o[i] = __builtin_popcount((unsigned)k * 77u) + __builtin_clz(k + 1u) + __builtin_ctz(k + 8u);
}

int main(void) {
  enum { U = 12, N = 30 };
  static double x[U][N];
  static struct parts p[U][N];
  static char words[64] = "oscar november mike lima kilo", text[U][80];
  static int o[U][20];
  static const double special[] = {0.0,   -0.0,    INFINITY, -INFINITY, 5e-324,   -3e-310, DBL_MIN, DBL_MAX,
                                   1e-40, FLT_MIN, FLT_MAX,  0.5,       -0.5,     1.5,     2.5,     -2.5,
                                   1 / 3., 1e15,   -1e300,   4503599627370495.5, 0.49999999999999994};
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      x[u][i] = u == 0 && i < (int)(sizeof special / sizeof *special) ? special[i] : (i - 13) * exp(3.0 * u) / 7;
  for (int u = 0; u < U; ++u) {
    parts(N, x[u], p[u]);
    strings(u, words, o[u], text[u]);
  }
#pragma agglom wait
  for (int u = 0; u < U; ++u) {
    for (int i = 0; i < N; ++i) {
      const struct parts *r = &p[u][i];
      printf("%a: %a %a %a %d %a %a %a %d %d %d | %a %a %a %a %a | %ld %ld %ld %lld %lld\n", x[u][i], r->whole, r->fraction,
             r->mantissa, r->exponent, r->fwhole, r->ffraction, r->fmantissa, r->fexponent, r->log, r->flog, r->scaled[0],
             r->scaled[1], r->scaled[2], r->scaled[3], r->fscaled, r->near, r->fnear, r->away, r->lnear, r->laway);
    }
    for (int i = 0; i < 20; ++i)
      printf("%d ", o[u][i]);
    printf("%.80s\n", text[u]);
    for (int i = 40; i < 80; ++i)
      putchar(text[u][i] ? text[u][i] : '.');
    putchar('\n');
  }
  return 0;
}
