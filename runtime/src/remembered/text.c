/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Books as text:
 *
 *   agglom-models 1
 *   machine "..." 8
 *   task "step" "md.c" 12 a0b1c2d3
 *     cpu: 12.5 40
 *   end 0123456789abcdef
 *
 * Lines end with a line feed. A line that begins with two blanks is an item of the section above it: its
 * name, a colon, numbers with a blank before each. Other lines are the keys of sections. */
#include "remembered/book.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "agglom-models ", machine_word[] = "machine ", end_word[] = "end ";
enum { SUM_DIGITS = 16, END_BYTES = sizeof end_word - 1 + SUM_DIGITS + 1 };

/* FNV-1a. */
uint64_t ag_book_checksum(const char *text, size_t bytes) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes; ++i)
    sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  return sum;
}

/* --- Reading ------------------------------------------------------------------------------------------ */

static bool begins_with(const char *line, const char *word) { return !strncmp(line, word, strlen(word)); }

/* The numbers behind an item's name. */
static bool read_item(struct ag_book_section *section, char *line) {
  char *colon = strrchr(line, ':');
  double x[AG_BOOK_NUMBERS];
  unsigned n = 0;
  if (!section || !colon || colon == line)
    return false;
  *colon = '\0';
  for (char *at = colon + 1; *at;) {
    char *behind;
    if (*at != ' ' || at[1] < '0' || at[1] > '9' || n == AG_BOOK_NUMBERS)
      return false;
    x[n++] = strtod(at + 1, &behind);
    at = behind;
  }
  return !ag_book_item(section, line) && ag_book_set(section, line, x, n);
}

static bool read_line(struct ag_book *book, struct ag_book_section **last, char *line) {
  if (strlen(line) < 3)
    return false;
  if (!strncmp(line, "  ", 2))
    return read_item(*last, line + 2);
  if (strlen(line) >= AG_BOOK_KEY)
    return false;
  if (begins_with(line, machine_word))
    return !book->machine && !*last && (book->machine = strdup(line + strlen(machine_word)));
  if (!book->machine || ag_book_find(book, line))
    return false;
  struct ag_book_section *s = ag_book_add(book, *last, line);
  *last = s ? s : *last;
  return s;
}

/* Lines from the second one on. The number of the line that is damaged; 0: none. */
static unsigned read_lines(struct ag_book *book, char *text) {
  struct ag_book_section *last = NULL;
  unsigned number = 1;
  char *rest = text;
  strsep(&rest, "\n");
  for (char *line; (line = strsep(&rest, "\n")) && rest;) {
    ++number;
    if (!read_line(book, &last, line))
      return number;
  }
  return book->machine ? 0 : number + 1;
}

static unsigned lines_of(const char *text, size_t bytes) {
  unsigned n = 0;
  for (size_t i = 0; i < bytes; ++i)
    n += text[i] == '\n';
  return n;
}

/* Where the last line begins, which says that the text is complete, with its checksum. */
static enum ag_book_verdict check_end(const char *text, size_t bytes, size_t *end) {
  char expected[END_BYTES + 1];
  if (bytes < END_BYTES || memcmp(text + bytes - END_BYTES, end_word, sizeof end_word - 1) != 0)
    return AG_BOOK_NO_END;
  *end = bytes - END_BYTES;
  snprintf(expected, sizeof expected, "%s%016llx\n", end_word,
           (unsigned long long)ag_book_checksum(text, *end));
  bool fine = !memcmp(text + *end, expected, END_BYTES) && *end && text[*end - 1] == '\n';
  return fine ? AG_BOOK_FINE : AG_BOOK_CHANGED;
}

static enum ag_book_verdict check(const char *text, size_t bytes, size_t *end, unsigned *line) {
  char first[sizeof magic + 16];
  size_t length = strlen(magic);
  if (!bytes)
    return AG_BOOK_EMPTY;
  if (bytes < length || memcmp(text, magic, length) != 0)
    return AG_BOOK_FOREIGN;
  snprintf(first, sizeof first, "%s%d\n", magic, AG_BOOK_VERSION);
  length = strlen(first);
  if (bytes > length && !memcmp(text, first, length - 1) && text[length - 1] == '\r' && text[length] == '\n')
    return AG_BOOK_CRLF;
  if (bytes >= length && memcmp(text, first, length) != 0)
    return AG_BOOK_OTHER_VERSION;
  const char *nul = memchr(text, '\0', bytes);
  if (nul) {
    *line = lines_of(text, (size_t)(nul - text)) + 1;
    return AG_BOOK_DAMAGED;
  }
  return check_end(text, bytes, end);
}

enum ag_book_verdict ag_book_read(struct ag_book *book, const char *text, size_t bytes, unsigned *line) {
  size_t end = 0;
  *line = 0;
  enum ag_book_verdict verdict = check(text, bytes, &end, line);
  if (verdict != AG_BOOK_FINE)
    return verdict;
  struct ag_book found = {0};
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = c ? uselocale(c) : (locale_t)0;
  char *copy = c ? strndup(text, end) : NULL;
  *line = copy ? read_lines(&found, copy) : 0;
  if (c) {
    uselocale(before);
    freelocale(c);
  }
  if (!copy)
    return AG_BOOK_NO_MEMORY;
  free(copy);
  if (*line) {
    ag_book_free(&found);
    return AG_BOOK_DAMAGED;
  }
  *book = found;
  return AG_BOOK_FINE;
}

/* --- Writing ------------------------------------------------------------------------------------------ */

/* The shortest of the forms that say the number exactly. */
static void write_number(FILE *out, double x) {
  char text[40];
  int digits = 15;
  do
    snprintf(text, sizeof text, "%.*g", digits, x);
  while (strtod(text, NULL) != x && ++digits <= 17);
  fprintf(out, " %s", text);
}

static void write_section(FILE *out, const struct ag_book_section *s) {
  fprintf(out, "%s\n", s->key);
  for (const struct ag_book_item *i = s->items; i; i = i->next) {
    fprintf(out, "  %s:", i->name);
    for (unsigned k = 0; k < i->n; ++k)
      write_number(out, i->x[k]);
    fputc('\n', out);
  }
}

/* Writes the book. Returns where its text ends: before the first section that would make it too long. */
static long write_all(FILE *out, const struct ag_book *book) {
  fprintf(out, "%s%d\n%s%s\n", magic, AG_BOOK_VERSION, machine_word, book->machine ? book->machine : "\"\"");
  long end = ftell(out);
  for (const struct ag_book_section *s = book->sections; s; s = s->next) {
    write_section(out, s);
    long now = ftell(out);
    if (now > AG_BOOK_MOST - END_BYTES)
      break;
    end = now;
  }
  return end;
}

char *ag_book_write(const struct ag_book *book, size_t *bytes) {
  char *text = NULL;
  size_t size = 0;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = c ? uselocale(c) : (locale_t)0;
  FILE *out = c ? open_memstream(&text, &size) : NULL;
  long end = out ? write_all(out, book) : -1;
  bool fine = out && end >= 0 && !ferror(out);
  if (out)
    fine &= !fclose(out);
  if (c) {
    uselocale(before);
    freelocale(c);
  }
  char *grown = fine ? realloc(text, (size_t)end + END_BYTES + 1) : NULL;
  if (!grown) {
    free(text);
    return NULL;
  }
  snprintf(grown + end, END_BYTES + 1, "%s%016llx\n", end_word,
           (unsigned long long)ag_book_checksum(grown, (size_t)end));
  *bytes = (size_t)end + END_BYTES;
  return grown;
}
