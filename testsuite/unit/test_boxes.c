/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Boxes of all shapes in one graph, against a look at each byte: who follows whom, directly or not, is who
 * conflicts with whom, directly or not. And what it takes: tiles are a few segments, whatever their size. */
#include "bytes_model.h"

static struct ag_more one_more = {.calls = 1};

/* --- Random ----------------------------------------------------------------------------------------- */

/* A tile of an array of rows of 64 bytes; with what is around it, or one side of that. */
static void random_tile(uint64_t *random, struct call *c, int s, bool around) {
  enum { PITCH = 64, TILE = 8 };
  struct agglom_dim *d = c->dim[s];
  long long top = TILE * (long long)(next_random(random) % (BYTES / PITCH / TILE)),
            left = TILE * (long long)(next_random(random) % (PITCH / TILE)), bottom = top + TILE,
            right = left + TILE;
  if (around) {
    top -= top && next_random(random) % 2;
    left -= left && next_random(random) % 2;
    bottom += bottom < BYTES / PITCH && next_random(random) % 2;
    right += right < PITCH && next_random(random) % 2;
  }
  d[0] = (struct agglom_dim){top, bottom - top, 1, PITCH};
  d[1] = (struct agglom_dim){left, right - left, 1, 1};
  c->shape[s] = (struct agglom_shape){.base = middle, .dims = d, .n_dims = 2, .block = 1};
}

static void random_tiles(void **state) {
  uint64_t random = from_environment("SEED", 5);
  (void)state;
  begin();
  for (unsigned long i = 0; i < repeats(1500); ++i) {
    struct call c;
    nothing(&c);
    if (next_random(&random) % 4)
      random_tile(&random, &c, 0, true);
    if (next_random(&random) % 3 == 0)
      random_tile(&random, &c, 1, next_random(&random) % 4 == 0);
    known[n].unit = submit(&c);
    mark(&known[n++]);
    look(false);
    complete_some(&random, 40, i % 250 == 249);
  }
  complete_some(&random, 1, true);
  end();
}

static void random_boxes(void **state) {
  uint64_t random = from_environment("SEED", 17);
  (void)state;
  begin();
  for (unsigned long i = 0; i < repeats(2000); ++i) {
    bool adds = i / 500 % 2, many_readers = i / 1000 % 2;
    struct call c;
    nothing(&c);
    if (next_random(&random) % 4)
      random_box(&random, &c, 0);
    if (next_random(&random) % (many_readers ? 12 : 3) == 0)
      random_box(&random, &c, 1);
    for (int s = 2; s < 4; ++s)
      if (next_random(&random) % (s == 2 && many_readers ? 2 : 8) == 0)
        c.range[s] = (struct agglom_range){middle + next_random(&random) % (BYTES - 300), 0,
                                           (long long)(next_random(&random) % 300)};
    if (adds && next_random(&random) % 4 == 0) {
      nothing(&c);
      random_box(&random, &c, ADD);
    }
    if (next_random(&random) % 50 == 0)
      graph.boxes = 1 << 20; /* empty planes are looked for */
    known[n].unit = submit(&c);
    mark(&known[n++]);
    look(adds);
    complete_some(&random, 40, i % 250 == 249);
    if (i % 250 == 249) {
      assert_int_equal(n, 0);
      if (i % 500 == 249)
        ag_graph_clear(&graph, &store);
    }
  }
  end();
}

/* --- Looking at boxes before they are recorded ------------------------------------------------------- */

/* What a look may find, and how often it did. */
struct looks {
  unsigned free, free_of_others, found, found_of_others;
};

/* Looks at what section s of the call would use. Where that conflicts with no unit but the last one, and what
 * this follows, it becomes a part of the last one. */
