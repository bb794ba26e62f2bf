/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files are written in threads of the program. A write beyond the limit of a file's size (ulimit -f) raises
 * SIGXFSZ, one into a pipe without a reader SIGPIPE, and either ends the process by default. Between begin
 * and end they are errors of the write alone: the thread takes neither, and what they do otherwise stays the
 * program's. May be nested. Safe where signal handlers run. */
#ifndef AG_WRITING_H
#define AG_WRITING_H

#include <signal.h>
#include <stdbool.h>

enum { AG_WRITE_SIGNALS = 2 };

struct ag_writing {
  sigset_t before;                /* the thread's mask */
  bool pending[AG_WRITE_SIGNALS]; /* signals that were pending before: not from our writes */
};

void ag_writing_begin(struct ag_writing *w);
void ag_writing_end(const struct ag_writing *w);

#endif /* AG_WRITING_H */
