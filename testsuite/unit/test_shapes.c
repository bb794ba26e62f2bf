/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections that are no run of elements: the bytes they are made of, who conflicts with whom because of them,
 * and what is written back to the host. No threads, no device: a buffer stands for it. */
#include "agglomerate/agglomerate.h"
#include "graph/graph.h"
#include "random.h"
#include "stage/stage.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6, COLUMNS = 8 };

static const struct agglom_section shaped_section[] = {
    {"inout(a[...])", 1, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(double), 0, 0, NULL, NULL}};

static struct agglom_task shaped_task = {.name = "shaped",
                                         .file = "shaped.c",
                                         .map = AGGLOM_MAP_THREAD,
                                         .args_size = sizeof(void *),
                                         .args_align = _Alignof(void *),
                                         .n_sections = 1,
                                         .sections = shaped_section};

static double a[ROWS][COLUMNS];

/* The access of a[0:rows:every][from:columns:step]. */
static struct ag_access of_dims(struct agglom_dim rows, struct agglom_dim columns) {
  const struct agglom_dim dims[] = {rows, columns};
  const struct agglom_shape shape = {.base = a, .dims = dims, .n_dims = 2, .block = sizeof(double)};
  const struct agglom_range range = {&shape, 0, 0};
  struct ag_access access;
  assert_int_equal(ag_unit_check(&shaped_task, &range, &access, NULL), 0);
  return access;
}
static struct agglom_dim rows(long long lo, long long len, long long step) {
  return (struct agglom_dim){lo, len, step, sizeof a[0]};
}
static struct agglom_dim columns(long long lo, long long len, long long step) {
  return (struct agglom_dim){lo, len, step, sizeof(double)};
}
static struct ag_access of_indexes(const int *indexes, long long n) {
  const struct agglom_shape shape = {
      .base = a, .index_bytes = -(int)sizeof *indexes, .block = sizeof(double), .indexes = indexes};
  const struct agglom_range range = {&shape, 0, n};
  struct ag_access access;
  assert_int_equal(ag_unit_check(&shaped_task, &range, &access, NULL), 0);
  return access;
}

/* The access holds the marked elements of a and no other byte. */
static void holds(struct ag_access *access, bool (*marked)(int row, int column)) {
  static char byte[sizeof a];
  memset(byte, 0, sizeof byte);
  uintptr_t at = (uintptr_t)a;
  for (size_t k = 0; k < ag_access_pieces(access); ++k) {
    struct ag_interval piece = ag_access_piece(access, k);
    assert_true(at <= piece.lo && piece.lo < piece.hi && piece.hi <= (uintptr_t)(&a[0][0] + ROWS * COLUMNS));
    at = piece.hi; /* sorted and disjoint */
    for (uintptr_t b = piece.lo; b < piece.hi; ++b)
      byte[b - (uintptr_t)a] = 1;
  }
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      for (size_t b = 0; b < sizeof(double); ++b)
        assert_int_equal(byte[(size_t)(r * COLUMNS + c) * sizeof(double) + b], marked(r, c));
  ag_unit_release(&shaped_task, access);
}
static bool in_block(int r, int c) { return r >= 1 && r < 4 && c >= 2 && c < 5; }
static bool in_column(int r, int c) { return (void)r, c == 3; }
static bool in_grid(int r, int c) { return r % 2 == 0 && c % 3 == 1; }
static bool in_rows(int r, int c) { return (void)c, r == 2 || r == 3; }
static bool in_gather(int r, int c) {
  return r * COLUMNS + c == 40 || r * COLUMNS + c == 7 || (r == 1 && c < 2);
}

