/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For unit tests: collects what is written to standard error meanwhile. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int capture_saved = -1;
static FILE *capture_file;
static char capture_buffer[65536];

static inline void capture_begin(void) {
  fflush(stderr);
  capture_file = tmpfile();
  capture_saved = dup(STDERR_FILENO);
  if (!capture_file || capture_saved < 0 || dup2(fileno(capture_file), STDERR_FILENO) < 0)
    exit(99);
}

/* Ends the capture and returns the text, valid until the next one. */
static inline const char *capture_end(void) {
  fflush(stderr);
  dup2(capture_saved, STDERR_FILENO);
  close(capture_saved);
  rewind(capture_file);
  size_t n = fread(capture_buffer, 1, sizeof capture_buffer - 1, capture_file);
  capture_buffer[n] = '\0';
  fclose(capture_file);
  return capture_buffer;
}

/* How often needle stands in text. */
static inline int occurrences(const char *text, const char *needle) {
  int n = 0;
  for (const char *p = text; (p = strstr(p, needle)); p += strlen(needle))
    ++n;
  return n;
}

#endif /* CAPTURE_H */
