/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_COALESCE=sort: units that gather stand and run in the order of their addresses, as far as units that
 * wait for each other allow. */
#include "fifo/fifo.h"
#include "graph/graph.h"
#include "rt_tasks.h"

/* --- FIFOs ------------------------------------------------------------------------------------------------
 */

static struct agglom_task_state shaped = {.gather = 0}, plain = {.gather = -1};
static struct agglom_task gathers = {.name = "gathers", .n_sections = 1, .state = &shaped};
static struct agglom_task reads = {.name = "reads", .n_sections = 1, .state = &plain};

enum { UNITS = 3 * AG_SORT_WINDOW };

static struct ag_unit *units[UNITS];

static void make_units(struct agglom_task *task, uint64_t range) {
  uint64_t seed = 11;
  for (int i = 0; i < UNITS; ++i) {
    units[i] = calloc(1, sizeof(struct ag_unit) + sizeof(struct ag_access));
    units[i]->task = task;
    units[i]->seq = (uint64_t)i;
    units[i]->access[0].lo = 64 + next_random(&seed) % range;
  }
}

static void free_units(struct ag_fifo *fifo) {
  ag_fifo_free(fifo);
  for (int i = 0; i < UNITS; ++i)
    free(units[i]);
}

static bool in_order(const struct ag_unit *a, const struct ag_unit *b) {
  return a->access[0].lo != b->access[0].lo ? a->access[0].lo < b->access[0].lo : a->seq < b->seq;
}

static void whole(const struct ag_fifo *fifo, uint64_t count) {
  uint64_t n = 0;
  const struct ag_unit *last = NULL;
  for (const struct ag_unit *u = fifo->head; u; last = u, u = u->next, ++n) {
    assert_ptr_equal(u->prev, last);
    assert_int_equal(u->state, AG_UNIT_QUEUED);
  }
  assert_ptr_equal(fifo->tail, last);
  assert_int_equal(n, count);
  assert_int_equal(fifo->count, count);
}

/* Addresses that occur once or often; units taken from the front, as batches do it, and from anywhere. */
static void sorted_insertion(void **state) {
  (void)state;
  for (unsigned often = 0; often < 2; ++often) {
    struct ag_fifo fifo = {0};
    uint64_t seed = 7, taken = 0;
    make_units(&gathers, often ? 40 : UINT32_MAX);
    for (int i = 0; i < AG_SORT_WINDOW; ++i) {
      ag_fifo_insert(&fifo, units[i]);
      while (fifo.count && next_random(&seed) % 3 == 0) {
        struct ag_unit *u = fifo.head;
        for (uint64_t skip = next_random(&seed) % 2 ? next_random(&seed) % fifo.count : 0; skip; --skip)
          u = u->next;
        ag_fifo_remove(&fifo, u);
        ++taken;
      }
      if (i % 64 == 0)
        whole(&fifo, (uint64_t)i + 1 - taken);
      for (const struct ag_unit *u = fifo.head; i % 64 == 0 && u && u->next; u = u->next)
        assert_true(in_order(u, u->next));
    }
    assert_int_equal(fifo.policy.arrivals, AG_SORT_WINDOW);
    assert_true(taken > AG_SORT_WINDOW / 3 && fifo.count > 100);
    free_units(&fifo);
  }
}

/* However many come later, a unit is overtaken by fewer than a window has. */
static void overtaking_is_bounded(void **state) {
  (void)state;
  struct ag_fifo fifo = {0};
  make_units(&gathers, UINT32_MAX);
  for (int i = 0; i < UNITS; ++i)
    units[i]->access[0].lo = (uintptr_t)(2 * UNITS - i); /* each before all others */
  for (int i = 0; i < UNITS; ++i)
    ag_fifo_insert(&fifo, units[i]);
  whole(&fifo, UNITS);
  uint64_t place = 0;
  for (const struct ag_unit *u = fifo.head; u; u = u->next, ++place)
    assert_true(u->seq < place + AG_SORT_WINDOW);
  free_units(&fifo);
}

