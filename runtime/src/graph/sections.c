/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/sections.h"

#include "memory/digits.h"
#include "sys/log.h"
#include "sys/task_kind.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ag_owner_speaks(const struct ag_owner *of) {
  enum { MOST = 20 };
  if (of->said && atomic_exchange(of->said, true))
    return NULL;
  unsigned before = of->messages ? atomic_fetch_add_explicit(of->messages, 1, memory_order_relaxed) : 0;
  return before + 1 < MOST    ? ""
         : before + 1 == MOST ? "; the next such errors of this task are not written"
                              : NULL;
}

/* Says what is wrong with a section, and where that is. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int
refuse(const struct ag_owner *of, const struct agglom_section *s, const char *format, ...) {
  char text[256];
  const char *end = ag_owner_speaks(of);
  if (!end)
    return -EINVAL;
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  if (of->task)
    ag_error("%s:%u: %s '%s': section '%s' %s%s", of->task->file, s->line, ag_task_kind(of->task),
             of->task->name, s->text, text, end);
  else
    ag_error("%s:%u: '#pragma agglom %s': section '%s' %s", of->directive->file, s->line, of->directive->name,
             s->text, text);
  return -EINVAL;
}

static int check_base(const struct ag_owner *of, const struct agglom_section *s, const void *base,
                      long long len) {
  if (base)
    return 0;
  return refuse(of, s, "has length %lld but its pointer is NULL; pass memory of that length, or length 0",
                len);
}

/* Sets the access to lo .. hi-1; -EINVAL after a message where that reaches beyond all memory. */
static int set_hull(const struct ag_owner *of, const struct agglom_section *s, __int128 lo, __int128 hi,
                    const struct agglom_range *r, struct ag_access *a) {
  if (lo < 0 || hi > (__int128)UINTPTR_MAX)
    return refuse(of, s,
                  "starts at element %lld and has length %lld, which reaches beyond all memory; check both "
                  "values",
                  r->lo, r->len);
  a->lo = (uintptr_t)lo;
  a->hi = (uintptr_t)hi;
  return 0;
}

static int check_run(const struct ag_owner *of, const struct agglom_section *s, const void *base,
                     const struct agglom_range *r, struct ag_access *a) {
  if (r->len < 0)
    return refuse(of, s, "has length %lld; a length must be 0 or more", r->len);
  if (r->len == 0)
    return 0;
  if (check_base(of, s, base, r->len))
    return -EINVAL;
  __int128 lo = (__int128)(uintptr_t)base + (__int128)r->lo * (__int128)s->elem_size;
  return set_hull(of, s, lo, lo + (__int128)r->len * (__int128)s->elem_size, r, a);
}

/* Allocates room for n pieces in the access, and notes where its base pointer is kept. 0 or -ENOMEM. */
static int make_pieces(struct ag_access *a, const struct agglom_shape *shape, uint64_t n) {
  if (n > (SIZE_MAX - sizeof *a->pieces) / sizeof *a->pieces->at)
    return -ENOMEM;
  a->pieces = malloc(sizeof *a->pieces + n * sizeof *a->pieces->at);
  if (!a->pieces)
    return -ENOMEM;
  /* The base may lie further on than where the pointer in memory points: s->next->member[lo:len]. */
  uintptr_t pointer = (uintptr_t)shape->base;
  if (shape->holder)
    memcpy(&pointer, shape->holder, sizeof pointer);
  a->pieces->holder = shape->holder;
  a->pieces->pointer = pointer;
  a->pieces->n = a->pieces->element = a->pieces->elements = 0;
  a->pieces->box.n_dims = 0;
  return 0;
}

/* Sorts and merges the n pieces of the access; a single piece needs no list. */
static void close_pieces(struct ag_access *a, uint64_t n) {
  n = ag_intervals_merge(a->pieces->at, n);
  a->lo = a->pieces->at[0].lo;
  a->hi = a->pieces->at[n - 1].hi;
  a->pieces->n = n > 1 ? n : 0;
}

