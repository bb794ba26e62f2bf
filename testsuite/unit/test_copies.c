/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of copies against a model that keeps each byte by itself, and the arena's promises. */
#include "memory/arena.h"
#include "memory/copies.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GRAIN = 64, CELLS = 200, SHIFTS = 6, SEGMENTS = 4 };

static uint64_t seed;
static unsigned draw(unsigned n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed % n);
}

/* Shifts are multiples of this; shift s belongs to segment s % SEGMENTS. */
static const ag_shift FAR = (ag_shift)1 << 32;

/* What may be known of each cell: at which shifts it is current, and whether it is resident there. */
static struct {
  bool current, resident;
} model[SHIFTS][CELLS];

static uintptr_t address(unsigned cell) { return 0x100000 + (uintptr_t)cell * GRAIN; }
static unsigned cell_at(uintptr_t a) { return (unsigned)((a - 0x100000) / GRAIN); }

static bool spared(const struct ag_gathered *g, unsigned from, unsigned to, const ag_shift *but,
                   bool not_resident) {
  for (size_t k = 0; k < g->n; ++k)
    if (g->at[k].lo < address(to) && g->at[k].hi > address(from))
      return (but && g->shift == *but) || (not_resident && g->resident);
  return true;
}

/* The same of gathered pieces; returns the number of entries. */
static size_t check_gathered(const struct ag_copies *copies) {
  size_t pieces = 0, listed = 0;
  for (size_t i = 0; i < copies->n_gathered; ++i) {
    const struct ag_gathered *g = copies->gathered[i];
    unsigned s = (unsigned)(g->shift / FAR);
    assert_int_equal(g->segment, s % SEGMENTS);
    assert_true(!i || copies->gathered[i - 1]->at[0].lo <= g->at[0].lo);
    for (size_t k = 0; k < g->n; ++k)
      for (unsigned c = cell_at(g->at[k].lo); c < cell_at(g->at[k].hi); ++c)
        assert_true(model[s][c].current && (!g->resident || model[s][c].resident));
    pieces += g->n;
  }
  for (const struct ag_gathered *g = copies->oldest; g; g = g->newer, ++listed)
    assert_ptr_equal(g->newer ? g->newer->older : copies->newest, g);
  assert_int_equal(listed, copies->n_gathered);
  assert_int_equal(pieces, copies->n_pieces);
  return listed;
}

/* Sorted by both ends, nothing the model does not know, and the lists are complete. */
static void check(const struct ag_copies *copies) {
  size_t n = 0, in_segments = 0, not_resident = 0, expected = 0;
  const struct ag_copy *before = NULL;
  for (const struct ag_copy *c = copies->head[0]; c; before = c, c = c->next[0], ++n) {
    unsigned s = (unsigned)(c->shift / FAR);
    assert_true(c->lo < c->hi);
    assert_int_equal(c->segment, s % SEGMENTS);
    if (before)
      assert_true(before->lo < c->lo && before->hi < c->hi);
    for (unsigned i = cell_at(c->lo); i < cell_at(c->hi); ++i)
      assert_true(model[s][i].current && (!c->resident || model[s][i].resident));
    expected += !c->resident;
  }
  for (unsigned s = 0; s < SEGMENTS; ++s)
    for (const struct ag_copy *c = copies->in_segment[s]; c; c = c->near_next)
      ++in_segments;
  for (const struct ag_copy *c = copies->not_resident; c; c = c->free_next)
    ++not_resident;
  assert_int_equal(n + check_gathered(copies), copies->count);
  assert_int_equal(n, copies->pool.live);
  assert_int_equal(in_segments, n);
  assert_int_equal(not_resident, expected);
}

/* Pieces of a cell and more within from .. to, of the region that they are cut to. */
static void gather(struct ag_copies *copies, unsigned from, unsigned to, unsigned s) {
  struct ag_interval pieces[40], region = {address(from), address(to), 0, 0};
  size_t n = 0;
  for (unsigned c = from; c < to; c += 2 + draw(4))
    pieces[n++] = (struct ag_interval){address(c), address(c + 1 + (c + 2 < CELLS && draw(4) == 0)), 0, 0};
  bool resident = draw(3) == 0;
  ag_copies_add_gathered(copies,
                         &(struct ag_copy){.shift = s * FAR, .segment = s % SEGMENTS, .resident = resident},
                         &region, pieces, n);
  for (size_t k = 0; k < n; ++k)
    for (unsigned c = cell_at(pieces[k].lo); c < cell_at(pieces[k].hi) && c < to; ++c) {
      model[s][c].resident = resident || (model[s][c].current && model[s][c].resident);
      model[s][c].current = true;
    }
  const struct ag_gathered *g = ag_copies_gathered(copies, &region, pieces, n);
  assert_true(g && g->shift == s * FAR); /* the latest of those that begin there */
  size_t first = draw((unsigned)n);
  g = ag_copies_gathered(copies, &region, pieces + first, n - first);
  for (size_t k = first; g && k < n; ++k)
    for (unsigned c = cell_at(pieces[k].lo); c < cell_at(pieces[k].hi) && c < to; ++c)
      assert_true(model[g->shift / FAR][c].current);
}

