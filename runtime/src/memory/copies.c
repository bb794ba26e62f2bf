/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/copies.h"

#include <stdlib.h>
#include <string.h>

/* --- Gathered pieces ---------------------------------------------------------------------------------- */

static uintptr_t start(const struct ag_gathered *g) { return g->at[0].lo; }
static uintptr_t end(const struct ag_gathered *g) { return g->at[g->n - 1].hi; }

/* Index of the first entry that begins at the address or behind it. */
static size_t entry_from(const struct ag_copies *copies, uintptr_t address) {
  size_t low = 0, high = copies->n_gathered;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (start(copies->gathered[middle]) < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void drop(struct ag_copies *copies, size_t i) {
  struct ag_gathered *gone = copies->gathered[i];
  *(gone->older ? &gone->older->newer : &copies->oldest) = gone->newer;
  *(gone->newer ? &gone->newer->older : &copies->newest) = gone->older;
  --copies->count;
  --copies->n_gathered;
  copies->n_pieces -= gone->n;
  memmove(copies->gathered + i, copies->gathered + i + 1,
          (copies->n_gathered - i) * sizeof *copies->gathered);
  if (!copies->n_gathered)
    copies->longest = 0;
  free(gone);
}

static void drop_oldest(struct ag_copies *copies) {
  size_t i = entry_from(copies, start(copies->oldest));
  while (copies->gathered[i] != copies->oldest)
    ++i;
  drop(copies, i);
}

static void forget_gathered(struct ag_copies *copies,
                            bool (*test)(const struct ag_gathered *g, const void *context),
                            const void *context) {
  for (size_t i = copies->n_gathered; i-- > 0;)
    if (test(copies->gathered[i], context))
      drop(copies, i);
}

static bool any(const struct ag_gathered *g, const void *context) {
  (void)g;
  (void)context;
  return true;
}

static bool is_volatile(const struct ag_gathered *g, const void *context) {
  (void)context;
  return !g->resident;
}

static bool lies_in(const struct ag_gathered *g, const void *segment) {
  return g->segment == *(const unsigned *)segment;
}

/* Index of the first piece that ends behind the address. */
static size_t piece_behind(const struct ag_gathered *g, uintptr_t address) {
  size_t low = 0, high = g->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (g->at[middle].hi <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* lo .. hi-1 have new content. */
static void forget_stale(struct ag_copies *copies, uintptr_t lo, uintptr_t hi, const ag_shift *but,
                         bool not_resident) {
  uintptr_t reach = copies->longest < lo ? lo - copies->longest : 0; /* entries before it end before lo */
  for (size_t i = entry_from(copies, hi); i > 0 && start(copies->gathered[i - 1]) >= reach; --i) {
    const struct ag_gathered *g = copies->gathered[i - 1];
    if (end(g) <= lo || (but && g->shift == *but) || (not_resident && g->resident))
      continue;
    size_t k = piece_behind(g, lo);
    if (k < g->n && g->at[k].lo < hi)
      drop(copies, i - 1);
  }
}

/* Room in the list for one entry more. */
static bool reserve(struct ag_copies *copies) {
  if (copies->n_gathered < copies->room)
    return true;
  size_t room = copies->room ? 2 * copies->room : 64;
  struct ag_gathered **grown = realloc(copies->gathered, room * sizeof *grown);
  if (!grown)
    return false;
  copies->gathered = grown;
  copies->room = room;
  return true;
}

void ag_copies_add_gathered(struct ag_copies *copies, const struct ag_copy *copy,
                            const struct ag_interval *region, const struct ag_interval *pieces, size_t n) {
  if (n > (size_t)AG_GATHERED_PIECES || !reserve(copies))
    return;
  struct ag_gathered *g = malloc(sizeof *g + n * sizeof *g->at);
  if (!g)
    return;
  while (copies->n_gathered == AG_GATHERED_MOST || copies->n_pieces + n > (size_t)AG_GATHERED_PIECES)
    drop_oldest(copies);
  *g = (struct ag_gathered){.older = copies->newest,
                            .shift = copy->shift,
                            .loader = copy->loader,
                            .segment = copy->segment,
                            .resident = copy->resident,
                            .n = n};
  for (size_t i = 0; i < n; ++i)
    g->at[i] = ag_interval_within(region, pieces[i]);
  size_t i = entry_from(copies, start(g) + 1);
  memmove(copies->gathered + i + 1, copies->gathered + i,
          (copies->n_gathered - i) * sizeof *copies->gathered);
  copies->gathered[i] = g;
  *(copies->newest ? &copies->newest->newer : &copies->oldest) = g;
  copies->newest = g;
  copies->n_pieces += n;
  ++copies->n_gathered;
  ++copies->count;
  if (copies->longest < end(g) - start(g))
    copies->longest = end(g) - start(g);
}

static bool holds(const struct ag_gathered *g, const struct ag_interval *region,
                  const struct ag_interval *pieces, size_t n) {
  if (ag_interval_within(region, pieces[n - 1]).hi > end(g))
    return false;
  size_t k = piece_behind(g, ag_interval_within(region, pieces[0]).lo);
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval piece = ag_interval_within(region, pieces[i]);
    while (k < g->n && g->at[k].hi <= piece.lo)
      ++k;
    if (k == g->n || g->at[k].lo > piece.lo || g->at[k].hi < piece.hi)
      return false;
  }
  return true;
}

const struct ag_gathered *ag_copies_gathered(const struct ag_copies *copies, const struct ag_interval *region,
                                             const struct ag_interval *pieces, size_t n) {
  size_t i = entry_from(copies, ag_interval_within(region, pieces[0]).lo + 1);
  for (unsigned tries = AG_GATHERED_TRIES; i-- > 0 && tries; --tries)
    if (holds(copies->gathered[i], region, pieces, n))
      return copies->gathered[i];
  return NULL;
}

bool ag_copies_in_segment(const struct ag_copies *copies, unsigned segment) {
  bool found = copies->in_segment[segment] != NULL;
  for (size_t i = 0; i < copies->n_gathered && !found; ++i)
    found = copies->gathered[i]->segment == segment;
  return found;
}

/* --- The table ------------------------------------------------------------------------------------------ */

void ag_copies_init(struct ag_copies *copies) {
  *copies = (struct ag_copies){.random = 0x9e3779b97f4a7c15u};
  ag_pool_init(&copies->pool, sizeof(struct ag_copy), 0);
}

void ag_copies_destroy(struct ag_copies *copies) {
  forget_gathered(copies, any, NULL);
  free(copies->gathered);
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
  forget_stale(copies, lo, hi, but, not_resident);
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
  forget_gathered(copies, any, NULL);
  while (copies->head[0])
    forget(copies, copies->head[0]);
}

void ag_copies_forget_volatile(struct ag_copies *copies) {
  forget_gathered(copies, is_volatile, NULL);
  while (copies->not_resident)
    forget(copies, copies->not_resident);
}

void ag_copies_forget_segment(struct ag_copies *copies, unsigned segment) {
  forget_gathered(copies, lies_in, &segment);
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
