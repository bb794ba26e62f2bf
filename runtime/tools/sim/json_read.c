/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST_NUMBER = 63 };

static void blank(struct json *j) {
  while (!j->bad && j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at)
    ++j->at;
}

static bool is_next(struct json *j, char c) {
  blank(j);
  return !j->bad && j->at < j->end && *j->at == c;
}

static bool take(struct json *j, char c) {
  if (!is_next(j, c))
    return false;
  ++j->at;
  return true;
}

static void need(struct json *j, char c) { j->bad |= !take(j, c); }

static void open(struct json *j, char c) {
  need(j, c);
  j->bad |= ++j->depth > DEEPEST;
  j->first = true;
}

void json_object(struct json *j) { open(j, '{'); }
void json_array(struct json *j) { open(j, '['); }

/* A comma stands between members, and before none of them. */
static bool more(struct json *j, char close) {
  if (take(j, close)) {
    --j->depth;
    j->first = false;
    return false;
  }
  if (!j->first)
    need(j, ',');
  j->first = false;
  return !j->bad;
}

bool json_member(struct json *j, char *key, size_t size) {
  blank(j);
  if (j->bad || !more(j, '}'))
    return false;
  json_string(j, key, size);
  need(j, ':');
  return !j->bad;
}

bool json_element(struct json *j) {
  blank(j);
  return !j->bad && more(j, ']');
}

double json_number(struct json *j) {
  char text[LONGEST_NUMBER + 1];
  size_t n = 0;
  blank(j);
  while (!j->bad && n < LONGEST_NUMBER && j->at < j->end && *j->at && strchr("+-.0123456789eE", *j->at))
    text[n++] = *j->at++;
  text[n] = '\0';
  char *end;
  double x = strtod(text, &end);
  if (!n || *end || !isfinite(x))
    j->bad = true;
  return j->bad ? 0 : x;
}

void json_string(struct json *j, char *text, size_t size) {
  size_t n = 0;
  need(j, '"');
  while (!j->bad && j->at < j->end && *j->at != '"') {
    j->at += *j->at == '\\'; /* what is escaped stays as it is: such names are only compared */
    if (j->at < j->end && n + 1 < size)
      text[n++] = *j->at;
    ++j->at;
  }
  if (size)
    text[n] = '\0';
  j->bad |= j->at >= j->end;
  j->at += !j->bad;
}

static bool word(struct json *j, const char *text) {
  size_t n = strlen(text);
  if (j->bad || (size_t)(j->end - j->at) < n || memcmp(j->at, text, n) != 0)
    return false;
  j->at += n;
  return true;
}

bool json_truth(struct json *j) {
  blank(j);
  if (word(j, "true"))
    return true;
  j->bad |= !word(j, "false");
  return false;
}

bool json_null(struct json *j) {
  blank(j);
  return word(j, "null");
}

/* Not by recursion: brackets are counted. */
void json_skip(struct json *j) {
  unsigned depth = 0;
  do {
    blank(j);
    if (j->bad || j->at >= j->end) {
      j->bad = true;
      return;
    }
    char c = *j->at;
    if (c == '"')
      json_string(j, NULL, 0);
    else if (c == '{' || c == '[')
      ++depth, ++j->at;
    else if (c == '}' || c == ']') {
      j->bad |= !depth;
      depth -= depth > 0;
      ++j->at;
    } else if ((c == ',' || c == ':') && depth)
      ++j->at;
    else if (!word(j, "true") && !word(j, "false") && !word(j, "null"))
      (void)json_number(j);
  } while (depth && !j->bad);
}

bool json_over(struct json *j) {
  blank(j);
  return !j->bad && j->at == j->end;
}