enum { MOST_DIMS = 8 };

/* What dimensions are made of: blocks of bytes without gaps. */
enum form {
  NEEDS_CARE, /* they may be wrong, or empty */
  ONE_BLOCK,
  BOX,         /* blocks in ascending order, in few dimensions, that do not overlap */
  OTHER_BLOCKS /* neither */
};

/* A look at dimensions that are as usual, from the innermost to the outermost one, which finds their hull,
 * and the box if they are one. box NULL: nobody asks for it, nor for the form if nothing needs care. */
static inline __attribute__((always_inline)) enum form
look_at(const struct agglom_shape *shape, unsigned n_dims, struct ag_access *a, struct ag_box *box) {
  struct ag_box_dim found[MOST_DIMS]; /* the innermost first */
  unsigned n = 0;
  long long first = (long long)(uintptr_t)shape->base, span = (long long)shape->block, end;
  size_t block = shape->block;
  bool wrong = first <= 0 || span < 0, is_box = true;
  for (unsigned d = n_dims; d-- > 0;) {
    const struct agglom_dim *dim = &shape->dims[d];
    long long pitch = (long long)dim->pitch, from = 0, step = 0, to = 0;
    wrong |= dim->len < 1 || dim->step < 1 || pitch < 0 || __builtin_mul_overflow(dim->lo, pitch, &from) ||
             __builtin_add_overflow(first, from, &first) || __builtin_mul_overflow(dim->step, pitch, &step) ||
             __builtin_mul_overflow(dim->len - 1, step, &to);
    size_t len = box ? (size_t)dim->len : 1;
    if (len != 1 && !n && dim->step == 1 && (size_t)step == block) {
      block *= len;
    } else if (len != 1) {
      is_box &= step >= span;
      if (n && (size_t)step == found[n - 1].n * found[n - 1].pitch)
        found[n - 1].n *= len;
      else
        found[n++] = (struct ag_box_dim){len, (size_t)step};
    }
    wrong |= __builtin_add_overflow(span, to, &span);
  }
  if (wrong || first < 0 || __builtin_add_overflow(first, span, &end))
    return NEEDS_CARE;
  a->lo = (uintptr_t)first;
  a->hi = (uintptr_t)end;
  if (!n || !is_box || n > AG_BOX_DIMS)
    return n ? OTHER_BLOCKS : ONE_BLOCK;
  box->first = a->lo;
  box->block = block;
  box->base = (uintptr_t)shape->base;
  box->n_dims = 0;
  while (n > 0)
    box->dim[box->n_dims++] = found[--n];
  return BOX;
}

/* The look with a box; once in the machine code, as the one without has code of its own, a third as long. */
static enum form form_of(const struct agglom_shape *shape, unsigned n_dims, struct ag_access *a,
                         struct ag_box *box) {
  return look_at(shape, n_dims, a, box);
}

/* Adds so many pitches to an address. False: 128 bits are too few for that. */
static bool move_by(__int128 *at, __int128 many, unsigned long long pitch) {
  __int128 bytes;
  return !__builtin_mul_overflow(many, (__int128)pitch, &bytes) && !__builtin_add_overflow(*at, bytes, at);
}

/* Their hull, with care. 0, lo and hi are the same where there are no elements; or -EINVAL. */
static int check_hull(const struct ag_owner *of, const struct agglom_section *s,
                      const struct agglom_shape *shape, unsigned n_dims, struct ag_access *a) {
  const struct agglom_dim *dims = shape->dims;
  __int128 first = (__int128)(uintptr_t)shape->base, last = first;
  bool empty = false, near = true;
  for (unsigned d = 0; d < n_dims; ++d) {
    if (dims[d].len < 0)
      return refuse(of, s, "has length %lld in dimension %u; a length must be 0 or more", dims[d].len, d + 1);
    if (dims[d].step < 1)
      return refuse(of, s, "has stride %lld in dimension %u; a stride must be 1 or more", dims[d].step,
                    d + 1);
    empty |= dims[d].len == 0;
  }
  if (empty)
    return 0;
  if (check_base(of, s, shape->base, dims[0].len))
    return -EINVAL;
  for (unsigned d = 0; d < n_dims; ++d) {
    __int128 end = (__int128)dims[d].lo + (__int128)(dims[d].len - 1) * dims[d].step;
    near = near && move_by(&first, dims[d].lo, dims[d].pitch) && move_by(&last, end, dims[d].pitch);
  }
  near = near && move_by(&last, 1, shape->block);
  struct agglom_range outer = {shape->base, dims[0].lo, dims[0].len};
  return set_hull(of, s, near ? first : -1, last, &outer, a);
}