static void look_before(const struct call *c, int s, struct looks *looks) {
  static struct known call;
  struct ag_unit *last = known[n - 1].unit;
  struct ag_pieces room;
  struct ag_access access;
  bool writes = s == 1, ignored, follows = false, before[UNITS] = {false}, with_before = false,
       with_others = false;
  if (!ag_section_glance(&sections[s], &c->range[s], &room, &access))
    return;
  memset(&call, 0, sizeof call);
  mark_access(&call, s, &access);
  follow_up(last, before);
  for (unsigned i = 0; i + 1 < n; ++i)
    *(before[i] ? &with_before : &with_others) |= conflict(&known[i], &call);
  bool with_last = with_before || conflict(&known[n - 1], &call);
  bool found = ag_graph_is_free(&graph, &access, writes, (unsigned)s, NULL, &ignored);
  bool found_of_others = ag_graph_is_free(&graph, &access, writes, (unsigned)s, last, &follows);
  assert_true(!found || !(with_others || with_last));
  assert_true(!found_of_others || (!with_others && (follows || !with_last)));
  looks->free += !with_others && !with_last;
  looks->free_of_others += !with_others;
  looks->found += found;
  looks->found_of_others += found_of_others;
  if (!found_of_others)
    return;
  last->more = &one_more;
  const struct ag_edge *first = last->preds;
  assert_int_equal(ag_graph_extend(&graph, &store, last, &access, writes, (unsigned)s), 0);
  assert_ptr_equal(last->preds, first);
  mark_access(&known[n - 1], s, &access);
}

static struct looks look_before_many(bool tiles, uint64_t random) {
  struct looks looks = {0};
  begin();
  for (unsigned i = 0; i < 1500; ++i) {
    struct call c;
    for (int which = 0; which < 2; ++which) { /* a unit, and then what may become a part of it */
      int s = next_random(&random) % 2;
      nothing(&c);
      if (tiles)
        random_tile(&random, &c, s, s == 0);
      else
        random_box(&random, &c, s);
      if (which == 0 && !tiles)
        c.range[2] = (struct agglom_range){middle + next_random(&random) % (BYTES - 40), 0, 40};
      if (which == 0) {
        known[n].unit = submit(&c);
        mark(&known[n++]);
        look(true); /* who follows a unit of several calls may follow it for less than all of it */
      } else {
        look_before(&c, s, &looks);
      }
    }
    complete_some(&random, 4, i % 250 == 249);
  }
  complete_some(&random, 1, true);
  end();
  return looks;
}

static void what_is_free(void **state) {
  (void)state;
  struct looks tiles = look_before_many(true, 7), boxes = look_before_many(false, 8);
  assert_true(tiles.free > 500 && tiles.free_of_others > tiles.free);
  assert_in_range(tiles.found, tiles.free / 2, tiles.free);
  assert_in_range(tiles.found_of_others, tiles.free_of_others / 2, tiles.free_of_others);
  assert_true(boxes.found > 0 && boxes.found_of_others > boxes.found);
}

/* Whether section 1 of the call, a box, is free. */
static bool box_is_free(const struct call *c) {
  struct ag_pieces room;
  struct ag_access access;
  bool ignored;
  assert_true(ag_section_glance(&sections[1], &c->range[1], &room, &access));
  return ag_graph_is_free(&graph, &access, true, 1, NULL, &ignored);
}

/* n rows of 64 bytes, in one or two planes of 16 of them. */
static void rows_of(struct call *c, long long row, long long n, long long column, long long columns,
                    int planes) {
  nothing(c);
  c->shape[1].n_dims = 3;
  c->dim[1][0] = (struct agglom_dim){0, planes, 1, 16 * 64};
  c->dim[1][1] = (struct agglom_dim){row, n, 1, 64};
  c->dim[1][2] = (struct agglom_dim){column, columns, 1, 1};
}

static void what_is_not_free(void **state) {
  (void)state;
  static const int index[] = {0, 21 * 64 + 5, 40 * 64};
  struct call c, at;
  begin();
  rows_of(&c, 20, 4, 0, 8, 1);
  known[n++].unit = submit(&c);
  rows_of(&at, 20, 3, 60, 8, 1); /* ends in rows 21 to 23 */
  assert_false(box_is_free(&at));
  rows_of(&at, 20, 3, 60, 4, 1);
  assert_true(box_is_free(&at));
  rows_of(&at, 4, 3, 0, 8, 2); /* and rows 20 to 22 */
  assert_false(box_is_free(&at));
  complete(known[--n].unit);
  nothing(&c); /* single bytes */
  c.shape[1] = (struct agglom_shape){.base = middle, .block = 1, .indexes = index, .index_bytes = -4};
  c.range[1].len = 3;
  struct ag_pieces room;
  struct ag_access access;
  assert_false(ag_section_glance(&sections[1], &c.range[1], &room, &access));
  known[n++].unit = submit(&c);
  rows_of(&at, 20, 3, 0, 8, 1);
  assert_false(box_is_free(&at));
  complete(known[--n].unit);
  end();
}

