/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/emulated_hide.h"
#include "device/emulated.h"
#include "sys/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool ag_hiding_keep(struct ag_hiding *h, const void *start, size_t bytes) {
  uintptr_t lo = (uintptr_t)start / h->page * h->page, hi = (uintptr_t)start + bytes + h->page - 1;
  if (h->n_keeps == AG_KEEP_MOST)
    return false;
  h->keeps[h->n_keeps++] = (struct ag_keep){lo, hi / h->page * h->page};
  return true;
}

bool ag_hiding_note(struct ag_hiding *h, const void *start, size_t bytes) {
  if (h->n_notes == AG_KEEP_MOST)
    return false;
  h->notes[h->n_notes++] = (struct ag_keep){(uintptr_t)start, (uintptr_t)start + bytes};
  return true;
}

/* --- Objects: the program and its libraries ------------------------------------------------------------ */

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool is_linker(const char *name) { return begins(name, "ld-") || begins(name, "ld.so"); }

/* Whether the object is a library of the system: its variables are not the user's, and functions that a
 * kernel may call need them. */
static bool of_the_system(const char *name) {
  return is_linker(name) || begins(name, "linux-vdso") || begins(name, "libc.") || begins(name, "libc-") ||
         begins(name, "libm.") || begins(name, "libm-") || begins(name, "libmvec") ||
         begins(name, "libpthread") || begins(name, "libgcc_s") || begins(name, "libagglomrt");
}

/* The table through which the object's functions are bound when they are first called. */
static struct ag_keep linkage_table(const ElfW(Dyn) * d) {
  enum { RESERVED = 3 };
  size_t bytes = 0, entry = sizeof(ElfW(Rela));
  uintptr_t table = 0;
  for (; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_PLTGOT)
      table = d->d_un.d_ptr;
    else if (d->d_tag == DT_PLTRELSZ)
      bytes = d->d_un.d_val;
    else if (d->d_tag == DT_PLTREL && d->d_un.d_val == DT_REL)
      entry = sizeof(ElfW(Rel));
  }
  return (struct ag_keep){table, table ? table + (RESERVED + bytes / entry) * sizeof(void *) : 0};
}

static int keep_object(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size;
  struct ag_hiding *h = arg;
  const char *name = base_name(object->dlpi_name ? object->dlpi_name : "");
  uintptr_t page = h->page, base = object->dlpi_addr, relro_lo = 0, relro_hi = 0;
  const ElfW(Dyn) *dynamic = NULL;
  bool all = of_the_system(name), interpreted = false;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    if (p->p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(base + p->p_vaddr);
    interpreted |= p->p_type == PT_INTERP;
    if (p->p_type == PT_GNU_RELRO) {
      relro_lo = (base + p->p_vaddr) / page * page;
      relro_hi = (base + p->p_vaddr + p->p_memsz) / page * page;
    }
  }
  /* In a static program the C library's variables are the program's; without RELRO, its tables are. */
  all = all || (!*name && !interpreted) || relro_lo >= relro_hi;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    if (p->p_type != PT_LOAD)
      continue;
    uintptr_t lo = (base + p->p_vaddr) / page * page,
              hi = (base + p->p_vaddr + p->p_memsz + page - 1) / page * page;
    if (is_linker(name) && p->p_flags & PF_X)
      h->linker = (struct ag_keep){lo, hi};
    if (all || !(p->p_flags & PF_W))
      ag_hiding_keep(h, (const void *)lo, hi - lo);
  }
  if (all)
    return 0;
  ag_hiding_keep(h, (const void *)relro_lo, relro_hi - relro_lo);
  struct ag_keep table = dynamic ? linkage_table(dynamic) : (struct ag_keep){0, 0};
  if (table.lo >= relro_lo && table.lo < relro_hi)
    table.lo = relro_hi; /* its first entries are constant */
  if (table.lo < table.hi) {
    /* The functions that hide and open memory are called through the table. */
    ag_hiding_keep(h, (const void *)table.lo, table.hi - table.lo);
    ag_hiding_note(h, (const void *)table.lo, table.hi - table.lo);
    h->n_tables = h->n_notes;
  }
  return 0;
}

void ag_hiding_begin(struct ag_hiding *h) {
  h->n_keeps = h->n_notes = h->n_tables = 0;
  h->page = ag_page_size();
  h->linker = (struct ag_keep){0, 0};
  dl_iterate_phdr(keep_object, h);
  /* They may lie among the program's own variables. */
  ag_hiding_note(h, &stdout, sizeof(FILE *));
  ag_hiding_note(h, &stderr, sizeof(FILE *));
}

/* --- In the child ----------------------------------------------------------------------------------------
 */