/* Makes the n pieces of the access that are blocks of so many bytes in these dimensions. 0 or -ENOMEM. */
static int list_blocks(struct ag_access *a, const struct agglom_shape *shape, unsigned n_dims, uint64_t block,
                       uint64_t n) {
  const struct agglom_dim *dims = shape->dims;
  long long at[MOST_DIMS] = {0};
  uintptr_t first = a->lo;
  if (make_pieces(a, shape, n))
    return -ENOMEM;
  for (uint64_t k = 0; k < n; ++k) {
    uintptr_t lo = first;
    for (unsigned d = 0; d < n_dims; ++d)
      lo += (uintptr_t)at[d] * (uintptr_t)dims[d].step * dims[d].pitch;
    a->pieces->at[k] = (struct ag_interval){lo, lo + block, 0, 0};
    for (unsigned d = n_dims; d-- > 0;) {
      if (++at[d] < dims[d].len)
        break;
      at[d] = 0;
    }
  }
  close_pieces(a, n);
  return 0;
}

/* What a section with dimensions is made of: n blocks of bytes without gaps, in the first dimensions. */
struct blocks {
  unsigned n_dims;
  uint64_t block, n;
};

/* False: they are too many to be counted. */
static bool blocks_of(const struct agglom_shape *shape, unsigned n_dims, struct blocks *blocks) {
  const struct agglom_dim *dims = shape->dims;
  uint64_t block = shape->block, n = 1;
  while (n_dims &&
         ((dims[n_dims - 1].step == 1 && dims[n_dims - 1].pitch == block) || dims[n_dims - 1].len == 1))
    block *= (uint64_t)dims[--n_dims].len;
  for (unsigned d = 0; d < n_dims; ++d)
    if (__builtin_mul_overflow(n, (uint64_t)dims[d].len, &n))
      return false;
  *blocks = (struct blocks){n_dims, block, n};
  return true;
}

static size_t blocks_in(const struct ag_box *box) {
  size_t n = 1;
  for (unsigned d = 0; d < box->n_dims; ++d)
    n *= box->dim[d].n;
  return n;
}

static unsigned dims_of(const struct agglom_shape *shape) {
  return shape->n_dims < MOST_DIMS ? shape->n_dims : MOST_DIMS;
}

static int check_dims(const struct ag_owner *of, const struct agglom_section *s,
                      const struct agglom_shape *shape, struct ag_access *a) {
  struct ag_box box;
  struct blocks blocks;
  unsigned n_dims = dims_of(shape);
  enum form form = form_of(shape, n_dims, a, &box);
  int err = form == NEEDS_CARE ? check_hull(of, s, shape, n_dims, a) : 0;
  if (err || a->lo == a->hi)
    return err;
  if (form != BOX && !blocks_of(shape, n_dims, &blocks))
    return -ENOMEM;
  if (form != BOX && blocks.n == 1 && !shape->holder)
    return 0;
  if (form != BOX)
    return list_blocks(a, shape, blocks.n_dims, blocks.block, blocks.n);
  if (make_pieces(a, shape, 0))
    return -ENOMEM;
  a->pieces->box = box;
  a->pieces->n = blocks_in(&box);
  return 0;
}