/* Rows of which a plane has the last ones alone: others are recorded elsewhere. */
static void rows_before_a_plane(void **state) {
  (void)state;
  struct call c, at;
  begin();
  rows_of(&c, 20, 4, 0, 8, 1);
  known[n++].unit = submit(&c);
  nothing(&c);
  c.range[2] = (struct agglom_range){middle, 18 * 64 + 30, 2};
  known[n++].unit = submit(&c);
  rows_of(&at, 18, 4, 28, 8, 1);
  assert_false(box_is_free(&at));
  while (n)
    complete(known[--n].unit);
  end();
}

/* What lies between elements that gathers accumulate in is used by nobody, but a later gather of the same
 * memory would not see who used it without being inserted. */
static void between_sums(void **state) {
  (void)state;
  static const int index[] = {0, 100, 200};
  uintptr_t at = (uintptr_t)middle + 50;
  bool ignored;
  struct call c;
  begin();
  nothing(&c);
  c.shape[ADD] = (struct agglom_shape){.base = middle, .block = 1, .indexes = index, .index_bytes = -4};
  c.range[ADD] = (struct agglom_range){&c.shape[ADD], 0, 3};
  known[n++].unit = submit(&c);
  assert_false(ag_graph_is_free(&graph, &(struct ag_access){at, at + 4, NULL}, true, 1, NULL, &ignored));
  at += BYTES;
  assert_true(ag_graph_is_free(&graph, &(struct ag_access){at, at + 4, NULL}, true, 1, NULL, &ignored));
  complete(known[--n].unit);
  end();
}

/* --- What it takes ---------------------------------------------------------------------------------- */

/* Tiles of an array, each one reading what is around it in another: segments do not grow with the tile. */
static void tiles(void **state) {
  enum { SIDE = 64, TILE = 16, PER_SIDE = SIDE / TILE };
  (void)state;
  begin();
  for (int step = 0; step < 3; ++step)
    for (int r = 0; r < SIDE; r += TILE)
      for (int k = 0; k < SIDE; k += TILE) {
        struct call c;
        nothing(&c);
        int top = r ? r - 1 : 0, left = k ? k - 1 : 0, down = r + TILE < SIDE ? r + TILE + 1 : SIDE,
            right = k + TILE < SIDE ? k + TILE + 1 : SIDE;
        c.shape[0] = (struct agglom_shape){
            .base = middle - (step % 2 ? BYTES : 0), .dims = c.dim[0], .n_dims = 2, .block = 1};
        c.dim[0][0] = (struct agglom_dim){top, down - top, 1, SIDE};
        c.dim[0][1] = (struct agglom_dim){left, right - left, 1, 1};
        c.shape[1] = (struct agglom_shape){
            .base = middle - (step % 2 ? 0 : BYTES), .dims = c.dim[1], .n_dims = 2, .block = 1};
        c.dim[1][0] = (struct agglom_dim){r, TILE, 1, SIDE};
        c.dim[1][1] = (struct agglom_dim){k, TILE, 1, 1};
        known[n % UNITS].unit = submit(&c);
        unsigned preds = 0;
        for (const struct ag_edge *e = known[n % UNITS].unit->preds; e; e = e->next_pred)
          ++preds;
        ++n;
        unsigned sides = (unsigned)((r > 0) + (r + TILE < SIDE)),
                 columns = (unsigned)((k > 0) + (k + TILE < SIDE));
        assert_int_equal(preds, step ? (sides + 1) * (columns + 1) + (step == 2) : 0); /* the writer before */
      }
  assert_int_equal(n, 3 * PER_SIDE * PER_SIDE);
  assert_in_range(store.segments.live, 1, 2 * PER_SIDE * PER_SIDE);
  for (unsigned i = 0; i < n; ++i)
    complete(known[i].unit);
  n = 0;
  end();
}

