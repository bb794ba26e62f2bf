/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who uses which single elements: of each the last writer and the readers since, in a hash table by address.
 * Units have numbers there, so that an element takes few bytes. The lock of the domain's worker protects it.
 */
#ifndef AG_ELEMENTS_H
#define AG_ELEMENTS_H

#include "graph/unit.h"

/* Is called for units, complete ones too; what it returns instead of 0 ends the calls and is returned. */
typedef int ag_each_ref(struct ag_unit_ref unit, void *context);

struct ag_element {
  uintptr_t at;    /* 0: the place is free */
  uint32_t writer; /* number of a unit; 0: none */
  uint32_t reader; /* number of a reading; 0: none */
};

struct ag_element_unit {
  struct ag_unit_ref ref;
  uintptr_t lo, hi; /* hull of what it uses */
  size_t element;   /* bytes of each element */
  bool writes;
};

struct ag_reading {
  uint32_t unit, next; /* next: of the same element; 0: none */
};

/* Empty when zero. */
struct ag_elements {
  struct ag_element *table;
  struct ag_element_unit *units; /* from 1, as the readings */
  struct ag_reading *readings;
  size_t room, used; /* places, a power of two or 0; those that are taken */
  unsigned shift;    /* 64 less the logarithm of room */
  size_t limit;      /* most taken places, and most readings */
  uint32_t n_units, cap_units, n_readings;
  size_t since;   /* elements that were used since complete units were dropped, */
  uint64_t looks; /* and places that were looked at for ranges */
  uint64_t steps; /* places and readings that were looked at, ever */
};

/* What a gather names: sorted, disjoint pieces of elements that lie side by side. */
struct ag_element_set {
  const struct ag_interval *pieces;
  size_t element; /* bytes of one */
  size_t n;       /* elements */
};

/* Room for one unit that reads or writes n elements; complete units may be dropped. 0 or -ENOMEM. */
int ag_elements_reserve(struct ag_elements *e, size_t n);

/* Calls each() for the writers of the elements. */
int ag_elements_writers(struct ag_elements *e, const struct ag_element_set *set, ag_each_ref *each,
                        void *context);

/* The unit reads the elements, for which there is room. */
void ag_elements_read(struct ag_elements *e, const struct ag_element_set *set, struct ag_unit_ref unit,
                      uintptr_t lo, uintptr_t hi);

/* The unit writes the elements, for which there is room: each() is called for those that used them. */
int ag_elements_write(struct ag_elements *e, const struct ag_element_set *set, struct ag_unit_ref unit,
                      uintptr_t lo, uintptr_t hi, ag_each_ref *each, void *context);

/* Calls each() for the writers of elements, of so many bytes, that lie in lo .. hi-1 or partly there, and for
 * the readers unless `writers`. One element begins at `origin`, modulo its size; those of
 * other sizes are of no field any more. forget: elements that lie
 * there as a whole are forgotten. */
int ag_elements_within(struct ag_elements *e, uintptr_t lo, uintptr_t hi, size_t element, uintptr_t origin,
                       bool writers, bool forget, ag_each_ref *each, void *context);

/* The same for all elements of the units that use no others than in lo .. hi-1; units come that others have
 * followed since. */
int ag_elements_of(struct ag_elements *e, uintptr_t lo, uintptr_t hi, bool writers, ag_each_ref *each,
                   void *context);

/* Drops what complete units did; makes room for n elements more. 0, or -ENOMEM: nothing has changed. */
int ag_elements_sweep(struct ag_elements *e, size_t n);

/* What its arrays take. */
size_t ag_elements_bytes(const struct ag_elements *e);

/* Forgets all; keeps some memory for the next. */
void ag_elements_clear(struct ag_elements *e);
void ag_elements_free(struct ag_elements *e);

#endif /* AG_ELEMENTS_H */