static void random_tables(void **state) {
  (void)state;
  for (uint64_t round = 1; round <= 60; ++round) {
    struct ag_copies copies;
    ag_copies_init(&copies);
    memset(model, 0, sizeof model);
    seed = round * 0x9e3779b97f4a7c15u;
    for (int step = 0; step < 600; ++step) {
      unsigned from = draw(CELLS), to = from + 1 + draw(from + 40 < CELLS ? 40 : CELLS - from);
      unsigned s = draw(SHIFTS), kind = draw(16);
      if (kind < 2) {
        gather(&copies, from, to, s);
      } else if (kind < 8) {
        bool resident = draw(3) == 0;
        ag_copies_add(&copies, &(struct ag_copy){.lo = address(from),
                                                 .hi = address(to),
                                                 .shift = s * FAR,
                                                 .segment = s % SEGMENTS,
                                                 .resident = resident});
        for (unsigned i = from; i < to; ++i) {
          model[s][i].resident = resident || (model[s][i].current && model[s][i].resident);
          model[s][i].current = true;
        }
        /* It is there, or within another one. */
        const struct ag_copy *c = ag_copies_at(&copies, address(from));
        assert_true(c && c->lo <= address(from) && c->hi >= address(to));
        assert_true(ag_copies_hold(&copies, address(from), address(to), c->shift));
      } else if (kind < 14) {
        ag_shift but = s * FAR;
        bool spare = draw(2), not_resident = draw(2);
        ag_copies_forget(&copies, address(from), address(to), spare ? &but : NULL, not_resident);
        for (unsigned k = 0; k < SHIFTS; ++k)
          for (unsigned i = from; i < to; ++i)
            if (!(spare && k == s) && !(not_resident && model[k][i].resident))
              model[k][i].current = false;
        for (const struct ag_copy *c = ag_copies_behind(&copies, address(from)); c && c->lo < address(to);
             c = c->next[0])
          assert_true((spare && c->shift == but) || (not_resident && c->resident));
        for (size_t i = 0; i < copies.n_gathered; ++i)
          assert_true(spared(copies.gathered[i], from, to, spare ? &but : NULL, not_resident));
      } else if (kind == 14) {
        ag_copies_forget_segment(&copies, s % SEGMENTS);
        assert_false(ag_copies_in_segment(&copies, s % SEGMENTS));
        for (unsigned k = s % SEGMENTS; k < SHIFTS; k += SEGMENTS)
          for (unsigned i = 0; i < CELLS; ++i)
            model[k][i].current = false;
      } else if (draw(4) == 0) {
        bool all = draw(2);
        all ? ag_copies_forget_all(&copies) : ag_copies_forget_volatile(&copies);
        for (unsigned k = 0; k < SHIFTS; ++k)
          for (unsigned i = 0; i < CELLS; ++i)
            model[k][i].current &= !all && model[k][i].resident;
      }
      check(&copies);
      uintptr_t lo = address(from), hi = address(to);
      if (ag_copies_hold(&copies, lo, hi, s * FAR))
        for (unsigned i = from; i < to; ++i)
          assert_true(model[s][i].current);
      const struct ag_copy *behind = ag_copies_behind(&copies, lo), *first = copies.head[0];
      while (first && first->hi <= lo)
        first = first->next[0];
      assert_ptr_equal(behind, first);
    }
    ag_copies_destroy(&copies);
  }
}

/* What is left on both sides of new content is still known, unless it is tiny. */
static void the_rest_is_kept(void **state) {
  (void)state;
  struct ag_copies copies;
  ag_copies_init(&copies);
  ag_copies_add(&copies, &(struct ag_copy){.lo = 10000, .hi = 20000, .shift = 7});
  ag_copies_forget(&copies, 12000, 12001, NULL, false);
  assert_true(ag_copies_hold(&copies, 10000, 12000, 7));
  assert_true(ag_copies_hold(&copies, 12001, 20000, 7));
  assert_false(ag_copies_hold(&copies, 11999, 12001, 7));
  ag_copies_forget(&copies, 10000 + AG_COPY_LEAST - 1, 19000, NULL, false);
  assert_null(ag_copies_at(&copies, 10000));
  assert_int_equal(copies.count, 1);
  /* Two that touch serve what reaches over both, if they lie alike. */
  ag_copies_add(&copies, &(struct ag_copy){.lo = 18000, .hi = 19000, .shift = 7});
  assert_true(ag_copies_hold(&copies, 18000, 20000, 7));
  ag_copies_add(&copies, &(struct ag_copy){.lo = 17000, .hi = 18000, .shift = 8});
  assert_false(ag_copies_hold(&copies, 17000, 20000, 7));
  ag_copies_destroy(&copies);
}

