/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "remembered/book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_items(struct ag_book_item *items) {
  for (struct ag_book_item *i = items, *next; i; i = next) {
    next = i->next;
    free(i->name);
    free(i);
  }
}

void ag_book_free(struct ag_book *book) {
  for (struct ag_book_section *s = book->sections, *next; s; s = next) {
    next = s->next;
    free_items(s->items);
    free(s->key);
    free(s);
  }
  free(book->machine);
  *book = (struct ag_book){0};
}

static struct ag_book_section **place_of(struct ag_book *book, const char *key) {
  struct ag_book_section **at = &book->sections;
  while (*at && strcmp((*at)->key, key) != 0)
    at = &(*at)->next;
  return at;
}

struct ag_book_section *ag_book_find(const struct ag_book *book, const char *key) {
  struct ag_book_section *s = book->sections;
  while (s && strcmp(s->key, key) != 0)
    s = s->next;
  return s;
}

const struct ag_book_item *ag_book_item(const struct ag_book_section *section, const char *name) {
  const struct ag_book_item *i = section ? section->items : NULL;
  while (i && strcmp(i->name, name) != 0)
    i = i->next;
  return i;
}

struct ag_book_section *ag_book_add(struct ag_book *book, struct ag_book_section *behind, const char *key) {
  struct ag_book_section *s = book->n_sections < AG_BOOK_SECTIONS ? calloc(1, sizeof *s) : NULL;
  if (!s || !(s->key = strdup(key))) {
    free(s);
    return NULL;
  }
  struct ag_book_section **at = behind ? &behind->next : &book->sections;
  s->next = *at;
  *at = s;
  ++book->n_sections;
  return s;
}

static void drop_last(struct ag_book *book) {
  struct ag_book_section **at = &book->sections, *last = *at;
  while (last && last->next) {
    at = &last->next;
    last = *at;
  }
  if (!last)
    return;
  free_items(last->items);
  free(last->key);
  free(last);
  *at = NULL;
  --book->n_sections;
}

struct ag_book_section *ag_book_use(struct ag_book *book, const char *key) {
  struct ag_book_section **at = place_of(book, key), *s = *at;
  if (!s) {
    if (book->n_sections == AG_BOOK_SECTIONS)
      drop_last(book);
    return ag_book_add(book, NULL, key);
  }
  *at = s->next;
  s->next = book->sections;
  book->sections = s;
  return s;
}

static bool can_be_kept(const double *x, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    if (!(x[i] >= 0 && x[i] <= AG_BOOK_LARGEST))
      return false;
  return n && n <= AG_BOOK_NUMBERS;
}

bool ag_book_set(struct ag_book_section *section, const char *name, const double *x, unsigned n) {
  struct ag_book_item **at = &section->items, *old;
  while (*at && strcmp((*at)->name, name) != 0)
    at = &(*at)->next;
  old = *at;
  if (strlen(name) >= AG_BOOK_KEY || !can_be_kept(x, n) || (!old && section->n_items == AG_BOOK_ITEMS))
    return false;
  struct ag_book_item *item = malloc(sizeof *item + n * sizeof *x);
  if (!item || !(item->name = strdup(name))) {
    free(item);
    return false;
  }
  item->n = n;
  memcpy(item->x, x, n * sizeof *x);
  section->n_items += !old;
  item->next = old ? old->next : NULL;
  *at = item;
  if (old) {
    old->next = NULL;
    free_items(old);
  }
  return true;
}

/* From the last section of the news to the first, so that these keep their order. */
static bool merge_from(struct ag_book *book, const struct ag_book_section *news) {
  if (!news)
    return true;
  bool fine = merge_from(book, news->next);
  struct ag_book_section *s = fine ? ag_book_use(book, news->key) : NULL;
  fine = s;
  for (const struct ag_book_item *i = news->items; i && fine; i = i->next)
    fine = ag_book_set(s, i->name, i->x, i->n);
  return fine;
}

bool ag_book_merge(struct ag_book *book, const struct ag_book *news) {
  return merge_from(book, news->sections);
}

void ag_book_quote(char *to, size_t size, const char *text) {
  size_t n = 0;
  enum { LONGEST = 4 + 2 }; /* of one byte, and the end */
  if (n < size)
    to[n++] = '"';
  for (; *text && n + LONGEST <= size; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      to[n++] = '\\';
      to[n++] = *text;
    } else if (c < ' ' || c == 0x7f) {
      n += (size_t)snprintf(to + n, size - n, "\\x%02x", c);
    } else {
      to[n++] = *text;
    }
  }
  if (n + 1 < size)
    to[n++] = '"';
  if (size)
    to[n < size ? n : size - 1] = '\0';
}