static void pieces(void **state) {
  (void)state;
  struct ag_access access = of_dims(rows(1, 3, 1), columns(2, 3, 1));
  assert_int_equal(ag_access_pieces(&access), 3);
  holds(&access, in_block);
  access = of_dims(rows(0, ROWS, 1), columns(3, 1, 1));
  holds(&access, in_column);
  access = of_dims(rows(0, 3, 2), columns(1, 3, 3));
  holds(&access, in_grid);
  access = of_dims(rows(2, 2, 1), columns(0, COLUMNS, 1)); /* without gaps: one piece */
  assert_int_equal(ag_access_pieces(&access), 1);
  assert_null(access.pieces);
  holds(&access, in_rows);
  const int unsorted[] = {40, 8, 7, 9, 40, 8};
  access = of_indexes(unsorted, 6);
  assert_int_equal(ag_access_pieces(&access), 2); /* 7 to 9, and 40 */
  holds(&access, in_gather);
  access = of_dims(rows(0, 0, 1), columns(0, 3, 1));
  assert_int_equal(ag_access_pieces(&access), 0);
  access = of_indexes(unsorted, 0);
  assert_int_equal(ag_access_pieces(&access), 0);
}

/* --- Conflicts -------------------------------------------------------------------------------------- */

struct world {
  struct ag_graph_store store;
  struct ag_graph graph;
  struct ag_pool pool;
  uint64_t seq;
};

static struct ag_unit *submit(struct world *w, struct ag_access access) {
  struct ag_unit *u = ag_pool_take(&w->pool);
  void *args = a;
  u->access[0] = access;
  ag_unit_fill(u, &shaped_task, &args, 0, 1, true);
  u->seq = ++w->seq;
  assert_int_equal(ag_graph_insert(&w->graph, &w->store, u), 0);
  return u;
}
static unsigned predecessors(const struct ag_unit *u) {
  unsigned n = 0;
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    ++n;
  return n;
}
static void released(struct ag_unit *u, void *context) { (void)u, (void)context; }

static void only_common_elements_conflict(void **state) {
  (void)state;
  shaped_task.state = ag_task_state_new(&shaped_task, 0);
  struct world w = {.seq = 0};
  ag_graph_store_init(&w.store);
  ag_pool_init(&w.pool, shaped_task.state->unit_size, shaped_task.state->unit_align);
  struct ag_unit *units[COLUMNS + 4];
  for (int c = 0; c < COLUMNS; ++c) {
    units[c] = submit(&w, of_dims(rows(0, ROWS, 1), columns(c, 1, 1)));
    assert_int_equal(predecessors(units[c]), 0); /* columns do not meet */
  }
  units[COLUMNS] = submit(&w, of_dims(rows(2, 2, 1), columns(3, 2, 1)));
  assert_int_equal(predecessors(units[COLUMNS]), 2); /* of columns 3 and 4 */
  const int corners[] = {0, 7}, others[] = {1, 6}, one[] = {6};
  units[COLUMNS + 1] = submit(&w, of_indexes(corners, 2));
  assert_int_equal(predecessors(units[COLUMNS + 1]), 2); /* columns 0 and 7 */
  units[COLUMNS + 2] = submit(&w, of_indexes(others, 2));
  assert_int_equal(predecessors(units[COLUMNS + 2]), 2); /* columns 1 and 6, not the other gather */
  units[COLUMNS + 3] = submit(&w, of_indexes(one, 1));
  assert_int_equal(predecessors(units[COLUMNS + 3]), 2); /* column 6 and the gather */
  for (int i = 0; i < COLUMNS + 4; ++i) {
    ag_graph_complete(&w.store, units[i], released, NULL);
    ag_unit_release(&shaped_task, units[i]->access);
    units[i]->seq = 0;
    ag_pool_give(&w.pool, units[i]);
  }
  ag_graph_clear(&w.graph, &w.store);
  ag_graph_store_destroy(&w.store);
  ag_pool_destroy(&w.pool);
  ag_task_state_free(shaped_task.state);
}

/* --- Staging ---------------------------------------------------------------------------------------- */

struct list {
  double *values;
  long n;
};
static const struct agglom_section list_sections[] = {
    {"inout(*l)", 1, AGGLOM_INOUT, sizeof(struct list), 0, 0, NULL, NULL},
    {"inout(l->values[1:3:2])", 1, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(double), 0, 1, NULL, NULL}};