/* Whether there are no elements, and nothing is wrong. */
static bool is_empty(const struct agglom_shape *shape, unsigned n_dims) {
  bool empty = false;
  for (unsigned d = 0; d < n_dims; ++d) {
    if (shape->dims[d].len < 0 || shape->dims[d].step < 1)
      return false;
    empty |= shape->dims[d].len == 0;
  }
  return empty;
}

bool ag_section_glance_shaped(const struct agglom_section *s, const struct agglom_range *r,
                              struct ag_pieces *room, struct ag_access *a) {
  const struct agglom_shape *shape = r->base;
  if (shape->index_bytes)
    return false;
  if (!shape->n_dims)
    return ag_section_run(s, &(struct agglom_range){shape->base, r->lo, r->len}, a);
  *a = (struct ag_access){0, 0, NULL};
  enum form form = form_of(shape, dims_of(shape), a, &room->box);
  if (form == BOX) {
    room->n = blocks_in(&room->box);
    a->pieces = room;
  }
  return form == ONE_BLOCK || form == BOX || (form == NEEDS_CARE && is_empty(shape, dims_of(shape)));
}

bool ag_section_is_right_shaped(const struct agglom_section *s, const struct agglom_range *r) {
  const struct agglom_shape *shape = r->base;
  struct ag_access a;
  if (shape->index_bytes)
    return false;
  if (!shape->n_dims)
    return ag_section_run(s, &(struct agglom_range){shape->base, r->lo, r->len}, &a);
  return look_at(shape, dims_of(shape), &a, NULL) != NEEDS_CARE || is_empty(shape, dims_of(shape));
}

static __int128 index_at(const struct agglom_shape *shape, long long k) {
  const char *at =
      (const char *)shape->indexes + k * (shape->index_bytes < 0 ? -shape->index_bytes : shape->index_bytes);
  switch (shape->index_bytes) {
  case 1:
    return *(const uint8_t *)at;
  case -1:
    return *(const int8_t *)at;
  case 2:
    return *(const uint16_t *)at;
  case -2:
    return *(const int16_t *)at;
  case 4:
    return *(const uint32_t *)at;
  case -4:
    return *(const int32_t *)at;
  case 8:
    return *(const uint64_t *)at;
  default:
    return *(const int64_t *)at;
  }
}

/* --- Gathers ---------------------------------------------------------------------------------------- */

enum { SOON_SORTED = 24 };

static void sort_few(uintptr_t *at, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    uintptr_t key = at[i];
    size_t to = i;
    for (; to && at[to - 1] > key; --to)
      at[to] = at[to - 1];
    at[to] = key;
  }
}

/* Makes pieces of the addresses of n elements, which stand in the last third of the room for n pieces. */
static void pieces_of(struct ag_access *a, size_t element, size_t n, uintptr_t least, uintptr_t most) {
  struct ag_interval *to = a->pieces->at;
  uintptr_t *at = (uintptr_t *)(void *)to + 2 * n;
  bool sorted = true;
  for (size_t i = 1; i < n && sorted; ++i)
    sorted = at[i - 1] <= at[i];
  if (!sorted && n <= SOON_SORTED)
    sort_few(at, n);
  else if (!sorted)
    ag_digits_sort(at, at - n, n, sizeof *at, least, most, (unsigned)__builtin_ctzll(element));
  size_t out = 0, bytes = 0;
  struct ag_interval piece = {at[0], at[0] + element, 0, 0};
  for (size_t i = 1; i < n; ++i) {
    uintptr_t lo = at[i];
    if (lo > piece.hi) {
      to[out++] = piece; /* what is written was read before: an address is a third of a piece */
      piece.lo = lo;
    }
    piece.hi = lo + element;
  }
  to[out++] = piece;
  for (size_t i = 0; i < out; ++i)
    bytes += to[i].hi - to[i].lo;
  a->lo = least;
  a->hi = most + element;
  a->pieces->n = out > 1 ? out : 0;
  a->pieces->element = element;
  a->pieces->elements = bytes / element;
}

