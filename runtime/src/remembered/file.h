/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The file of AGGLOM_MODELS as a whole. */
#ifndef AG_MODELS_FILE_H
#define AG_MODELS_FILE_H

#include "remembered/book.h"

enum { AG_MODELS_WHY = 512 };

enum ag_models_answer {
  AG_MODELS_READ = 0, /* the book has what is in the file; nothing where there is none */
  AG_MODELS_DAMAGED,  /* the file is ours and damaged, so it may be replaced */
  AG_MODELS_KEEP      /* it is not ours, or cannot be read: to be left alone */
};

/* Reads the file into an empty book. machine: what the file must be of, or NULL. But for READ, `why` becomes
 * a sentence that says what is wrong and what to do, without the file's name. Never blocks for a FIFO. */
enum ag_models_answer ag_models_read_file(const char *path, const char *machine, struct ag_book *book,
                                          char why[AG_MODELS_WHY]);

/* Whether a file can be made in the path's folder: 0, or a negative errno; `why` becomes its text. */
int ag_models_can_write(const char *path, char why[AG_MODELS_WHY]);

/* Writes a file beside it and renames that, so that readers see all of the old one or all of the new one. 0
 * or a negative errno. */
int ag_models_write_file(const char *path, const struct ag_book *book);

#endif /* AG_MODELS_FILE_H */