static struct agglom_task list_task = {.name = "list",
                                       .file = "list.c",
                                       .map = AGGLOM_MAP_THREAD,
                                       .args_size = sizeof(struct list *),
                                       .args_align = _Alignof(struct list *),
                                       .n_sections = 2,
                                       .sections = list_sections};

/* The device is the staging buffer itself: "device" addresses can be followed. */
static void only_named_bytes_come_back(void **state) {
  (void)state;
  static char slot[1 << 16] __attribute__((aligned(256)));
  double values[8];
  for (int i = 0; i < 8; ++i)
    values[i] = i;
  struct list list = {values, 8}, *args = &list;
  list_task.state = ag_task_state_new(&list_task, 0);
  struct ag_unit *u = calloc(1, list_task.state->unit_size);
  const struct agglom_dim dim = {1, 3, 2, sizeof(double)};
  const struct agglom_shape shape = {
      .base = list.values, .dims = &dim, .n_dims = 1, .block = sizeof(double), .holder = &list.values};
  const struct agglom_range ranges[] = {{&list, 0, 1}, {&shape, 0, 0}};
  assert_int_equal(ag_unit_check(&list_task, ranges, u->access, NULL), 0);
  ag_unit_fill(u, &list_task, &args, 0, 1, true);
  unsigned zero = 0, one = 1, flags[2] = {0, 0};
  struct ag_batch batch = {.task = &list_task,
                           .units = &u,
                           .n_units = 1,
                           .start = &zero,
                           .end = &one,
                           .part = &zero,
                           .parts = &one,
                           .n_chains = 1,
                           .pred_start = flags};
  struct ag_stage stage = {.n_regions = 0};
  assert_int_equal(ag_stage_fill(&stage, &batch, slot, slot, sizeof slot), 0);

  /* What a kernel does: follows its argument, then the pointer it finds there. */
  struct list *there = *(struct list *const *)stage.launch.units;
  assert_true((char *)there >= slot && (char *)there < slot + sizeof slot);
  assert_true((char *)there->values > slot && (char *)there->values < slot + sizeof slot);
  assert_int_equal(there->n, 8);
  assert_true(there->values[1] == 1 && there->values[3] == 3 && there->values[5] == 5);
  for (int i = 1; i < 6; ++i)
    there->values[i] = 100 + i; /* 2 and 4 were not named */
  there->n = 9;

  ag_stage_commit(&stage, slot);
  const double expected[8] = {0, 101, 2, 103, 4, 105, 6, 7};
  assert_memory_equal(values, expected, sizeof values);
  assert_ptr_equal(list.values, values); /* the host's pointer is the host's */
  assert_int_equal(list.n, 9);
  ag_stage_free(&stage);
  ag_unit_release(&list_task, u->access);
  free(u);
  ag_task_state_free(list_task.state);
}

/* What a glance says is right, is; also where only the last of several sections is wrong. Who accumulates is
 * never plain. */
