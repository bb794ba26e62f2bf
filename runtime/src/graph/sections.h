/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From sections and their values to bytes of memory: of a task at a call, or of a directive in host code. No
 * state; callable from any thread. */
#ifndef AG_SECTIONS_H
#define AG_SECTIONS_H

#include "memory/interval.h"
#include <agglom/abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AG_BOX_DIMS = 3 };

/* Blocks of bytes in regular distances, in ascending order and disjoint: in each dimension, the first one
 * outermost, n times what is within, pitch bytes apart. A tile of 8 x 4 doubles in rows of 1000 of them is
 * one dimension of 8 rows, 8000 apart, of blocks of 32 bytes. */
struct ag_box {
  uintptr_t first; /* byte */
  size_t block;
  uintptr_t base;  /* where the array begins, as the section says */
  unsigned n_dims; /* 0: this is none */
  struct ag_box_dim {
    size_t n, pitch;
  } dim[AG_BOX_DIMS];
};

/* A shaped section: the bytes it is made of, as a box or piece by piece, sorted and disjoint, and where its
 * base pointer is kept. */
struct ag_pieces {
  const void *holder; /* in host memory; NULL: in the argument structure */
  uintptr_t pointer;  /* the base pointer: what the holder holds */
  size_t n;           /* 0: one piece, from the access's lo to its hi */
  struct ag_box box;
  /* Of a gather; else 0. A piece is one element or more that lie side by side. */
  size_t element;          /* bytes of each */
  size_t elements;         /* number of those that differ */
  struct ag_interval at[]; /* n, unless these are a box */
};

/* The bytes lo .. hi-1 of host memory that one section stands for, or, if it has pieces, the hull of these;
 * lo == hi when it is empty. */
struct ag_access {
  uintptr_t lo, hi;
  struct ag_pieces *pieces; /* NULL: contiguous, and its pointer is an argument; owned by the access */
};

/* Block i of the box. */
static inline struct ag_interval ag_box_block(const struct ag_box *box, size_t i) {
  uintptr_t at = box->first;
  for (unsigned d = box->n_dims; d-- > 1; i /= box->dim[d].n)
    at += i % box->dim[d].n * box->dim[d].pitch;
  at += i * box->dim[0].pitch;
  return (struct ag_interval){at, at + box->block, 0, 0};
}

/* The number of pieces of an access, and piece i of them. */
static inline size_t ag_access_pieces(const struct ag_access *a) {
  return a->lo == a->hi ? 0 : a->pieces && a->pieces->n ? a->pieces->n : 1;
}
static inline struct ag_interval ag_access_piece(const struct ag_access *a, size_t i) {
  if (a->pieces && a->pieces->box.n_dims)
    return ag_box_block(&a->pieces->box, i);
  if (a->pieces && a->pieces->n)
    return a->pieces->at[i];
  return (struct ag_interval){a->lo, a->hi, 0, 0};
}

bool ag_access_overlap(const struct ag_access *a, const struct ag_access *b);

/* Whose sections are checked, for messages: those of a task or of a directive; the other pointer is NULL. */
struct ag_owner {
  const struct agglom_task *task;
  const struct agglom_directive *directive;
  _Atomic bool *said;         /* unless NULL: set with the first message, and no other one is written */
  _Atomic unsigned *messages; /* of all calls of the task; NULL: not counted */
};

/* Whether to write a message now, which then counts: NULL, or how it ends. After some, a task has no more of
 * them. */
const char *ag_owner_speaks(const struct ag_owner *of);

/* The bytes of a plain run of elements, quickly; false when the section has to be looked at with more care,
 * or is wrong. */
static inline bool ag_section_run(const struct agglom_section *s, const struct agglom_range *r,
                                  struct ag_access *a) {
  long long from, to, base = (long long)(uintptr_t)r->base;
  *a = (struct ag_access){(uintptr_t)r->base, (uintptr_t)r->base, NULL};
  if (r->len == 0)
    return true;
  if (r->len < 0 || base <= 0 || __builtin_mul_overflow(r->lo, (long long)s->elem_size, &from) ||
      __builtin_mul_overflow(r->len, (long long)s->elem_size, &to) ||
      __builtin_add_overflow(base, from, &from) || from < 0 || __builtin_add_overflow(from, to, &to))
    return false;
  a->lo = (uintptr_t)from;
  a->hi = (uintptr_t)to;
  return true;
}

/* As ag_section_run(), also for boxes and for elements whose pointer lies in memory. `room` is for the pieces
 * of such an access, of which their box and number are told; nobody releases it. */
bool ag_section_glance_shaped(const struct agglom_section *s, const struct agglom_range *r,
                              struct ag_pieces *room, struct ag_access *a);
static inline bool ag_section_glance(const struct agglom_section *s, const struct agglom_range *r,
                                     struct ag_pieces *room, struct ag_access *a) {
  return s->mode & AGGLOM_SHAPED ? ag_section_glance_shaped(s, r, room, a) : ag_section_run(s, r, a);
}

/* Whether the section is right, quickly; false when that takes more care, or it is wrong. */
bool ag_section_is_right_shaped(const struct agglom_section *s, const struct agglom_range *r);
static inline bool ag_section_is_right(const struct agglom_section *s, const struct agglom_range *r) {
  struct ag_access a;
  return s->mode & AGGLOM_SHAPED ? ag_section_is_right_shaped(s, r) : ag_section_run(s, r, &a);
}

/* Turns n ranges into n accesses. 0; -EINVAL after an error line that names place and value; -ENOMEM. After
 * an error access owns nothing. */
int ag_sections_check(const struct ag_owner *of, const struct agglom_section *sections, unsigned n,
                      const struct agglom_range *ranges, struct ag_access *access);

/* Copies n accesses; each copy owns pieces of its own. 0, or -ENOMEM: the copies own nothing. */
int ag_sections_copy(struct ag_access *to, const struct ag_access *from, unsigned n);

/* Gives back what n accesses own. */
void ag_sections_release(struct ag_access *access, unsigned n);

#endif /* AG_SECTIONS_H */