/* There are never too many of them, and the oldest go first. */
static void gathered_are_bounded(void **state) {
  (void)state;
  struct ag_copies copies;
  struct ag_interval all = {0, UINTPTR_MAX, 0, 0};
  ag_copies_init(&copies);
  for (unsigned i = 0; i < 2 * AG_GATHERED_MOST; ++i) {
    struct ag_interval pieces[] = {{1000 * i, 1000 * i + 8, 0, 0}, {1000 * i + 16, 1000 * i + 24, 0, 0}};
    ag_copies_add_gathered(&copies, &(struct ag_copy){.shift = i}, &all, pieces, 2);
    assert_non_null(ag_copies_gathered(&copies, &all, pieces, 2));
  }
  assert_int_equal(copies.n_gathered, AG_GATHERED_MOST);
  assert_int_equal(copies.gathered[0]->shift, AG_GATHERED_MOST);
  enum { MANY = AG_GATHERED_PIECES / 2 };
  struct ag_interval *many = malloc(MANY * sizeof *many);
  for (uintptr_t i = 0; i < MANY; ++i)
    many[i] = (struct ag_interval){32 * i, 32 * i + 8, 0, 0};
  for (unsigned i = 0; i < 3; ++i)
    ag_copies_add_gathered(&copies, &(struct ag_copy){.shift = i}, &all, many, MANY);
  assert_int_equal(copies.n_gathered, 2);
  assert_int_equal(copies.oldest->shift, 1);
  ag_copies_forget(&copies, 8, 32, NULL, false); /* between the pieces */
  assert_int_equal(copies.n_gathered, 2);
  ag_copies_forget(&copies, 32 * (uintptr_t)MANY - 25, 32 * (uintptr_t)MANY, NULL, false);
  assert_int_equal(copies.count, 0);
  free(many);
  ag_copies_destroy(&copies);
}

/* --- The arena ---------------------------------------------------------------------------------------- */

static bool kept[AG_ARENA_SEGMENTS];
static unsigned n_emptied;
static bool keeps(void *context, unsigned segment) {
  (void)context;
  return kept[segment];
}
static void empties(void *context, unsigned segment) {
  (void)context;
  assert_true(kept[segment]);
  kept[segment] = false;
  ++n_emptied;
}

static void blocks_do_not_overlap(void **state) {
  (void)state;
  enum { LIVE = 3, BYTES = 4096 };
  static struct ag_arena arena;
  struct {
    size_t at, bytes;
    unsigned segment;
  } live[LIVE] = {{0, 0, 0}};
  ag_arena_init(&arena, BYTES, 5);
  memset(kept, 0, sizeof kept);
  n_emptied = 0;
  seed = 99;
  for (int step = 0; step < 20000; ++step) {
    unsigned k = draw(LIVE);
    if (live[k].bytes) {
      ag_arena_unpin(&arena, live[k].segment);
      live[k].bytes = 0;
    }
    size_t bytes = 1 + draw(BYTES);
    /* With as many segments as blocks in flight and more, there is always one. */
    assert_int_equal(ag_arena_take(&arena, bytes, keeps, empties, NULL, &live[k].at, &live[k].segment), 0);
    live[k].bytes = bytes;
    assert_int_equal(live[k].at / BYTES, live[k].segment);
    assert_true(live[k].at % BYTES + bytes <= BYTES && live[k].at % AG_ARENA_ALIGN == 0);
    for (unsigned i = 0; i < LIVE; ++i)
      if (i != k && live[i].bytes)
        assert_true(live[k].at + bytes <= live[i].at || live[i].at + live[i].bytes <= live[k].at);
    kept[live[k].segment] |= draw(2);
  }
  assert_true(n_emptied > 100);
  size_t at;
  unsigned segment;
  assert_int_equal(ag_arena_take(&arena, BYTES + 1, keeps, empties, NULL, &at, &segment), -ENOMEM);
}

/* The segment that nobody has used for the longest time goes first, and one worth nothing before it. */
static void oldest_goes_first(void **state) {
  (void)state;
  static struct ag_arena arena;
  size_t at;
  unsigned segment;
  ag_arena_init(&arena, 4096, 3);
  for (unsigned s = 0; s < 3; ++s) {
    assert_int_equal(ag_arena_take(&arena, 4096, keeps, empties, NULL, &at, &segment), 0);
    assert_int_equal(segment, s);
    kept[s] = true;
    ag_arena_unpin(&arena, s);
  }
  ag_arena_pin(&arena, 0); /* used again */
  ag_arena_unpin(&arena, 0);
  assert_int_equal(ag_arena_take(&arena, 4096, keeps, empties, NULL, &at, &segment), 0);
  assert_int_equal(segment, 1);
  kept[1] = true;
  kept[0] = false;
  assert_int_equal(ag_arena_take(&arena, 100, keeps, empties, NULL, &at, &segment), 0);
  assert_int_equal(segment, 0);
  assert_true(kept[2]);
  /* Nothing that is pinned goes. */
  ag_arena_pin(&arena, 2);
  assert_int_equal(ag_arena_take(&arena, 4096, keeps, empties, NULL, &at, &segment), -ENOMEM);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_tables), cmocka_unit_test(the_rest_is_kept),
                                     cmocka_unit_test(gathered_are_bounded),
                                     cmocka_unit_test(blocks_do_not_overlap),
                                     cmocka_unit_test(oldest_goes_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
