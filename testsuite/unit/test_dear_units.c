/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What units cost decides in which order they wait, and are begun. */
#include "note_task.h"
#include "policy/launch/order.h"
#include "world.h"

#include <math.h>

static char memory[4096];

static const struct ag_caps roomy = {.bytes = 1 << 20, .units = 1000, .threads = 128, .dear_first = true};

/* A unit that updates a cell, and reads another if that is not -1. */
static void update(struct world *w, int cell, int reads, uint64_t cost) {
  struct agglom_range ranges[SECTIONS] = {[2] = {memory + cell, 0, 1}};
  if (reads >= 0)
    ranges[READ] = (struct agglom_range){memory + reads, 0, 1};
  submit(w, ranges, cost);
}

/* The costs of the units in the order in which a launch with all of them begins them. */
static void begun(struct world *w, struct ag_batch *b, const struct ag_caps *caps, uint64_t *costs) {
  unsigned n = 0;
  assert_int_equal(ag_agglomerate(b, &w->queue.lane[0], caps, 1), 0);
  assert_int_equal(b->n_units, w->n);
  ag_batch_lay_out(b, caps);
  for (unsigned c = 0; c < b->n_chains; ++c)
    for (unsigned k = b->start[c]; k < b->end[c] && !b->part[c]; ++k)
      costs[n++] = b->units[k]->cost;
  assert_int_equal(n, w->n);
}

static void ends(struct world *w, struct ag_batch *b) {
  for (unsigned i = 0; i < w->n; ++i)
    complete(w, i);
  world_end(w);
  ag_batch_free(b);
}

static void assert_costs(const uint64_t *costs, const uint64_t *wanted, size_t n) {
  assert_memory_equal(costs, wanted, n * sizeof *costs);
}

/* The dearest units go first, equal ones as they came; units themselves stay where they are, so that data
 * that lie side by side are staged together. */
static void dear_units_are_begun_first(void **state) {
  (void)state;
  static const uint64_t costs[] = {5, 100, 1, 30, 100, 7}, dear[] = {100, 100, 30, 7, 5, 1};
  for (int dear_first = 0; dear_first < 2; ++dear_first) {
    struct world w;
    struct ag_batch b = {0};
    uint64_t seen[6];
    struct ag_caps caps = roomy;
    caps.dear_first = dear_first;
    world_init(&w, AGGLOM_MAP_BLOCK, 0);
    for (int i = 0; i < 6; ++i)
      update(&w, i, -1, costs[i]);
    begun(&w, &b, &caps, seen);
    assert_costs(seen, dear_first ? dear : costs, 6);
    for (unsigned k = 0; k < 6; ++k)
      assert_int_equal(number_of(&w, b.units[k]), k);
    if (dear_first)
      assert_true(b.start[0] == 1 && b.start[1] == 4);
    ends(&w, &b);
  }
}

/* A chain counts as a whole, and keeps its order. */
static void chains_count_as_a_whole(void **state) {
  (void)state;
  static const uint64_t wanted[] = {10, 20, 30, 50, 2};
  struct world w;
  struct ag_batch b = {0};
  uint64_t seen[5];
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  update(&w, 0, -1, 2);
  update(&w, 1, -1, 10);
  update(&w, 2, -1, 50);
  update(&w, 1, -1, 20);
  update(&w, 1, -1, 30);
  begun(&w, &b, &roomy, seen);
  assert_int_equal(b.n_chains, 3);
  assert_costs(seen, wanted, 5);
  ends(&w, &b);
}

/* A unit that waits for another one inside the kernel stands behind it, whatever it costs. */
static void who_waits_is_behind(void **state) {
  (void)state;
  static const uint64_t costs[] = {2, 3, 100, 50};
  struct world w;
  struct ag_batch b = {0};
  uint64_t seen[4];
  world_init(&w, AGGLOM_MAP_BLOCK, 0);
  update(&w, 0, -1, 2);
  update(&w, 1, 0, 3); /* appended to the first one's chain */
  update(&w, 2, 0, 100);
  update(&w, 3, -1, 50);
  begun(&w, &b, &roomy, seen);
  assert_int_equal(b.n_preds, 1);
  assert_costs(seen, costs, 4);
  ends(&w, &b);
}

