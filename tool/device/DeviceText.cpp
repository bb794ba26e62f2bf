// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceText.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <string>

namespace agglom {

#define AG_STRINGIZE(X) #X
#define AG_STRING(X) AG_STRINGIZE(X)

// The type of size_t is spelled out: a task need not include <stddef.h>.
static const DeviceText Texts[] = {
    // <stdio.h>
    {"printf", "", R"(
#define ag_printf __builtin_printf
#define printf __builtin_printf
)"},
    {"__printf_chk", "printf", R"(
#define ag___printf_chk(flag, ...) ag_printf(__VA_ARGS__)
)"},
    {"puts", "printf", R"(
AG_FUNC int ag_puts(const char *s) { ag_printf("%s\n", s); return 1; }
)"},
    {"putchar", "printf", R"(
AG_FUNC int ag_putchar(int c) { ag_printf("%c", c); return (unsigned char)c; }
)"},
    // <assert.h>, <stdlib.h>
    {"__assert_fail", "", R"(
void __assertfail(const char *, const char *, unsigned, const char *, unsigned long) __attribute__((noreturn));
AG_FUNC void ag___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  __assertfail(what, file, line, function, 1);
}
)"},
    {"abort", "", R"(
#define ag_abort() AG_TRAP()
)"},
    // <string.h>
    {"strlen", "", R"(
AG_FUNC unsigned long ag_strlen(const char *s) {
  unsigned long n = 0;
  while (s[n]) ++n;
  return n;
}
)"},
    {"strnlen", "", R"(
AG_FUNC unsigned long ag_strnlen(const char *s, unsigned long most) {
  unsigned long n = 0;
  while (n < most && s[n]) ++n;
  return n;
}
)"},
    {"strcmp", "", R"(
AG_FUNC int ag_strcmp(const char *a, const char *b) {
  while (*a && *a == *b) ++a, ++b;
  return (unsigned char)*a < (unsigned char)*b ? -1 : (unsigned char)*a > (unsigned char)*b;
}
)"},
    {"strncmp", "", R"(
AG_FUNC int ag_strncmp(const char *a, const char *b, unsigned long n) {
  while (n && *a && *a == *b) ++a, ++b, --n;
  if (!n) return 0;
  return (unsigned char)*a < (unsigned char)*b ? -1 : (unsigned char)*a > (unsigned char)*b;
}
)"},
    {"strchr", "", R"(
AG_FUNC char *ag_strchr(const char *s, int c) {
  for (;; ++s) {
    if (*s == (char)c) return (char *)s;
    if (!*s) return 0;
  }
}
)"},
    {"strrchr", "", R"(
AG_FUNC char *ag_strrchr(const char *s, int c) {
  const char *last = 0;
  for (;; ++s) {
    if (*s == (char)c) last = s;
    if (!*s) return (char *)last;
  }
}
)"},
    {"strstr", "", R"(
AG_FUNC char *ag_strstr(const char *s, const char *word) {
  for (;; ++s) {
    unsigned long n = 0;
    while (word[n] && s[n] == word[n]) ++n;
    if (!word[n]) return (char *)s;
    if (!*s) return 0;
  }
}
)"},
    {"strspn", "", R"(
AG_FUNC unsigned long ag_strspn(const char *s, const char *set) {
  unsigned long n = 0;
  for (; s[n]; ++n) {
    const char *m = set;
    while (*m && *m != s[n]) ++m;
    if (!*m) break;
  }
  return n;
}
)"},
    {"strcspn", "", R"(
AG_FUNC unsigned long ag_strcspn(const char *s, const char *set) {
  unsigned long n = 0;
  for (; s[n]; ++n) {
    const char *m = set;
    while (*m && *m != s[n]) ++m;
    if (*m) break;
  }
  return n;
}
)"},
    {"strcpy", "", R"(
AG_FUNC char *ag_strcpy(char *to, const char *from) {
  unsigned long i = 0;
  while ((to[i] = from[i])) ++i;
  return to;
}
)"},
    {"strncpy", "", R"(
AG_FUNC char *ag_strncpy(char *to, const char *from, unsigned long n) {
  unsigned long i = 0;
  for (; i < n && from[i]; ++i) to[i] = from[i];
  for (; i < n; ++i) to[i] = 0;
  return to;
}
)"},
    {"strcat", "strcpy strlen", R"(
AG_FUNC char *ag_strcat(char *to, const char *from) {
  ag_strcpy(to + ag_strlen(to), from);
  return to;
}
)"},
    {"strncat", "strlen", R"(
AG_FUNC char *ag_strncat(char *to, const char *from, unsigned long n) {
  char *end = to + ag_strlen(to);
  for (; n && *from; --n) *end++ = *from++;
  *end = 0;
  return to;
}
)"},
    {"memchr", "", R"(
AG_FUNC void *ag_memchr(const void *s, int c, unsigned long n) {
  const unsigned char *p = (const unsigned char *)s;
  for (; n; --n, ++p)
    if (*p == (unsigned char)c) return (void *)p;
  return 0;
}
)"},
    {"ffs", "",
     "AG_FUNC int ag_ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }\n"},
    {"ffsl", "",
     "AG_FUNC int ag_ffsl(long x) { return x ? __builtin_ctzl(x) + 1 : 0; }\n"},
    {"ffsll", "",
     "AG_FUNC int ag_ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : "
     "0; }\n"},
    // <math.h>: exact for every argument.
    {"modf", "", R"(
AG_FUNC double ag_modf(double x, double *whole) {
  *whole = __builtin_trunc(x);
  return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x);
}
)"},
    {"modff", "modf", R"(
AG_FUNC float ag_modff(float x, float *whole) {
  double w, part = ag_modf(x, &w);
  *whole = (float)w;
  return (float)part;
}
)"},
    {"frexp", "", R"(
AG_FUNC double ag_frexp(double x, int *exponent) {
  union { double value; unsigned long long bits; } v;
  int e;
  v.value = x;
  *exponent = 0;
  if (x == 0 || (v.bits >> 52 & 2047) == 2047) return x + x;
  e = (int)(v.bits >> 52 & 2047);
  if (!e) { /* subnormal */
    v.value = x * 0x1p54;
    e = (int)(v.bits >> 52 & 2047) - 54;
  }
  *exponent = e - 1022;
  v.bits = (v.bits & ~(2047ULL << 52)) | 1022ULL << 52;
  return v.value;
}
)"},
    {"frexpf", "frexp", R"(
AG_FUNC float ag_frexpf(float x, int *exponent) { return (float)ag_frexp(x, exponent); }
)"},
    {"ilogb", "frexp", R"(
AG_FUNC int ag_ilogb(double x) {
  int e;
  if (x == 0) return )" AG_STRING(FP_ILOGB0) R"(;
  if (x != x) return )" AG_STRING(FP_ILOGBNAN) R"(;
  if (__builtin_isinf(x)) return 2147483647;
  ag_frexp(x, &e);
  return e - 1;
}
)"},
    {"ilogbf", "ilogb", R"(
AG_FUNC int ag_ilogbf(float x) { return ag_ilogb(x); }
)"},
    // Each product but the last is exact, or so small that the result is 0.
    {"scalbn", "", R"(
AG_FUNC double ag_scalbn(double x, int n) {
  union { double value; unsigned long long bits; } v;
  if (n > 3000) n = 3000;
  if (n < -3000) n = -3000;
  for (; n > 1023; n -= 1023) x *= 0x1p1023;
  for (; n < -1022; n += 969) x *= 0x1p-969;
  v.bits = (unsigned long long)(1023 + n) << 52;
  return x * v.value;
}
)"},
    {"scalbnf", "scalbn", R"(
AG_FUNC float ag_scalbnf(float x, int n) { return (float)ag_scalbn(x, n); }
)"},
    {"scalbln", "scalbn", R"(
AG_FUNC double ag_scalbln(double x, long n) {
  return ag_scalbn(x, n > 3000 ? 3000 : n < -3000 ? -3000 : (int)n);
}
)"},
    {"scalblnf", "scalbln", R"(
AG_FUNC float ag_scalblnf(float x, long n) { return (float)ag_scalbln(x, n); }
)"},
    {"lrint", "",
     "AG_FUNC long ag_lrint(double x) { return (long)__builtin_rint(x); }\n"},
    {"lrintf", "",
     "AG_FUNC long ag_lrintf(float x) { return (long)__builtin_rintf(x); }\n"},
    {"llrint", "",
     "AG_FUNC long long ag_llrint(double x) { return (long "
     "long)__builtin_rint(x); }\n"},
    {"llrintf", "",
     "AG_FUNC long long ag_llrintf(float x) { return (long "
     "long)__builtin_rintf(x); }\n"},
    {"lround", "",
     "AG_FUNC long ag_lround(double x) { return (long)__builtin_round(x); }\n"},
    {"lroundf", "",
     "AG_FUNC long ag_lroundf(float x) { return (long)__builtin_roundf(x); "
     "}\n"},
    {"llround", "",
     "AG_FUNC long long ag_llround(double x) { return (long "
     "long)__builtin_round(x); }\n"},
    {"llroundf", "",
     "AG_FUNC long long ag_llroundf(float x) { return (long "
     "long)__builtin_roundf(x); }\n"},
    {"nan", "",
     "AG_FUNC double ag_nan(const char *s) { return __builtin_nan(\"\"); }\n"},
    {"nanf", "",
     "AG_FUNC float ag_nanf(const char *s) { return __builtin_nanf(\"\"); }\n"},
    {"sincos", "sin cos", R"(
AG_FUNC void ag_sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
)"},
    {"sincosf", "sinf cosf", R"(
AG_FUNC void ag_sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
)"},
    // <agglom/device.h>
    {"agglom_thread", "",
     "AG_FUNC unsigned ag_agglom_thread(void) { return AG_THREAD; }\n"},
    {"agglom_threads", "",
     "AG_FUNC unsigned ag_agglom_threads(void) { return AG_THREADS; }\n"},
    {"agglom_barrier", "",
     "AG_FUNC void ag_agglom_barrier(void) { AG_BARRIER(); }\n"},
#define BLOCK_REDUCTION(OP, T, COMBINE)                                        \
  {"agglom_" #OP "_" #T, "",                                                   \
   "AG_DEFINE_REDUCTION(ag_block_" #OP "_" #T ", " #T ", " COMBINE             \
   ")\nAG_FUNC " #T " ag_agglom_" #OP "_" #T "(" #T                            \
   " x) { return ag_block_" #OP "_" #T "(AG_BLOCK_TEAM, x); }\n"},
#define BLOCK_REDUCTIONS(T)                                                    \
  BLOCK_REDUCTION(sum, T, "a + b")                                             \
  BLOCK_REDUCTION(min, T, "b < a ? b : a")                                     \
  BLOCK_REDUCTION(max, T, "b > a ? b : a")
    BLOCK_REDUCTIONS(int) BLOCK_REDUCTIONS(long) BLOCK_REDUCTIONS(float)
        BLOCK_REDUCTIONS(double)};

const DeviceText *deviceText(llvm::StringRef Name) {
  const auto *It =
      llvm::find_if(Texts, [&](const DeviceText &T) { return Name == T.Name; });
  return It == std::end(Texts) ? nullptr : It;
}

} // namespace agglom