static void what_is_plain_is_right(void **state) {
  (void)state;
  enum { MANY = 200000, MOST = 4, WRONG_IN = 12 };
  static const long long wild[] = {0, -1, -7, INT64_MAX, INT64_MIN, INT64_MAX / 2, 1LL << 40, -(1LL << 40)};
  uint64_t random = 3, plain = 0, wrong = 0, right = 0;
  struct agglom_section sections[2] = {shaped_section[0], shaped_section[0]};
  struct agglom_task task = shaped_task;
  task.n_sections = 2;
  task.sections = sections;
  for (int k = 0; k < MANY; ++k) {
    struct agglom_dim dims[2][MOST];
    struct agglom_shape shapes[2];
    struct agglom_range ranges[2];
    for (int s = 0; s < 2; ++s) {
      unsigned n_dims = 1 + (unsigned)(next_random(&random) % MOST);
      unsigned long long pitch = sizeof(double);
      for (unsigned d = n_dims; d-- > 0; pitch *= 8) {
        dims[s][d] = (struct agglom_dim){(long long)(next_random(&random) % 3),
                                         1 + (long long)(next_random(&random) % 4),
                                         1 + (long long)(next_random(&random) % 2), pitch};
        long long any = wild[next_random(&random) % (sizeof wild / sizeof *wild)];
        switch (s ? next_random(&random) % WRONG_IN : WRONG_IN) {
        case 0:
          dims[s][d].lo = any;
          break;
        case 1: /* more than fits into a list of blocks is another matter */
          dims[s][d].len = any < 4 ? any : 4;
          break;
        case 2:
          dims[s][d].step = any;
          break;
        default:
          break;
        }
      }
      shapes[s] = (struct agglom_shape){.base = s && !(next_random(&random) % WRONG_IN) ? NULL : a,
                                        .dims = dims[s],
                                        .n_dims = n_dims,
                                        .block = sizeof(double)};
      ranges[s] = (struct agglom_range){&shapes[s], 0, 0};
    }
    struct ag_access access[2];
    _Atomic bool silent = true;
    bool is_plain = ag_unit_is_plain(&task, ranges);
    int err = ag_unit_check(&task, ranges, access, &silent);
    assert_true(!is_plain || !err);
    plain += is_plain;
    wrong += err == -EINVAL;
    right += !err;
    if (!err)
      ag_unit_release(&task, access);
    if (is_plain) {
      sections[k % 2].mode |= AGGLOM_ACCUMULATE;
      assert_false(ag_unit_is_plain(&task, ranges));
      sections[k % 2].mode = shaped_section[0].mode;
    }
  }
  assert_true(wrong > MANY / 10 && right > MANY / 10 && plain > right / 2);
}

/* A tile at the border, whose neighbour is empty, is as cheap as others: a glance is enough. Nobody takes a
 * wrong value for an empty one. */
static void empty_ones_at_a_glance(void **state) {
  (void)state;
  enum { N_DIMS = 3 };
  const struct agglom_section *s = &shaped_section[0];
  const struct agglom_dim usual[N_DIMS] = {{1, 2, 1, 256}, {1, 2, 1, 64}, {1, 2, 1, sizeof(double)}};
  struct agglom_dim dims[N_DIMS];
  struct agglom_shape shape = {.base = a, .dims = dims, .n_dims = N_DIMS, .block = sizeof(double)};
  const struct agglom_range r = {&shape, 0, 0};
  struct ag_pieces room;
  struct ag_access access;
  for (unsigned d = 0; d < N_DIMS; ++d) {
    unsigned other = (d + 1) % N_DIMS;
    memcpy(dims, usual, sizeof dims);
    assert_true(ag_section_glance(s, &r, &room, &access));
    assert_true(access.lo < access.hi);
    dims[d].len = 0;
    assert_true(ag_section_glance(s, &r, &room, &access));
    assert_true(access.lo == access.hi && !access.pieces);
    assert_true(ag_section_is_right(s, &r));
    dims[d].lo = -5; /* the neighbour of a tile at the border has no place */
    shape.base = NULL;
    assert_true(ag_section_glance(s, &r, &room, &access));
    assert_true(ag_section_is_right(s, &r));
    shape.base = a;
    for (int wrong = 0; wrong < 4; ++wrong) {
      struct agglom_dim *where = &dims[wrong % 2 ? other : d], was = *where;
      *(wrong < 2 ? &where->len : &where->step) = wrong < 2 ? -1 : 0;
      assert_false(ag_section_glance(s, &r, &room, &access));
      assert_false(ag_section_is_right(s, &r));
      *where = was;
    }
  }
}

/* Runs of elements behind a pointer in memory, likewise. */
static void runs_behind_pointers(void **state) {
  (void)state;
  void *holder = a;
  for (int wrong = 0; wrong < 2; ++wrong) {
    const struct agglom_shape shape = {.base = a, .block = sizeof(double), .holder = &holder};
    const struct agglom_range range = {&shape, 0, wrong ? -1 : 3};
    assert_int_equal(ag_unit_is_plain(&shaped_task, &range), !wrong);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_plain_is_right),        cmocka_unit_test(empty_ones_at_a_glance),
      cmocka_unit_test(runs_behind_pointers),          cmocka_unit_test(pieces),
      cmocka_unit_test(only_common_elements_conflict), cmocka_unit_test(only_named_bytes_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