/* Who waits for somebody stays behind him; and so does what does not gather, or is not to be sorted. */
static void order_that_matters(void **state) {
  (void)state;
  struct ag_fifo fifo = {0};
  struct ag_edge edge = {0};
  make_units(&gathers, UINT32_MAX);
  for (int i = 0; i < 100; ++i) {
    units[i]->preds = i % 4 == 3 ? &edge : NULL;
    ag_fifo_insert(&fifo, units[i]);
  }
  whole(&fifo, 100);
  uint64_t last = 0;
  const struct ag_unit *before = NULL;
  for (const struct ag_unit *u = fifo.head; u; u = u->next) {
    if (u->preds) { /* these have come in this order, and after all that came before them */
      assert_true(u->seq >= last);
      last = u->seq;
      uint64_t earlier = 0;
      for (const struct ag_unit *v = u->prev; v; v = v->prev)
        earlier += v->seq < u->seq;
      assert_int_equal(earlier, u->seq);
    } else {
      assert_true(!before || in_order(before, u) || u->seq > before->seq);
      before = u;
    }
  }
  free_units(&fifo);
  fifo = (struct ag_fifo){0};
  make_units(&reads, UINT32_MAX);
  for (int i = 0; i < 100; ++i)
    ag_fifo_insert(&fifo, units[i]);
  for (const struct ag_unit *u = fifo.head; u->next; u = u->next)
    assert_true(u->seq + 1 == u->next->seq);
  free_units(&fifo);
}

/* --- In a launch ------------------------------------------------------------------------------------------
 */

/* --- note: void note(const unsigned *p, const int *at, unsigned *out) in(p[at[0:2]], at[0:2])
 * inout(out[0:1]): *out = *out * 3 + p[at[0]] + p[at[1]] */

enum { ELEMENTS = 4096, NOTES = 500 };

struct note_args {
  const unsigned *p;
  const int *at;
  unsigned *out;
};

static atomic_int noted[NOTES]; /* the lower index of each chain's first unit */

static void note(const struct note_args *a) { *a->out = *a->out * 3 + a->p[a->at[0]] + a->p[a->at[1]]; }

static void note_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i)
    note(args[i]);
}

static void note_emulated(const struct agglom_launch *l, unsigned c) {
  const struct note_args *args = l->units;
  const int *at = args[l->start[c]].at;
  if (c < NOTES)
    atomic_store(&noted[c], at[0] < at[1] ? at[0] : at[1]);
  for (unsigned u = l->start[c]; u < l->end[c]; ++u) {
    agglom_emulated_begin(l, u);
    note(&args[u]);
    agglom_emulated_end(l, u);
  }
}

static const struct agglom_section note_sections[] = {
    {"in(p[at[0:2]])", 5, AGGLOM_IN | AGGLOM_SHAPED, sizeof(int), offsetof(struct note_args, p), 0, NULL,
     NULL},
    {"in(at[0:2])", 6, AGGLOM_IN, sizeof(int), offsetof(struct note_args, at), 1, NULL, NULL},
    {"inout(out[0:1])", 7, AGGLOM_INOUT, sizeof(int), offsetof(struct note_args, out), 2, NULL, NULL}};
static struct agglom_task note_task = {.name = "note",
                                       .file = "note.c",
                                       .line = 4,
                                       .map = AGGLOM_MAP_BLOCK,
                                       .args_size = sizeof(struct note_args),
                                       .args_align = _Alignof(struct note_args),
                                       .n_sections = 3,
                                       .sections = note_sections,
                                       .cpu = note_cpu,
                                       .emulated = note_emulated,
                                       .kernel = "note",
                                       .module = &mix_module_header};
static struct agglom_task *const own_tasks[] = {&note_task};
static struct agglom_module own_module = TASK_MODULE("own.c", own_tasks);

/* All units gather from p; several write the same element of out, whose result shows their order. How many
 * neighbours among the first chains of the launch were in order. */
