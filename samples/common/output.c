/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "output.h"
#include <errno.h>
#include <string.h>

bool output_open(const char *program, const char *path, const char *names, FILE **file) {
  *file = path ? fopen(path, "wb") : NULL;
  if (path && !*file)
    fprintf(stderr, "%s: %s: cannot write it: %s.\n", program, path, strerror(errno));
  if (*file && names)
    fprintf(*file, "%s\n", names);
  return !path || *file;
}

bool output_close(const char *program, const char *path, FILE *file) {
  if (!file)
    return true;
  bool good = !ferror(file);
  errno = 0;
  good &= !fclose(file);
  if (!good)
    fprintf(stderr, "%s: %s: not all of it could be written: %s.\n", program, path,
            errno ? strerror(errno) : "is the disk full?");
  return good;
}
