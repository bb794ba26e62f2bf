/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/copies.h"

#include <string.h>

void ag_copies_init(struct ag_copies *copies) {
  *copies = (struct ag_copies){.random = 0x9e3779b97f4a7c15u};
  ag_pool_init(&copies->pool, sizeof(struct ag_copy), 0);
}

void ag_copies_destroy(struct ag_copies *copies) {
  ag_pool_destroy(&copies->pool);
  memset(copies, 0, sizeof *copies);
}

/* --- The list ----------------------------------------------------------------------------------------- */

/* One level more with probability 1/4. */
static unsigned draw_levels(struct ag_copies *copies) {
  uint64_t r = copies->random;
  r ^= r << 13;
  r ^= r >> 7;
  r ^= r << 17;
  copies->random = r;
  unsigned levels = 1;
  for (; levels < AG_COPY_LEVELS && (r & 3) == 0; r >>= 2)
    ++levels;
  return levels;
}

struct ag_copy *ag_copies_behind(const struct ag_copies *copies, uintptr_t address) {
  struct ag_copy *const *next = copies->head;
  for (unsigned level = AG_COPY_LEVELS; level-- > 0;)
    while (next[level] && next[level]->hi <= address)
      next = next[level]->next;
  return next[0];
}

struct ag_copy *ag_copies_at(const struct ag_copies *copies, uintptr_t address) {
  struct ag_copy *const *next = copies->head;
  struct ag_copy *last = NULL; /* that begins at the address or before it */
  for (unsigned level = AG_COPY_LEVELS; level-- > 0;)
    while (next[level] && next[level]->lo <= address) {
      last = next[level];
      next = last->next;
    }
  return last && last->hi > address ? last : NULL;
}

/* The links that lead to the first copy that begins at `lo` or behind it. */
static void find_links(struct ag_copies *copies, uintptr_t lo, struct ag_copy **links[AG_COPY_LEVELS]) {
  struct ag_copy **next = copies->head;
  for (unsigned level = AG_COPY_LEVELS; level-- > 0;) {
    while (next[level] && next[level]->lo < lo)
      next = next[level]->next;
    links[level] = &next[level];
  }
}

static void list_volatile(struct ag_copies *copies, struct ag_copy *c) {
  c->free_prev = NULL;
  c->free_next = copies->not_resident;
  if (c->free_next)
    c->free_next->free_prev = c;
  copies->not_resident = c;
}

static void unlist_volatile(struct ag_copies *copies, struct ag_copy *c) {
  if (c->free_prev)
    c->free_prev->free_next = c->free_next;
  else
    copies->not_resident = c->free_next;
  if (c->free_next)
    c->free_next->free_prev = c->free_prev;
}

static void insert(struct ag_copies *copies, struct ag_copy *c) {
  struct ag_copy **links[AG_COPY_LEVELS];
  find_links(copies, c->lo, links);
  c->levels = draw_levels(copies);
  for (unsigned level = 0; level < c->levels; ++level) {
    c->next[level] = *links[level];
    *links[level] = c;
  }
  c->near_prev = NULL;
  c->near_next = copies->in_segment[c->segment];
  if (c->near_next)
    c->near_next->near_prev = c;
  copies->in_segment[c->segment] = c;
  if (!c->resident)
    list_volatile(copies, c);
  ++copies->count;
}

static void take_out(struct ag_copies *copies, struct ag_copy *c) {
  struct ag_copy **links[AG_COPY_LEVELS];
  find_links(copies, c->lo, links); /* no two copies begin at one address */
  for (unsigned level = 0; level < c->levels; ++level)
    *links[level] = c->next[level];
  if (c->near_prev)
    c->near_prev->near_next = c->near_next;
  else
    copies->in_segment[c->segment] = c->near_next;
  if (c->near_next)
    c->near_next->near_prev = c->near_prev;
  if (!c->resident)
    unlist_volatile(copies, c);
  --copies->count;
}

static void forget(struct ag_copies *copies, struct ag_copy *c) {
  take_out(copies, c);
  ag_pool_give(&copies->pool, c);
}

/* --- What is where ------------------------------------------------------------------------------------- */

bool ag_copies_hold(const struct ag_copies *copies, uintptr_t lo, uintptr_t hi, ag_shift shift) {
  for (struct ag_copy *c = ag_copies_behind(copies, lo); c && c->lo <= lo; c = c->next[0])
    if (c->shift == shift && c->hi > lo && (lo = c->hi) >= hi)
      return true;
  return false;
}

void ag_copies_add(struct ag_copies *copies, const struct ag_copy *copy) {
  if (copy->lo >= copy->hi)
    return;
  struct ag_copy *c = ag_copies_at(copies, copy->lo);
  if (c && c->hi >= copy->hi)
    return;
  struct ag_copy *fresh = ag_pool_take(&copies->pool);
  if (!fresh)
    return;
  for (c = ag_copies_behind(copies, copy->lo); c && c->hi <= copy->hi;) {
    struct ag_copy *within = c;
    c = c->next[0];
    if (within->lo >= copy->lo)
      forget(copies, within);
  }
  *fresh = *copy;
  insert(copies, fresh);
}

void ag_copies_forget(struct ag_copies *copies, uintptr_t lo, uintptr_t hi, const ag_shift *but,
                      bool not_resident) {
  if (lo >= hi)
    return;
  for (struct ag_copy *c = ag_copies_behind(copies, lo), *next; c && c->lo < hi; c = next) {
    /* What is left of c may replace no other copy than those before c: none that follows lies within it. */
    next = c->next[0];
    if ((but && c->shift == *but) || (not_resident && c->resident))
      continue;
    struct ag_copy left = *c, right = *c;
    forget(copies, c);
    left.hi = lo;
    right.lo = hi;
    if (left.lo < lo && lo - left.lo >= AG_COPY_LEAST)
      ag_copies_add(copies, &left);
    if (right.hi > hi && right.hi - hi >= AG_COPY_LEAST)
      ag_copies_add(copies, &right);
  }
}

void ag_copies_forget_all(struct ag_copies *copies) {
  while (copies->head[0])
    forget(copies, copies->head[0]);
}

void ag_copies_forget_volatile(struct ag_copies *copies) {
  while (copies->not_resident)
    forget(copies, copies->not_resident);
}

void ag_copies_forget_segment(struct ag_copies *copies, unsigned segment) {
  while (copies->in_segment[segment])
    forget(copies, copies->in_segment[segment]);
}

void ag_copies_set_resident(struct ag_copies *copies, struct ag_copy *c, bool resident) {
  if (c->resident == resident)
    return;
  c->resident = resident;
  if (resident)
    unlist_volatile(copies, c);
  else
    list_volatile(copies, c);
}