/* Threads of a warp run together what came together: their loads meet. */
static void threads_keep_their_neighbours(void **state) {
  (void)state;
  static const uint64_t costs[] = {1, 9, 3};
  struct world w;
  struct ag_batch b = {0};
  uint64_t seen[3];
  world_init(&w, AGGLOM_MAP_THREAD, 0);
  for (int i = 0; i < 3; ++i)
    update(&w, i, -1, costs[i]);
  begun(&w, &b, &roomy, seen);
  assert_costs(seen, costs, 3);
  ends(&w, &b);
}

/* The shares of a unit that is split stand in a row, at its place. */
static void shares_stay_together(void **state) {
  (void)state;
  struct world w;
  struct ag_batch b = {0};
  struct ag_caps caps = roomy;
  caps.fill = 4;
  world_init(&w, AGGLOM_MAP_BLOCK, AGGLOM_TASK_SPLITTABLE);
  update(&w, 0, -1, 1000);
  update(&w, 1, -1, 7000);
  ag_agglomerate(&b, &w.queue.lane[0], &caps, 1);
  ag_batch_lay_out(&b, &caps);
  assert_int_equal(b.n_chains, 4);
  for (unsigned c = 0; c < 3; ++c) {
    assert_int_equal(b.start[c], 1);
    assert_int_equal(b.part[c], c);
    assert_int_equal(b.parts[c], 3);
  }
  assert_int_equal(b.start[3], 0);
  ends(&w, &b);
}

/* Classes grow with costs, by a 16th at most, and take any number. */
static void classes_grow(void **state) {
  (void)state;
  unsigned last = 0;
  assert_int_equal(ag_order_class(0), 0);
  assert_int_equal(ag_order_class(NAN), 0);
  assert_int_equal(ag_order_class(INFINITY), AG_ORDER_CLASSES - 1);
  for (int i = 0; i < 4388; ++i) { /* up to 2^63 */
    double cost = pow(1.01, i);
    unsigned c = ag_order_class(cost);
    assert_in_range(c, last, last + 1);
    assert_true(ag_order_class(cost * 1.07) > c);
    last = c;
  }
  assert_int_equal(last, AG_ORDER_CLASSES - 17);
}

/* AGGLOM_BATCH=auto wants it, and policies that are to launch as papers say do not. */
static void policies_choose_the_order(void **state) {
  (void)state;
  for (unsigned dear_first = 0; dear_first < 2; ++dear_first) {
    start_here(dear_first ? "AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_WORKERS=1 AGGLOM_BATCH=auto"
                          : "AGGLOM_DEVICES=emulated AGGLOM_SPLIT=gpu AGGLOM_WORKERS=1 AGGLOM_BATCH=maximal");
    note(&note_task, 0, 5, 3);
    note(&note_task, 5, 6, 4);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(atomic_load(&launches), 1);
    assert_int_equal(sizes[0], 6);
    assert_int_equal(first[0], dear_first ? 5 : 0);
    end_here();
  }
}

static unsigned class_of(const struct ag_unit *u) { return ag_size_class((double)u->cost); }

/* With AGGLOM_SPLIT=auto units stand in a FIFO with the dearest at the front, and those of a class as they
 * came, whatever leaves meanwhile and comes back. */
static void the_dearest_stand_first(void **state) {
  (void)state;
  enum { N = 1000 };
  static struct ag_unit unit[N];
  struct ag_fifo fifo = {0};
  uint64_t back = 0;
  srand(5);
  for (unsigned i = 0; i < N; ++i) {
    unit[i].cost = 1 + (uint64_t)rand() % 1000;
    unit[i].seq = i;
    ag_fifo_insert_dear(&fifo, &unit[i]);
    struct ag_unit *u = fifo.head;
    for (uint64_t skip = (uint64_t)rand() % fifo.count; skip--;)
      u = u->next;
    if (i % 3 == 2) {
      ag_fifo_remove(&fifo, u);
      back += i % 9 == 8;
      if (i % 9 == 8) {
        u->seq = N; /* those that came back are before all others */
        ag_fifo_push_front(&fifo, u);
      }
    }
    for (u = fifo.head; u && u->seq == N; u = u->next)
      ;
    for (; u && u->next; u = u->next) {
      assert_true(u->next->seq < N && class_of(u) >= class_of(u->next));
      assert_true(class_of(u) > class_of(u->next) || u->seq < u->next->seq);
    }
  }
  assert_true(back > 0);
  while (fifo.head)
    ag_fifo_remove(&fifo, fifo.head);
}