/** A line of /proc/self/maps. */
struct mapping {
  uintptr_t lo, hi;
  bool writable, readable;
  const char *name; /* not NUL-terminated */
  size_t length;
};

static const char *hexadecimal(const char *at, uintptr_t *value) {
  for (*value = 0;; ++at) {
    unsigned digit = (unsigned char)*at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
                     : (unsigned char)*at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
                                                               : 16;
    if (digit > 15)
      return at;
    *value = *value << 4 | digit;
  }
}

/* "lo-hi rwxp offset device inode   name": the next line, or false. */
static bool next_mapping(const struct ag_hiding *h, const char **at, struct mapping *m) {
  enum { FIELDS = 5 };
  const char *end = h->text + h->text_bytes, *line = *at;
  const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  if (!stop)
    return false;
  *at = stop + 1;
  line = hexadecimal(line, &m->lo);
  line = hexadecimal(line + 1, &m->hi);
  m->readable = line[1] == 'r';
  m->writable = line[2] == 'w';
  ++line;
  for (int field = 1; field < FIELDS; ++field) {
    while (line < stop && *line != ' ')
      ++line;
    ++line;
  }
  while (line < stop && *line == ' ')
    ++line;
  m->name = line < stop ? line : stop;
  m->length = (size_t)(stop - m->name);
  return true;
}

static bool named(const struct mapping *m, const char *with) {
  size_t length = strlen(with);
  return m->length >= length && !memcmp(m->name, with, length);
}

static int read_maps(struct ag_hiding *h) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return -errno;
  ssize_t n;
  h->text_bytes = 0;
  while ((n = read(file, h->text + h->text_bytes, sizeof h->text - h->text_bytes)) > 0)
    h->text_bytes += (size_t)n;
  int err = n < 0 ? -errno : h->text_bytes == sizeof h->text ? -E2BIG : 0;
  close(file);
  return err;
}

/* Hides the pages of the mapping that the list does not keep. 0 or a negative errno. */
static int hide(const struct ag_hiding *h, const struct mapping *m) {
  for (uintptr_t at = m->lo; at < m->hi;) {
    /* The first page from here on that is kept, and how far. */
    struct ag_keep next = {m->hi, m->hi};
    for (size_t i = 0; i < h->n_keeps; ++i) {
      const struct ag_keep *k = &h->keeps[i];
      if (k->hi > at && k->lo < next.lo)
        next = (struct ag_keep){k->lo < at ? at : k->lo, k->hi < m->hi ? k->hi : m->hi};
    }
    if (at < next.lo && mprotect((void *)at, next.lo - at, PROT_NONE))
      return -errno;
    at = next.hi;
  }
  return 0;
}

bool ag_hiding_open_note(const struct ag_hiding *h, uintptr_t address) {
  bool noted = false;
  for (size_t i = 0; i < h->n_notes; ++i)
    noted |= h->notes[i].lo <= address && address < h->notes[i].hi;
  uintptr_t page = address / h->page * h->page;
  if (!noted || mprotect((void *)page, h->page, PROT_READ | PROT_WRITE))
    return false;
  for (uintptr_t at = page; at < page + h->page;) {
    struct ag_keep next = {page + h->page, page + h->page};
    for (size_t i = 0; i < h->n_notes; ++i)
      if (h->notes[i].hi > at && h->notes[i].lo < next.lo)
        next = h->notes[i];
    if (at < next.lo)
      memset((void *)at, AG_EMULATED_POISON, next.lo - at);
    at = next.hi;
  }
  return true;
}

int ag_hiding_hide(struct ag_hiding *h) {
  struct mapping m;
  int err = read_maps(h);
  for (size_t i = 0; i < h->n_tables; ++i)
    for (uintptr_t at = h->notes[i].lo; at < h->notes[i].hi; at = (at / h->page + 1) * h->page)
      ag_hiding_open_note(h, at);
  for (const char *at = h->text; !err && next_mapping(h, &at, &m);)
    if (m.readable && !named(&m, "[v"))
      err = hide(h, &m);
  return err;
}

const char *ag_hiding_name(struct ag_hiding *h, uintptr_t address) {
  struct mapping m;
  if (read_maps(h))
    return NULL;
  for (const char *at = h->text; next_mapping(h, &at, &m);) {
    if (address < m.lo || address >= m.hi)
      continue;
    return !m.readable                  ? NULL
           : named(&m, "[heap]")        ? "the heap"
           : named(&m, "[stack")        ? "a thread's stack"
           : named(&m, "/dev/")         ? "memory that is shared, or of another device"
           : m.length && *m.name == '/' ? "a static object or a file"
                                        : "memory that was allocated, or a static object";
  }
  return NULL;
}
