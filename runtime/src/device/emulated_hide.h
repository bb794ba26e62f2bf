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

/** Bytes that stay as they are. Pages of theirs that they do not fill stay, too, with poison around them. */
struct ag_keep {
  uintptr_t lo, hi;
};

/** Large, and mostly untouched: to be mapped. */
struct ag_hiding {
  uintptr_t page; /* bytes of one */
  size_t n_keeps;
  struct ag_keep keeps[AG_KEEP_MOST];
  struct ag_keep linker; /* code of the dynamic linker, which reads its own notes when it binds a function */
  size_t text_bytes;
  char text[AG_MAPS_BYTES]; /* /proc/self/maps */
};

/* Begins the list with what is no memory of the program: code and constants, what libraries of the system
 * need, the linkage tables. */
void ag_hiding_begin(struct ag_hiding *h);

/* False: the list is full. */
bool ag_hiding_keep(struct ag_hiding *h, const void *start, size_t bytes);

/* Hides all memory of this process but what the list keeps. 0 or a negative errno. */
int ag_hiding_hide(struct ag_hiding *h);

/* What the program has at the address, for messages: "the heap"; NULL: nothing. By a thread of the program;
 * the list is of no use afterwards. */
const char *ag_hiding_name(struct ag_hiding *h, uintptr_t address);

#endif /* AG_EMULATED_HIDE_H */
