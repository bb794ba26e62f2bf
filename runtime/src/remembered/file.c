/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "remembered/file.h"

#include "sys/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Reading ------------------------------------------------------------------------------------------ */

/* All that is in the file, NUL-terminated; NULL with errno set. EFBIG: more than is ever written. */
static char *read_all(int fd, size_t *bytes) {
  char *text = malloc(AG_BOOK_MOST + 1);
  size_t n = 0;
  ssize_t got = 1;
  while (text && got > 0 && n <= AG_BOOK_MOST) {
    got = read(fd, text + n, AG_BOOK_MOST + 1 - n);
    n += got > 0 ? (size_t)got : 0;
    if (got < 0 && errno == EINTR)
      got = 1;
  }
  if (text && got >= 0 && n <= AG_BOOK_MOST) {
    *bytes = n;
    return text;
  }
  int err = !text ? ENOMEM : got < 0 ? errno : EFBIG;
  free(text);
  errno = err;
  return NULL;
}

/* Also NULL and errno: EISDIR, and ENOTSUP where it is no regular file. */
static char *text_of(const char *path, size_t *bytes) {
  struct stat of;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return NULL;
  char *text = NULL;
  errno = 0;
  if (!fstat(fd, &of))
    errno = S_ISDIR(of.st_mode) ? EISDIR : S_ISREG(of.st_mode) ? 0 : ENOTSUP;
  if (!errno)
    text = read_all(fd, bytes);
  int err = errno;
  close(fd);
  errno = err;
  return text;
}

static enum ag_models_answer cannot_read(int err, char *why) {
  if (err == ENOENT)
    return AG_MODELS_READ;
  const char *what = err == ENOTSUP ? "it is not a regular file" : strerror(err);
  if (err == EFBIG)
    snprintf(why, AG_MODELS_WHY,
             "is larger than agglom writes such files; it is left alone, so name another file");
  else
    snprintf(why, AG_MODELS_WHY, "cannot be read: %s; name a file that can be read and written", what);
  return AG_MODELS_KEEP;
}

enum ag_models_answer ag_models_read_file(const char *path, const char *machine, struct ag_book *book,
                                          char why[AG_MODELS_WHY]) {
  size_t bytes = 0;
  unsigned line = 0;
  char *text = text_of(path, &bytes);
  if (!text)
    return cannot_read(errno, why);
  enum ag_book_verdict verdict = ag_book_read(book, text, bytes, &line);
  free(text);
  switch (verdict) {
  case AG_BOOK_EMPTY:
    return AG_MODELS_READ;
  case AG_BOOK_FOREIGN:
    snprintf(why, AG_MODELS_WHY,
             "is not a file of models that agglom has written; it is left alone, so name another file");
    return AG_MODELS_KEEP;
  case AG_BOOK_OTHER_VERSION:
    snprintf(why, AG_MODELS_WHY,
             "was written by another version of agglom; it is left alone, so name another file or delete it");
    return AG_MODELS_KEEP;
  case AG_BOOK_NO_MEMORY:
    snprintf(why, AG_MODELS_WHY, "cannot be read: there is no memory for it");
    return AG_MODELS_KEEP;
  case AG_BOOK_DAMAGED:
    snprintf(why, AG_MODELS_WHY, "is damaged in line %u", line);
    return AG_MODELS_DAMAGED;
  case AG_BOOK_NO_END:
    snprintf(why, AG_MODELS_WHY, "is cut off: its last line, which has its checksum, is missing");
    return AG_MODELS_DAMAGED;
  case AG_BOOK_CHANGED:
    snprintf(why, AG_MODELS_WHY,
             "was changed after agglom had written it: the checksum in its last line is wrong");
    return AG_MODELS_DAMAGED;
  case AG_BOOK_CRLF:
    snprintf(why, AG_MODELS_WHY,
             "was converted to lines that end with CR LF, and agglom's end with a line feed alone");
    return AG_MODELS_DAMAGED;
  case AG_BOOK_FINE:
    break;
  }
  if (!machine || !strcmp(book->machine, machine))
    return AG_MODELS_READ;
  snprintf(why, AG_MODELS_WHY,
           "is of another machine: %.120s, and this one is %.120s; it is left alone, so name a file of this "
           "machine's own or delete it",
           book->machine, machine);
  ag_book_free(book);
  return AG_MODELS_KEEP;
}

/* --- Writing ------------------------------------------------------------------------------------------ */

static int write_all(int fd, const char *text, size_t bytes) {
  while (bytes) {
    ssize_t n = write(fd, text, bytes);
    if (n < 0 && errno != EINTR)
      return -errno;
    text += n > 0 ? n : 0;
    bytes -= n > 0 ? (size_t)n : 0;
  }
  return 0;
}

/* Which file a link names; the name itself where there is no file yet. */
static void resolve(const char *path, char real[PATH_MAX]) {
  if (!realpath(path, real))
    snprintf(real, PATH_MAX, "%s", path);
}

int ag_models_can_write(const char *path, char why[AG_MODELS_WHY]) {
  char folder[PATH_MAX];
  resolve(path, folder);
  char *slash = strrchr(folder, '/');
  if (slash)
    slash[slash == folder] = '\0';
  int err = access(slash ? folder : ".", W_OK) ? -errno : 0;
  snprintf(why, AG_MODELS_WHY, "%s", strerror(-err));
  return err;
}

int ag_models_write_file(const char *path, const struct ag_book *book) {
  static _Atomic unsigned number;
  char real[PATH_MAX], beside[PATH_MAX + 64];
  size_t bytes;
  struct stat of;
  char *text = ag_book_write(book, &bytes);
  if (!text)
    return -ENOMEM;
  resolve(path, real);
  mode_t mode = stat(real, &of) ? 0666 : of.st_mode & 0777;
  snprintf(beside, sizeof beside, "%s.%ld.%u", real, (long)getpid(), atomic_fetch_add(&number, 1));
  int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  struct ag_writing w;
  ag_writing_begin(&w);
  int err = fd < 0 ? -errno : write_all(fd, text, bytes);
  ag_writing_end(&w);
  free(text);
  if (fd < 0)
    return err;
  if (close(fd) && !err)
    err = -errno;
  if (!err && rename(beside, real))
    err = -errno;
  if (err)
    unlink(beside);
  return err;
}
