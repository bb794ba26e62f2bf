/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which memory of a process a kernel of an isolated emulated device may use, and how the rest is hidden. The
 * list is made by a thread of the program; what hides runs in a child process, where other threads' locks may
 * be held for ever: it allocates nothing and takes no lock. */
#ifndef AG_EMULATED_HIDE_H
#define AG_EMULATED_HIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_KEEP_MOST = 4096, AG_MAPS_BYTES = 4 << 20 };

/** A piece of memory. */
struct ag_keep {
  uintptr_t lo, hi;
};

/** Large, and mostly untouched: to be mapped. */
struct ag_hiding {
  uintptr_t page; /* bytes of one */
  size_t n_keeps;
  struct ag_keep keeps[AG_KEEP_MOST]; /* whole pages that stay as they are */
  size_t n_notes, n_tables; /* the first of the notes are linkage tables, which are opened at once */
  struct ag_keep notes[AG_KEEP_MOST]; /* see ag_hiding_note() */
  struct ag_keep linker; /* code of the dynamic linker, which reads its own notes when it binds a function */
  size_t text_bytes;
  char text[AG_MAPS_BYTES]; /* /proc/self/maps */
};

/* Begins the list with what is no memory of the program: code and constants, what libraries of the system
 * need, the linkage tables. */
void ag_hiding_begin(struct ag_hiding *h);

/* The pages of these bytes stay as they are. False: the list is full. */
bool ag_hiding_keep(struct ag_hiding *h, const void *start, size_t bytes);

/* These bytes lie among the program's own variables. They are hidden like those, but once they are used their
 * page is opened, with poison in place of all else there. */
bool ag_hiding_note(struct ag_hiding *h, const void *start, size_t bytes);

/* Hides all memory of this process but what the list keeps. 0 or a negative errno. */
int ag_hiding_hide(struct ag_hiding *h);

/* In the child, after a fault at the address: opens its page if a note has that byte. */
bool ag_hiding_open_note(const struct ag_hiding *h, uintptr_t address);

/* What the program has at the address, for messages: "the heap"; NULL: nothing. By a thread of the program;
 * the list is of no use afterwards. */
const char *ag_hiding_name(struct ag_hiding *h, uintptr_t address);

#endif /* AG_EMULATED_HIDE_H */
