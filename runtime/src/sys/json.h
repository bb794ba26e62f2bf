/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The little of JSON that needs care when it is written. */
#ifndef AG_JSON_H
#define AG_JSON_H

#include <stdio.h>

/* Writes s as a JSON string with its quotes. Bytes outside ASCII are passed on: names are UTF-8. */
static inline void ag_json_string(FILE *out, const char *s) {
  fputc('"', out);
  for (; *s; ++s) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

#endif /* AG_JSON_H */