/* Not before those that have been overtaken so often, and not before those that it follows. */
static void overtaken_for_a_while(void **state) {
  (void)state;
  static struct ag_unit unit[AG_DEAR_WINDOW + 3];
  struct ag_fifo fifo = {0};
  struct ag_edge edge = {0};
  unsigned n = 0;
  for (; n < AG_DEAR_WINDOW; ++n) {
    unit[n].cost = n ? 100 : 1;
    ag_fifo_insert_dear(&fifo, &unit[n]);
  }
  assert_ptr_equal(fifo.tail, &unit[0]);
  unit[n].cost = 1;
  ag_fifo_insert_dear(&fifo, &unit[n++]);
  unit[n].cost = 100;
  ag_fifo_insert_dear(&fifo, &unit[n++]);
  assert_ptr_equal(unit[0].next, &unit[n - 1]);
  assert_ptr_equal(fifo.tail, &unit[n - 2]);
  unit[n].cost = 1000;
  unit[n].preds = &edge;
  ag_fifo_insert_dear(&fifo, &unit[n]);
  assert_ptr_equal(fifo.tail, &unit[n]);
}

/* Every so many arrivals nothing more goes before those that are there, but never where none is. */
static void windows_follow_one_another(void **state) {
  (void)state;
  static struct ag_unit unit[3];
  struct ag_fifo fifo = {0};
  for (int window = 0; window < 3; ++window) {
    for (int i = 0; i < AG_DEAR_WINDOW - 1; ++i) {
      unit[0].cost = 1000;
      ag_fifo_insert_dear(&fifo, &unit[0]);
      ag_fifo_remove(&fifo, &unit[0]);
    }
    for (int i = 0; i < 3; ++i) {
      unit[i].cost = i ? 100 : 1;
      ag_fifo_insert_dear(&fifo, &unit[i]);
    }
    assert_ptr_equal(fifo.head, &unit[1]);
    assert_ptr_equal(fifo.tail, &unit[0]);
    for (int i = 3; i < AG_DEAR_WINDOW + 1; ++i) { /* units that come and go */
      ag_fifo_remove(&fifo, &unit[2]);
      ag_fifo_insert_dear(&fifo, &unit[2]);
      assert_ptr_equal(fifo.tail, i < AG_DEAR_WINDOW ? &unit[0] : &unit[2]);
    }
    while (fifo.head)
      ag_fifo_remove(&fifo, fifo.head);
  }
}

static void assert_order(const struct ag_fifo *fifo, const struct ag_unit *unit, const char *names) {
  const struct ag_unit *u = fifo->head;
  for (; *names; ++names, u = u->next) {
    assert_non_null(u);
    assert_int_equal('a' + (u - unit), *names);
  }
  assert_null(u);
}

/* Units that went into a batch and come back stand before all others, whatever these cost, also when some of
 * both have left. */
static void who_comes_back_stays_in_front(void **state) {
  (void)state;
  static struct ag_unit unit[7];
  struct ag_unit *a = unit, *b = unit + 1, *c = unit + 2, *d = unit + 3;
  static const uint64_t costs[] = {4, 2, 5, 1000, 5, 1000, 1};
  struct ag_fifo fifo = {0};
  for (int i = 0; i < 7; ++i)
    unit[i].cost = costs[i];
  ag_fifo_insert_dear(&fifo, a);
  ag_fifo_insert_dear(&fifo, b);
  ag_fifo_remove(&fifo, a);
  ag_fifo_remove(&fifo, b);
  ag_fifo_push_front(&fifo, b);
  ag_fifo_push_front(&fifo, a);
  ag_fifo_insert_dear(&fifo, c);
  assert_order(&fifo, unit, "abc");
  ag_fifo_remove(&fifo, b);
  ag_fifo_insert_dear(&fifo, d);
  assert_order(&fifo, unit, "adc");
  ag_fifo_remove(&fifo, c);
  ag_fifo_remove(&fifo, d);
  ag_fifo_insert_dear(&fifo, c);
  ag_fifo_remove(&fifo, c); /* a is of its class, and of no window */
  ag_fifo_insert_dear(&fifo, d);
  ag_fifo_insert_dear(&fifo, unit + 4);
  assert_order(&fifo, unit, "ade");
  ag_fifo_insert_dear(&fifo, unit + 5);
  ag_fifo_insert_dear(&fifo, unit + 6);
  ag_fifo_remove(&fifo, a);
  assert_order(&fifo, unit, "dfeg");
  ag_fifo_insert_dear(&fifo, a);
  assert_order(&fifo, unit, "dfeag");
}

