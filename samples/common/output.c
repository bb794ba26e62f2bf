/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output.h"
#include <errno.h>
#include <string.h>

bool output_open(const char *program, const char *path, FILE **file) {
  *file = path ? fopen(path, "wb") : NULL;
  if (path && !*file)
    fprintf(stderr, "%s: %s: cannot write it: %s.\n", program, path, strerror(errno));
  return !path || *file;
}

bool output_close(const char *program, FILE *file) {
  if (!file)
    return true;
  bool good = !ferror(file);
  good &= !fclose(file);
  if (!good)
    fprintf(stderr, "%s: a file could not be written to its end; is the disk full?\n", program);
  return good;
}