/* Readers cut nothing, as long as they are few: units that read what is around their blocks leave a segment
 * for each block. Many of them cut it; those that write follow whom they have to, in either case. */
static void readers_do_not_cut(void **state) {
  enum { BLOCK = 64, BLOCKS = BYTES / BLOCK, READERS = 100 };
  struct ag_unit *units[BLOCKS], *readers[BLOCKS > READERS ? BLOCKS : READERS];
  struct call c;
  (void)state;
  begin();
  for (int i = 0; i < BLOCKS; ++i) {
    nothing(&c);
    c.range[3] = (struct agglom_range){middle, (long long)i * BLOCK, BLOCK};
    units[i] = submit(&c);
  }
  for (int i = 0; i < BLOCKS; ++i) {
    nothing(&c);
    long long lo = i ? (long long)i * BLOCK - 1 : 0, hi = (long long)(i + 1) * BLOCK + (i + 1 < BLOCKS);
    c.range[2] = (struct agglom_range){middle, lo, hi - lo};
    readers[i] = submit(&c);
  }
  assert_int_equal(store.segments.live, BLOCKS);
  for (int i = 0; i < BLOCKS; ++i) {
    complete(units[i]);
    nothing(&c);
    c.range[3] = (struct agglom_range){middle, (long long)i * BLOCK, BLOCK};
    units[i] = submit(&c);
    unsigned preds = 0;
    for (const struct ag_edge *e = units[i]->preds; e; e = e->next_pred)
      ++preds;
    assert_int_equal(preds, 1 + (i > 0) + (i + 1 < BLOCKS));
  }
  for (int i = 0; i < BLOCKS; ++i)
    complete(readers[i]);
  for (int i = 0; i < READERS; ++i) { /* of one byte each, all of the first block */
    nothing(&c);
    c.range[2] = (struct agglom_range){middle, i % BLOCK, 1};
    readers[i] = submit(&c);
  }
  assert_in_range(store.segments.live, BLOCKS + 1, BLOCKS + 2 * BLOCK);
  complete(units[0]);
  nothing(&c);
  c.range[3] = (struct agglom_range){middle, 5, 2};
  units[0] = submit(&c);
  unsigned preds = 0;
  for (const struct ag_edge *e = units[0]->preds; e; e = e->next_pred)
    ++preds;
  assert_int_equal(preds, 4); /* 5, 6, and 64 more */
  for (int i = 0; i < READERS; ++i)
    complete(readers[i]);
  for (int i = 0; i < BLOCKS; ++i)
    complete(units[i]);
  end();
}

/* Where there are boxes, rows are looked at one by one: not those of much memory, for that is done once more
 * when it is used. */
static void much_beside_boxes(void **state) {
  (void)state;
  enum { LOOKED_AT = 4096 };
  uint64_t random = 1;
  bool ignored;
  begin();
  struct call c;
  nothing(&c);
  random_tile(&random, &c, 1, false);
  known[n++].unit = submit(&c);
  uintptr_t far = (uintptr_t)middle + BYTES; /* nobody uses what is there */
  assert_true(
      ag_graph_is_free(&graph, &(struct ag_access){far, far + LOOKED_AT, NULL}, true, 0, NULL, &ignored));
  assert_false(
      ag_graph_is_free(&graph, &(struct ag_access){far, far + LOOKED_AT + 1, NULL}, true, 0, NULL, &ignored));
  complete(known[--n].unit);
  end();
}

int main(void) {
  const struct CMUnitTest cases[] = {cmocka_unit_test(random_boxes),
                                     cmocka_unit_test(random_tiles),
                                     cmocka_unit_test(tiles),
                                     cmocka_unit_test(readers_do_not_cut),
                                     cmocka_unit_test(much_beside_boxes),
                                     cmocka_unit_test(what_is_free),
                                     cmocka_unit_test(what_is_not_free),
                                     cmocka_unit_test(rows_before_a_plane),
                                     cmocka_unit_test(between_sums)};
  return cmocka_run_group_tests(cases, NULL, NULL);
}
