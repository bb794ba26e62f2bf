/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files that a sample writes besides what it prints, such as tables for other programs: opened before the
 * long part, so that a wrong path is said at once, and closed with a look at whether all has arrived. */
#ifndef SAMPLES_OUTPUT_H
#define SAMPLES_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* Opens the file at `path` for writing; a null path is no error and gives a null file. names: the first line
 * of a table, or null. False after a sentence on stderr. */
bool output_open(const char *program, const char *path, const char *names, FILE **file);

/* Closes it, if there is one. False after a sentence on stderr when it could not be written to its end. */
bool output_close(const char *program, const char *path, FILE *file);

#endif
