/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For unit tests: whether a text is JSON, and no more than that. */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline void json_space(const char **p) { *p += strspn(*p, " \t\r\n"); }

static inline bool json_text(const char **p) {
  if (*(*p)++ != '"')
    return false;
  for (; **p != '"'; ++*p) {
    if ((unsigned char)**p < 0x20)
      return false;
    if (**p == '\\') {
      ++*p;
      if (!strchr("\"\\/bfnrtu", **p) || !**p)
        return false;
    }
  }
  ++*p;
  return true;
}

static inline bool json_number(const char **p) {
  *p += **p == '-';
  size_t n = strspn(*p, "0123456789");
  if (!n || (n > 1 && **p == '0'))
    return false;
  *p += n;
  if (**p != '.')
    return true;
  ++*p;
  n = strspn(*p, "0123456789");
  *p += n;
  return n > 0;
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static inline bool json_value(const char **p) {
  static const char *const words[] = {"true", "false", "null"};
  json_space(p);
  if (**p == '"')
    return json_text(p);
  if (**p == '{' || **p == '[') {
    bool object = **p == '{';
    char end = object ? '}' : ']';
    ++*p;
    json_space(p);
    if (**p == end) {
      ++*p;
      return true;
    }
    for (;;) {
      json_space(p);
      if (object) {
        if (!json_text(p))
          return false;
        json_space(p);
        if (*(*p)++ != ':')
          return false;
      }
      if (!json_value(p))
        return false;
      json_space(p);
      char c = *(*p)++;
      if (c != ',')
        return c == end;
    }
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (!strncmp(*p, words[i], strlen(words[i]))) {
      *p += strlen(words[i]);
      return true;
    }
  return json_number(p);
}

static inline bool is_json(const char *text) {
  const char *p = text;
  if (!json_value(&p))
    return false;
  json_space(&p);
  return !*p;
}

#endif /* JSON_CHECK_H */
