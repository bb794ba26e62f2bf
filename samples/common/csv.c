/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "csv.h"
#include <errno.h>
#include <string.h>

FILE *csv_open(const char *program, const char *path, const char *names) {
  FILE *file = fopen(path, "w");
  if (file)
    fprintf(file, "%s\n", names);
  else
    fprintf(stderr, "%s: %s: cannot write it: %s.\n", program, path, strerror(errno));
  return file;
}

int csv_close(const char *program, const char *path, FILE *file) {
  if (!file)
    return 0;
  int failed = ferror(file);
  errno = 0;
  if (!fclose(file) && !failed)
    return 0;
  fprintf(stderr, "%s: %s: not all of it could be written: %s.\n", program, path,
          errno ? strerror(errno) : "is the disk full?");
  return 1;
}
