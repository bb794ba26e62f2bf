/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For unit tests: a folder of the test's own, which is gone afterwards. */
#ifndef FOLDER_H
#define FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>

static char folder[64];

/* Setup of a test or a group, and teardown. */
static inline int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/agglom-test-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static inline int drop_one(const char *path, const struct stat *of, int kind, struct FTW *where) {
  (void)of, (void)kind, (void)where;
  return remove(path);
}

static inline int drop_folder(void **state) {
  (void)state;
  return nftw(folder, drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Its path, until the next call but one. */
static inline const char *in_folder(const char *name) {
  static char path[2][256];
  static unsigned turn;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static inline void put_in_folder(const char *name, const char *text) {
  FILE *out = fopen(in_folder(name), "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

#endif /* FOLDER_H */