static int sorted_pairs(const char *settings, int outs) {
  static unsigned p[ELEMENTS], out[NOTES], wanted[NOTES];
  static int at[NOTES][2];
  uint64_t seed = 23;
  for (unsigned i = 0; i < ELEMENTS; ++i)
    p[i] = i * 7;
  memset(out, 0, sizeof out);
  memset(wanted, 0, sizeof wanted);
  start_with(settings);
  assert_int_equal(agglom_register(&own_module), 0);
  for (int k = 0; k < NOTES; ++k) {
    for (int i = 0; i < 2; ++i)
      at[k][i] = (int)(next_random(&seed) % ELEMENTS);
    struct note_args a = {p, at[k], out + k % outs};
    struct agglom_shape shape = {.base = p, .index_bytes = -(int)sizeof(int), .block = 4, .indexes = at[k]};
    struct agglom_range ranges[] = {{&shape, 0, 2}, {at[k], 0, 2}, {a.out, 0, 1}};
    assert_int_equal(agglom_submit(&note_task, &a, ranges, 0, 0), 0);
    a.out = wanted + k % outs;
    note(&a);
  }
  assert_int_equal(agglom_wait(), 0);
  assert_memory_equal(out, wanted, sizeof out);
  struct agglom_counters counters;
  agglom_get_counters(&counters);
  assert_int_equal(agglom_shutdown(), 0);
  int sorted = 0;
  for (int c = 1; c < outs && counters.launches == 1; ++c)
    sorted += atomic_load(&noted[c - 1]) <= atomic_load(&noted[c]);
  return sorted;
}

static void launches_are_sorted(void **state) {
  (void)state;
  static const char off[] = "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1",
                    on[] = "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_COALESCE=sort";
  assert_int_equal(sorted_pairs(on, NOTES), NOTES - 1);
  assert_in_range(sorted_pairs(off, NOTES), NOTES / 4, 3 * NOTES / 4);
  /* The first of each chain, the others after it in program order. */
  assert_int_equal(sorted_pairs(on, 50), 49);
  assert_in_range(sorted_pairs(off, 50), 10, 40);
  static const char *const others[] = {
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_COALESCE=sort AGGLOM_BATCH=static:16",
      "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=3 AGGLOM_COALESCE=sort AGGLOM_BATCH=count:9",
      "AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_COALESCE=sort"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    for (int outs = 1; outs <= NOTES; outs = outs * 5 + 1)
      sorted_pairs(others[i], outs);
}

/* --- On a device ------------------------------------------------------------------------------------------
 */

/* Elements that were gathered are used where they are by whoever gathers some of them again, until one of
 * them changes. */
static void gathered_again(void **state) {
  (void)state;
  static unsigned p[ELEMENTS], out[2];
  static int at[NOTES][2];
  static const struct agglom_section resident[] = {
      {"resident(p[0:n])", 5, AGGLOM_INOUT, sizeof(unsigned), 0, 0, NULL, NULL}};
  static const struct agglom_directive data = {"data", "at.c", 1, 0, resident},
                                       update = {"update", "at.c", 1, 0, resident};
  struct agglom_range whole_p = {p, 0, ELEMENTS}, one = {p, 500, 1}, between = {p, 600, 1};
  enum { ALL = 4 * sizeof(unsigned) }; /* two elements of two units */
  for (int i = 0; i < 2; ++i) {
    at[0][i] = 1000 * i + 500;
    at[1][i] = 2000 + 1000 * i;
  }
  start_with("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=single");
  assert_int_equal(agglom_register(&own_module), 0);
  void *block = agglom_data_begin(&data, &whole_p);
  uint64_t reused[6], before = 0;
  for (int round = 0; round < 6; ++round) {
    if (round == 3) /* what nobody has gathered */
      agglom_update_sections(&update, &between);
    if (round == 4) /* of the first unit */
      agglom_update_sections(&update, &one);
    for (int k = 0; k < 2; ++k) {
      struct note_args a = {p, at[k], out + k};
      struct agglom_shape shape = {.base = p, .index_bytes = -(int)sizeof(int), .block = 4, .indexes = at[k]};
      struct agglom_range ranges[] = {{&shape, 0, 2}, {at[k], 0, 2}, {a.out, 0, 1}};
      assert_int_equal(agglom_submit(&note_task, &a, ranges, 0, 0), 0);
    }
    assert_int_equal(agglom_wait(), 0);
    struct agglom_counters counters;
    agglom_get_counters(&counters);
    reused[round] = counters.bytes_reused - before;
    before = counters.bytes_reused;
  }
  agglom_data_end(block);
  assert_int_equal(agglom_shutdown(), 0);
  const uint64_t wanted[] = {0, ALL, ALL, ALL, ALL / 2, ALL};
  for (int round = 0; round < 6; ++round)
    assert_int_equal(reused[round], wanted[round]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sorted_insertion),
                                     cmocka_unit_test(overtaking_is_bounded),
                                     cmocka_unit_test(order_that_matters),
                                     cmocka_unit_test(launches_are_sorted), cmocka_unit_test(gathered_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
