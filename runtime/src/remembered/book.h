/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is known of a machine's devices, tasks and loops, in memory and as text (AGGLOM_MODELS). It is a list
 * of sections, each of one task or one loop, found by its key; a section has items: numbers under a name.
 * What the numbers mean is the business of those who keep them (models.c). */
#ifndef AG_BOOK_H
#define AG_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  AG_BOOK_VERSION = 1,
  AG_BOOK_MOST = 4 << 20,  /* bytes of the text; what was not used for the longest time goes first */
  AG_BOOK_KEY = 4096,      /* bytes of a key or a name, with its NUL */
  AG_BOOK_NUMBERS = 128,   /* of an item */
  AG_BOOK_SECTIONS = 4096, /* at most, */
  AG_BOOK_ITEMS = 2500     /* and items of one */
};
/* Numbers are 0 or more, and not larger. */
#define AG_BOOK_LARGEST 1e30

struct ag_book_item {
  struct ag_book_item *next;
  char *name; /* "curve 4" */
  unsigned n;
  double x[];
};

struct ag_book_section {
  struct ag_book_section *next;
  char *key; /* task "step" "md.c" 12 a0b1c2d3 */
  struct ag_book_item *items;
  unsigned n_items;
};

struct ag_book {
  char *machine;                    /* NULL: there is nothing in it yet */
  struct ag_book_section *sections; /* the ones that were changed last first */
  unsigned n_sections;
};

/* --- Contents. A book of zeros is empty -------------------------------------------------------------- */

void ag_book_free(struct ag_book *book);

struct ag_book_section *ag_book_find(const struct ag_book *book, const char *key);
const struct ag_book_item *ag_book_item(const struct ag_book_section *section, const char *name);

/* The section, made if need be, becomes the first one; when there are too many, the last one goes. NULL
 * without memory. */
struct ag_book_section *ag_book_use(struct ag_book *book, const char *key);

/* A new section behind that one, or the first one; NULL without memory, and when there are too many. */
struct ag_book_section *ag_book_add(struct ag_book *book, struct ag_book_section *behind, const char *key);

/* Sets an item. False: without memory, or the numbers cannot be kept in a file; nothing has changed. */
bool ag_book_set(struct ag_book_section *section, const char *name, const double *x, unsigned n);

/* Puts all of `news` into the book: its items replace those of the same names. False without memory. */
bool ag_book_merge(struct ag_book *book, const struct ag_book *news);

/* Text in quotation marks, with \" \\ and \xHH; cut off where `size` bytes are not enough. */
void ag_book_quote(char *to, size_t size, const char *text);

/* --- As text ------------------------------------------------------------------------------------------ */

/* What a text is. All but FINE and EMPTY are not to be believed. */
enum ag_book_verdict {
  AG_BOOK_FINE = 0,
  AG_BOOK_EMPTY,         /* no bytes at all */
  AG_BOOK_FOREIGN,       /* nothing that agglom has written */
  AG_BOOK_OTHER_VERSION, /* another version of agglom has */
  AG_BOOK_DAMAGED,       /* in a line */
  AG_BOOK_NO_END,        /* its last line is missing */
  AG_BOOK_CHANGED,       /* the checksum in its last line is that of another text */
  AG_BOOK_CRLF,          /* its lines end as no line of agglom's does */
  AG_BOOK_NO_MEMORY
};

/* Reads a text. Only of a FINE one the book gets anything. *line: where it is DAMAGED; else 0. */
enum ag_book_verdict ag_book_read(struct ag_book *book, const char *text, size_t bytes, unsigned *line);

/* The whole text, to be freed, or NULL without memory. */
char *ag_book_write(const struct ag_book *book, size_t *bytes);

/* What stands at the end of a text, of all that is before. */
uint64_t ag_book_checksum(const char *text, size_t bytes);

#endif /* AG_BOOK_H */