/* How a FIFO is to stand: at[window] .. at[n - 1] have come since it was last said that nothing goes before
 * those that are there. */
struct row {
  struct ag_unit *at[64];
  unsigned n, window;
};

static void put_in(struct row *row, unsigned place, struct ag_unit *u) {
  memmove(row->at + place + 1, row->at + place, (row->n++ - place) * sizeof *row->at);
  row->at[place] = u;
}

static void comes(struct row *row, struct ag_unit *u, bool new_window) {
  unsigned place = row->n;
  if (!row->n || (new_window && !u->preds))
    row->window = row->n;
  while (!u->preds && place > row->window &&
         (row->at[place - 1]->preds || class_of(row->at[place - 1]) < class_of(u)))
    --place;
  put_in(row, place, u);
}

static void goes(struct row *row, unsigned place) {
  row->window -= place < row->window;
  memmove(row->at + place, row->at + place + 1, (--row->n - place) * sizeof *row->at);
}

static void assert_stands(const struct ag_fifo *fifo, const struct row *row) {
  const struct ag_unit *u = fifo->head, *last = NULL;
  for (unsigned i = 0; i < row->n; ++i, last = u, u = u->next) {
    assert_ptr_equal(u, row->at[i]);
    assert_ptr_equal(u->prev, last);
  }
  assert_ptr_equal(u, NULL);
  assert_ptr_equal(fifo->tail, last);
  assert_int_equal(fifo->count, row->n);
}

/* Whatever comes, goes and comes back, of all costs, with windows that end at any time. */
static void each_at_its_place(void **state) {
  (void)state;
  enum { STEPS = 100000, MOST_UNITS = 60 };
  static struct ag_unit unit[MOST_UNITS];
  struct ag_unit *idle[MOST_UNITS];
  struct ag_edge edge = {0};
  struct ag_fifo fifo = {0};
  struct row row = {0};
  unsigned n_idle = 0;
  srand(6);
  for (; n_idle < MOST_UNITS; ++n_idle)
    idle[n_idle] = &unit[n_idle];
  for (int i = 0; i < STEPS; ++i) {
    unsigned most = 4U << i / 1000 % 4;
    if (row.n && (!n_idle || (unsigned)rand() % most < row.n)) {
      unsigned place = rand() % 2 ? (unsigned)rand() % row.n : 0;
      struct ag_unit *u = row.at[place];
      ag_fifo_remove(&fifo, u);
      goes(&row, place);
      if (rand() % 8) {
        idle[n_idle++] = u;
      } else { /* it comes back */
        ag_fifo_push_front(&fifo, u);
        put_in(&row, 0, u);
        ++row.window;
      }
    } else {
      struct ag_unit *u = idle[--n_idle];
      bool new_window = rand() % 16 == 0;
      u->cost = rand() % 4 ? (uint64_t)rand() % 8 : UINT64_MAX >> rand() % 64;
      u->preds = rand() % 4 ? NULL : &edge;
      comes(&row, u, new_window);
      fifo.dear.arrivals = new_window ? AG_DEAR_WINDOW : 0;
      ag_fifo_insert_dear(&fifo, u);
    }
    assert_stands(&fifo, &row);
  }
  while (fifo.head)
    ag_fifo_remove(&fifo, fifo.head);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_dearest_stand_first),
                                     cmocka_unit_test(overtaken_for_a_while),
                                     cmocka_unit_test(windows_follow_one_another),
                                     cmocka_unit_test(who_comes_back_stays_in_front),
                                     cmocka_unit_test(each_at_its_place),
                                     cmocka_unit_test(dear_units_are_begun_first),
                                     cmocka_unit_test(chains_count_as_a_whole),
                                     cmocka_unit_test(who_waits_is_behind),
                                     cmocka_unit_test(threads_keep_their_neighbours),
                                     cmocka_unit_test(shares_stay_together),
                                     cmocka_unit_test(classes_grow),
                                     cmocka_unit_test(policies_choose_the_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
