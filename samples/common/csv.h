/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables for other programs to read: a line of names, then lines of numbers with commas between them. */
#ifndef SAMPLES_CSV_H
#define SAMPLES_CSV_H

#include <stdio.h>

/* Opens the file for writing and writes the line of names. Returns null after it has said why it cannot. */
FILE *csv_open(const char *program, const char *path, const char *names);

/* Closes it. Returns 0; or 1 after it has said that not all could be written. A null file is fine. */
int csv_close(const char *program, const char *path, FILE *file);

#endif
