/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_name(const struct option *o) {
  switch (o->kind) {
  case OPTION_INTEGER:
    return "N";
  case OPTION_REAL:
    return "X";
  case OPTION_GRID:
    return "NxM";
  case OPTION_TEXT:
    return "FILE";
  case OPTION_WORD:
    return o->words;
  default:
    return "";
  }
}

static void print_default(const struct option *o) {
  const char *text = o->kind == OPTION_TEXT || o->kind == OPTION_WORD ? *(const char **)o->to : NULL;
  if (o->kind == OPTION_INTEGER && (double)*(long long *)o->to >= o->lo)
    printf(" (%lld)", *(long long *)o->to);
  else if (o->kind == OPTION_REAL)
    printf(" (%g)", *(double *)o->to);
  else if (o->kind == OPTION_GRID)
    printf(" (%dx%d)", ((int *)o->to)[0], ((int *)o->to)[1]);
  else if (o->kind == OPTION_PRESET)
    printf(": %s", o->words);
  else if (text)
    printf(" (%s)", text);
}

static void print_help(const char *program, const char *what, const struct option *table) {
  printf("usage: %s [option...]\n%s\n", program, what);
  for (const struct option *o = table; o->name; ++o) {
    int width = printf("  %s %s", o->name, value_name(o));
    printf("%*s%s", width < 26 ? 26 - width : 1, "", o->help);
    print_default(o);
    putchar('\n');
  }
  puts("  --help                  this text\nA later option overrides an earlier one.");
}

static int read_integer(const char *program, const struct option *o, const char *text) {
  char *end;
  errno = 0;
  long long n = strtoll(text, &end, 10);
  if (end == text || *end || errno || (double)n < o->lo || (double)n > o->hi) {
    fprintf(stderr, "%s: %s takes an integer from %.0f to %.0f, not '%s'.\n", program, o->name, o->lo, o->hi,
            text);
    return 2;
  }
  *(long long *)o->to = n;
  return OPTIONS_GO_ON;
}

static int read_real(const char *program, const struct option *o, const char *text) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || !(x >= o->lo && x <= o->hi)) {
    fprintf(stderr, "%s: %s takes a number from %g to %g, not '%s'.\n", program, o->name, o->lo, o->hi, text);
    return 2;
  }
  *(double *)o->to = x;
  return OPTIONS_GO_ON;
}

static int read_grid(const char *program, const struct option *o, const char *text) {
  char *end;
  long n[2] = {strtol(text, &end, 10), 0};
  if (end != text && *end == 'x') {
    const char *second = end + 1;
    n[1] = strtol(second, &end, 10);
    if (end != second && !*end && (double)n[0] >= o->lo && (double)n[0] <= o->hi && (double)n[1] >= o->lo &&
        (double)n[1] <= o->hi) {
      ((int *)o->to)[0] = (int)n[0];
      ((int *)o->to)[1] = (int)n[1];
      return OPTIONS_GO_ON;
    }
  }
  fprintf(stderr, "%s: %s takes two integers from %.0f to %.0f with an x between, like 16x16, not '%s'.\n",
          program, o->name, o->lo, o->hi, text);
  return 2;
}

static int read_word(const char *program, const struct option *o, const char *text) {
  size_t length = strlen(text);
  for (const char *word = o->words; *word; word += strcspn(word, "|"), word += *word == '|')
    if (length && strcspn(word, "|") == length && !strncmp(word, text, length)) {
      *(const char **)o->to = text;
      return OPTIONS_GO_ON;
    }
  fprintf(stderr, "%s: %s takes one of %s, not '%s'.\n", program, o->name, o->words, text);
  return 2;
}

static int read_value(const char *program, const struct option *o, const char *text) {
  switch (o->kind) {
  case OPTION_INTEGER:
    return read_integer(program, o, text);
  case OPTION_REAL:
    return read_real(program, o, text);
  case OPTION_GRID:
    return read_grid(program, o, text);
  case OPTION_WORD:
    return read_word(program, o, text);
  default:
    *(const char **)o->to = text;
    return OPTIONS_GO_ON;
  }
}

/* The words of a preset as an argv of its own. Texts that options keep point into a static array: presets
 * name numbers and words of tables only. */
static int read_preset(const char *program, const char *what, const struct option *table, const char *words) {
  char text[256], *argv[32] = {NULL};
  int argc = 1;
  snprintf(text, sizeof text, "%s", words);
  for (char *word = strtok(text, " "); word && argc < 32; word = strtok(NULL, " "))
    argv[argc++] = word;
  return options_read(program, what, table, argc, argv);
}

int options_read(const char *program, const char *what, const struct option *table, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--help")) {
      print_help(program, what, table);
      return 0;
    }
    const struct option *o = table;
    while (o->name && strcmp(o->name, argv[i]))
      ++o;
    int status = OPTIONS_GO_ON;
    if (!o->name) {
      fprintf(stderr, "%s: there is no option '%s'; %s --help lists them.\n", program, argv[i], program);
      status = 2;
    } else if (o->kind == OPTION_FLAG) {
      *(int *)o->to = 1;
    } else if (o->kind == OPTION_PRESET) {
      status = read_preset(program, what, table, o->words);
    } else if (++i == argc) {
      fprintf(stderr, "%s: %s needs a value after it.\n", program, o->name);
      status = 2;
    } else {
      status = read_value(program, o, argv[i]);
    }
    if (status != OPTIONS_GO_ON)
      return status;
  }
  return OPTIONS_GO_ON;
}