static int check_gather(const struct ag_owner *of, const struct agglom_section *s,
                        const struct agglom_shape *shape, const struct agglom_range *r, struct ag_access *a) {
  if (r->len < 0)
    return refuse(of, s, "has length %lld; a length must be 0 or more", r->len);
  if (r->len == 0 || !shape->block)
    return 0;
  if (!shape->indexes)
    return refuse(of, s, "takes %lld indexes from NULL; pass the indexes, or length 0", r->len);
  if (check_base(of, s, shape->base, r->len))
    return -EINVAL;
  size_t n = (size_t)r->len;
  if (make_pieces(a, shape, n))
    return -ENOMEM;
  uintptr_t *at = (uintptr_t *)(void *)a->pieces->at + 2 * n, least = UINTPTR_MAX, most = 0;
  for (size_t k = 0; k < n; ++k) {
    __int128 index = index_at(shape, r->lo + (long long)k);
    __int128 lo = (__int128)(uintptr_t)shape->base + index * (__int128)shape->block;
    if (lo < 0 || lo + shape->block > (__int128)UINTPTR_MAX)
      return refuse(of, s, "has index %lld at place %lld, which reaches beyond all memory", (long long)index,
                    r->lo + (long long)k);
    at[k] = (uintptr_t)lo;
    least = at[k] < least ? at[k] : least;
    most = at[k] > most ? at[k] : most;
  }
  pieces_of(a, shape->block, n, least, most);
  return 0;
}

static int check_shaped(const struct ag_owner *of, const struct agglom_section *s,
                        const struct agglom_range *r, struct ag_access *a) {
  const struct agglom_shape *shape = r->base;
  if (shape->index_bytes)
    return check_gather(of, s, shape, r, a);
  if (shape->n_dims)
    return check_dims(of, s, shape, a);
  int err = check_run(of, s, shape->base, r, a);
  return err ? err : a->lo == a->hi ? 0 : make_pieces(a, shape, 0);
}

bool ag_access_overlap(const struct ag_access *a, const struct ag_access *b) {
  if (a->lo >= b->hi || b->lo >= a->hi)
    return false;
  for (size_t i = 0, j = 0; i < ag_access_pieces(a) && j < ag_access_pieces(b);) {
    struct ag_interval x = ag_access_piece(a, i), y = ag_access_piece(b, j);
    if (x.lo < y.hi && y.lo < x.hi)
      return true;
    if (x.hi <= y.lo)
      ++i;
    else
      ++j;
  }
  return false;
}

int ag_sections_check(const struct ag_owner *of, const struct agglom_section *sections, unsigned n,
                      const struct agglom_range *ranges, struct ag_access *access) {
  for (unsigned i = 0; i < n; ++i) {
    const struct agglom_section *s = &sections[i];
    const struct agglom_range *r = &ranges[i];
    bool shaped = (s->mode & AGGLOM_SHAPED) != 0;
    if (!shaped && ag_section_run(s, r, &access[i]))
      continue;
    access[i] = (struct ag_access){(uintptr_t)r->base, (uintptr_t)r->base, NULL};
    int err = shaped ? check_shaped(of, s, r, &access[i]) : check_run(of, s, r->base, r, &access[i]);
    if (err) {
      ag_sections_release(access, i + 1);
      return err;
    }
  }
  return 0;
}

void ag_sections_release(struct ag_access *access, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    free(access[i].pieces);
    access[i].pieces = NULL;
  }
}

int ag_sections_copy(struct ag_access *to, const struct ag_access *from, unsigned n) {
  memcpy(to, from, n * sizeof *to);
  for (unsigned i = 0; i < n; ++i) {
    const struct ag_pieces *pieces = from[i].pieces;
    if (!pieces)
      continue;
    size_t bytes = sizeof *pieces + (pieces->box.n_dims ? 0 : pieces->n) * sizeof pieces->at[0];
    to[i].pieces = malloc(bytes);
    if (!to[i].pieces) {
      ag_sections_release(to, i);
      return -ENOMEM;
    }
    memcpy(to[i].pieces, pieces, bytes);
  }
  return 0;
}
