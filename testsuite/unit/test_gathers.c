/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Gathers in one graph with boxes and plain sections, against a look at each byte. And what they take: an
 * element is looked at a few times, however many gathers there are. */
#include "bytes_model.h"
#include "graph/elements.h"
#include "graph/gathers.h"

enum { INDEXES = 48 };

static int indexes[SECTIONS][INDEXES];

/* Elements at these indexes, `count` of them. */
static void gather(struct call *c, int s, char *base, size_t element, const int *index, size_t count) {
  c->shape[s] = (struct agglom_shape){
      .base = base, .index_bytes = -(int)sizeof *index, .block = element, .indexes = index};
  c->range[s] = (struct agglom_range){&c->shape[s], 0, (long long)count};
}

/* Some elements, mostly of one size, of a part of the middle; odd ones where `odd`. */
static void random_gather(uint64_t *random, struct call *c, int s, bool odd) {
  static const size_t sizes[] = {4, 4, 4, 8, 1, 12};
  size_t element = odd ? sizes[next_random(random) % (sizeof sizes / sizeof *sizes)] : 4;
  size_t shift = odd && next_random(random) % 4 == 0 ? next_random(random) % element : 0;
  size_t all = (BYTES - shift) / element, span = 1 + next_random(random) % all;
  if (next_random(random) % 3 == 0) /* of a small part */
    span = 1 + span % 64;
  size_t first = next_random(random) % (all - span + 1), count = 1 + next_random(random) % INDEXES;
  for (size_t i = 0; i < count; ++i)
    indexes[s][i] = (int)(first + next_random(random) % span);
  gather(c, s, middle + shift, element, indexes[s], count);
}

/* --- Users ------------------------------------------------------------------------------------------ */

/* Units that were named, or that those have to follow. */
struct named {
  bool named[UNITS], covered[UNITS];
};

static int name(struct ag_unit *unit, void *context) {
  struct named *to = context;
  if (ag_is_joint(unit))
    follow_up(unit, to->covered);
  for (unsigned i = 0; i < n; ++i)
    if (known[i].unit == unit) {
      to->named[i] = to->covered[i] = true;
      follow_up(unit, to->covered);
    }
  return 0;
}

/* Those that use some bytes are named, or followed by such; no others are named. */
static void check_users(uint64_t *random, bool exactly) {
  size_t from = next_random(random) % BYTES, to = from + 1 + next_random(random) % (BYTES - from);
  bool writers = next_random(random) % 2;
  struct named who = {{false}, {false}};
  to = next_random(random) % 2 && to > from + 8 ? from + 8 : to;
  assert_int_equal(
      ag_graph_users(&graph, (uintptr_t)middle + from, (uintptr_t)middle + to, writers, name, &who), 0);
  for (unsigned i = 0; i < n; ++i) {
    bool uses = false;
    for (size_t b = from; b < to && !uses; ++b)
      uses = ((const char *)known[i].writes)[b] || ((const char *)known[i].adds)[b] ||
             (!writers && ((const char *)known[i].reads)[b]);
    assert_true(who.covered[i] || !uses);
    if (exactly)
      assert_true(uses || !who.named[i]);
  }
}

/* --- Random ----------------------------------------------------------------------------------------- */

/* What units of a phase are like: which of eight have these sections. */
struct mix {
  unsigned reads, writes, boxes, plain, adds;
  bool odd;
};

static void random_unit(uint64_t *random, const struct mix *mix, struct call *c) {
  nothing(c);
  if (mix->adds > next_random(random) % 8) {
    if (mix->adds > 6 || next_random(random) % 2)
      random_gather(random, c, ADD, mix->odd);
    else
      random_box(random, c, ADD);
    return;
  }
  if (mix->reads > next_random(random) % 8)
    random_gather(random, c, 0, mix->odd);
  else if (mix->boxes > next_random(random) % 8)
    random_box(random, c, 0);
  if (mix->writes > next_random(random) % 8)
    random_gather(random, c, 1, mix->odd);
  else if (mix->boxes > next_random(random) % 8)
    random_box(random, c, 1);
  for (int s = 2; s < 4; ++s)
    if (mix->plain > next_random(random) % 8) {
      size_t most = next_random(random) % 4 ? 40 : BYTES;
      size_t from = next_random(random) % 8 ? next_random(random) % BYTES : 0,
             length = next_random(random) % 8 ? next_random(random) % most : BYTES;
      c->range[s] = (struct agglom_range){middle, (long long)from,
                                          (long long)(length > BYTES - from ? BYTES - from : length)};
    }
}

static void random_gathers(void **state) {
  static const struct mix mixes[] = {
      {6, 2, 0, 0, 0, false}, {6, 1, 0, 1, 0, false}, {4, 3, 0, 3, 0, true},  {4, 2, 2, 1, 0, false},
      {4, 2, 1, 1, 0, true},  {4, 2, 0, 1, 2, true},  {8, 0, 0, 1, 1, false}, {3, 2, 2, 2, 1, true},
      {4, 2, 1, 1, 7, false}, {0, 0, 0, 1, 7, true},  {4, 3, 2, 4, 7, true},
  };
  uint64_t random = from_environment("SEED", 29);
  (void)state;
  begin();
  for (unsigned long i = 0, units = repeats(2750); i < units; ++i) {
    const struct mix *mix = &mixes[i / 250 % (sizeof mixes / sizeof *mixes)];
    struct call c;
    random_unit(&random, mix, &c);
    known[n].unit = submit(&c);
    mark(&known[n++]);
    look(mix->adds);
    if (i % 4 == 0)
      check_users(&random, !mix->adds);
    bool all = i % 250 == 249 && i % 1000 != 249; /* phases meet, at times */
    complete_some(&random, 40, all || i % 1000 == 999);
    if (i % 500 == 499 && !n)
      ag_graph_clear(&graph, &store);
  }
  complete_some(&random, 1, true);
  assert_int_equal(n, 0);
  end();
}

/* --- What it takes ---------------------------------------------------------------------------------- */

enum { MANY = 4000, EACH = 40, SPACE = 1 << 16 };

/* MANY units, each of EACH elements of memory that nobody touches; of `writes` one writes; after `plain` of
 * them comes a unit that writes one element. The numbers of steps and of edges that it took. */
static void count(unsigned writes, unsigned plain, bool complete_at_once, uint64_t *steps, size_t *edges) {
  static struct ag_unit *units[2 * MANY];
  static char *const array = (char *)(uintptr_t)0x10000000;
  uint64_t random = 5;
  unsigned made = 0;
  *steps = *edges = 0;
  begin();
  for (unsigned i = 0; i < MANY; ++i) {
    struct call c;
    int index[EACH];
    nothing(&c);
    for (int k = 0; k < EACH; ++k)
      index[k] = (int)(next_random(&random) % SPACE);
    index[0] = 0; /* all hulls are the same */
    index[1] = SPACE - 1;
    if (writes)
      index[0] = (int)(i % 64), index[1] = SPACE - 1 - (int)(i % 64);
    gather(&c, writes && i % writes == 0, array, 4, index, EACH);
    units[made++] = submit(&c);
    if (plain && i % plain == 0) {
      nothing(&c);
      c.range[3] = (struct agglom_range){array, 4 * (long long)(next_random(&random) % SPACE), 4};
      units[made++] = submit(&c);
    }
    for (unsigned k = 0; complete_at_once && k < made; ++k)
      complete(units[k]);
    made = complete_at_once ? 0 : made;
  }
  *steps = ag_gathers_steps(&graph);
  *edges = store.edges.live;
  for (unsigned i = 0; i < made; ++i)
    complete(units[i]);
  end();
}

static void elements_are_looked_at_a_few_times(void **state) {
  enum { FEW_TIMES = 8 };
  uint64_t steps;
  size_t edges;
  (void)state;
  count(0, 0, false, &steps, &edges); /* nobody writes: nobody looks */
  assert_int_equal(steps, 0);
  assert_int_equal(edges, 0);
  count(1, 0, false, &steps, &edges);
  assert_in_range(steps, MANY, FEW_TIMES * MANY * EACH);
  assert_in_range(edges, MANY, MANY * EACH);
  count(2, 0, false, &steps, &edges);
  assert_in_range(steps, MANY, FEW_TIMES * MANY * EACH);
  count(0, 1, false, &steps, &edges);
  assert_in_range(steps, MANY, FEW_TIMES * MANY * EACH);
  count(16, 2, false, &steps, &edges);
  assert_in_range(steps, MANY, FEW_TIMES * MANY * EACH);
  count(2, 1, true, &steps, &edges);
  assert_in_range(steps, MANY, FEW_TIMES * MANY * EACH);
  assert_int_equal(edges, 0);
}

/* A unit that uses all that gathers take from names each of them once, not each element. */
static void whole_fields(void **state) {
  enum { UNITS_HERE = 200 };
  struct ag_unit *units[3 * UNITS_HERE];
  uint64_t random = 3;
  (void)state;
  begin();
  for (unsigned i = 0; i < UNITS_HERE; ++i) {
    struct call c;
    nothing(&c);
    random_gather(&random, &c, i % 2, false);
    units[3 * i] = submit(&c);
    uint64_t before = ag_gathers_steps(&graph);
    nothing(&c);
    c.range[2] = (struct agglom_range){middle, 0, BYTES};
    units[3 * i + 1] = submit(&c);
    nothing(&c);
    c.range[3] = (struct agglom_range){middle, 0, BYTES};
    units[3 * i + 2] = submit(&c);
    assert_in_range(ag_gathers_steps(&graph) - before, 0, 4); /* those before it have been forgotten */
  }
  for (unsigned i = 0; i < 3 * UNITS_HERE; ++i)
    complete(units[i]);
  end();
}

static unsigned predecessors(const struct ag_unit *u) {
  unsigned preds = 0;
  for (const struct ag_edge *e = u->preds; e; e = e->next_pred)
    ++preds;
  return preds;
}

/* Who writes what was gathered follows those that did, and the next one only it. */
static void who_writes_is_the_last(void **state) {
  enum { GATHERS = 50 };
  static const int index[] = {0, 2, 500};
  struct ag_unit *units[GATHERS + 4];
  unsigned made = 0;
  struct call c;
  (void)state;
  begin();
  for (; made < GATHERS; ++made) {
    nothing(&c);
    gather(&c, 0, middle, 4, index, 3);
    units[made] = submit(&c);
  }
  for (int i = 0; i < 2; ++i) {
    nothing(&c);
    c.range[3] = (struct agglom_range){middle, 0, 8};
    units[made++] = submit(&c);
    assert_int_equal(predecessors(units[made - 1]), i ? 1 : GATHERS);
  }
  for (int i = 0; i < 2; ++i) {
    nothing(&c);
    gather(&c, 1, middle, 4, index + 1, 2);
    units[made++] = submit(&c);
    assert_int_equal(predecessors(units[made - 1]), i ? 1 : GATHERS);
  }
  for (unsigned i = 0; i < made; ++i)
    complete(units[i]);
  end();
}

/* Fields that become one keep what was recorded of each. */
static void fields_become_one(void **state) {
  static const int index[4][2] = {{0, 2}, {10, 12}, {1, 11}, {10, 12}};
  struct call c;
  (void)state;
  begin();
  for (int i = 0; i < 4; ++i) { /* the second one writes */
    nothing(&c);
    gather(&c, i == 1, middle, 4, index[i], 2);
    known[n].unit = submit(&c);
    mark(&known[n++]);
    look(false);
  }
  assert_int_equal(store.fields.live, 1);
  complete_some(NULL, 1, true);
  end();
}

/* Elements of another size, of memory that somebody wrote as a whole since, are not taken for those that are
 * there now. */
static void sizes_change(void **state) {
  static const int first[] = {0, 10}, far[] = {900, 910}, wide[] = {4, 6};
  struct named who = {{false}, {false}};
  struct call c;
  (void)state;
  begin();
  for (int i = 0; i < 6; ++i) {
    nothing(&c);
    if (i == 0)
      gather(&c, 0, middle, 4, first, 2);
    else if (i == 1) /* the table is not emptied */
      gather(&c, 1, middle, 4, far, 2);
    else if (i == 2) /* what the first one reads is recorded */
      c.range[3] = (struct agglom_range){middle, 20, 1};
    else if (i == 3)
      c.range[3] = (struct agglom_range){middle, 0, 44};
    else
      gather(&c, i == 4, middle, 8, wide, 2);
    known[n].unit = submit(&c);
    mark(&known[n++]);
    look(false);
  }
  assert_int_equal(ag_graph_users(&graph, (uintptr_t)middle + 45, (uintptr_t)middle + 46, false, name, &who),
                   0);
  for (unsigned i = 0; i < n; ++i)
    assert_false(who.named[i]);
  complete_some(NULL, 1, true);
  end();
}

/* Units that accumulate are put aside; one joint stands between them and others, whatever their number. */
static void sums_are_put_aside(void **state) {
  enum { OTHERS = 20, ROUNDS = 3 };
  static int index[MANY][2];
  static struct ag_unit *units[MANY];
  struct ag_unit *last = NULL;
  struct call c;
  (void)state;
  begin();
  for (int round = 0; round < ROUNDS; ++round) {
    struct ag_unit *others[OTHERS];
    for (int i = 0; i < MANY; ++i) {
      nothing(&c);
      index[i][0] = i % 500;
      index[i][1] = 500 + i * 7 % 500;
      gather(&c, ADD, middle, 4, index[i], 2);
      units[i] = submit(&c);
      assert_true(!units[i]->preds == !round);
      assert_true(!round || (ag_is_joint(units[i]->preds->pred) && !units[i]->preds->next_pred));
    }
    assert_in_range(store.segments.live, 0, 3 * OTHERS);
    for (int i = 0; i < OTHERS; ++i) {
      nothing(&c);
      c.range[2] = (struct agglom_range){middle, i, 4};
      others[i] = submit(&c);
      assert_true(others[i]->preds && ag_is_joint(others[i]->preds->pred) && !others[i]->preds->next_pred);
    }
    assert_in_range(store.edges.live, MANY + OTHERS, 2 * (MANY + OTHERS) + MANY / 10);
    if (last)
      complete(last);
    for (int i = 0; i < MANY; ++i)
      complete(units[i]);
    for (int i = 1; i < OTHERS; ++i)
      complete(others[i]);
    last = others[0]; /* the next ones begin behind it */
  }
  complete(last);
  end();
}

/* Units that accumulate and others by turns, each in elements of its own: none waits. */
static void sums_by_turns(void **state) {
  enum { TURNS = 100 };
  static int index[TURNS][3];
  struct ag_unit *units[TURNS];
  struct call c;
  (void)state;
  begin();
  for (int i = 0; i < TURNS; ++i) {
    for (int k = 0; k < 3; ++k)
      index[i][k] = i + k * 3 * TURNS;
    nothing(&c);
    gather(&c, i % 2 ? ADD : i % 4 / 2, middle, 4, index[i], 3);
    units[i] = submit(&c);
    assert_null(units[i]->preds);
  }
  for (int i = 0; i < TURNS; ++i)
    complete(units[i]);
  end();
}

/* Of gathers that accumulate in the same elements, only those with one operation do not wait for each other.
 */
static void two_operations(void **state) {
  static const int index[3] = {0, 300, 600};
  struct agglom_section with_other[SECTIONS];
  struct ag_unit *units[3];
  struct call c;
  (void)state;
  memcpy(with_other, sections, sizeof with_other);
  with_other[ADD].mode = AGGLOM_ACCUMULATE | AGGLOM_SHAPED | 2 << AGGLOM_OPERATION_SHIFT;
  begin();
  for (int i = 0; i < 3; ++i) {
    nothing(&c);
    gather(&c, ADD, middle, 4, index, 3);
    task.sections = i < 2 ? sections : with_other;
    units[i] = submit(&c);
    assert_int_equal(units[i]->preds != NULL, i == 2);
  }
  task.sections = sections;
  complete(units[0]);
  assert_non_null(units[2]->preds);
  complete(units[1]);
  assert_null(units[2]->preds);
  complete(units[2]);
  end();
}

/* A unit that reads a part of a segment and accumulates in another part, where others gather: the joint that
 * it follows does not follow it. */
static void none_waits_for_itself(void **state) {
  static const int read[2] = {125, 300}, added[2] = {125, 200};
  struct ag_unit *units[3];
  struct call c;
  (void)state;
  begin();
  for (int i = 0; i < 3; ++i) {
    nothing(&c);
    if (i != 1)
      c.range[2] = (struct agglom_range){middle, 0, i ? 100 : BYTES};
    if (i)
      gather(&c, i == 1 ? 0 : ADD, middle, 4, i == 1 ? read : added, 2);
    units[i] = submit(&c);
  }
  assert_non_null(units[2]->preds);
  for (int i = 0; i < 3; ++i)
    complete(units[i]);
  end();
}

static int not_alive(struct ag_unit_ref unit, void *context) {
  (void)context;
  assert_false(ag_ref_alive(unit));
  return 0;
}

/* The table forgets complete units, also where all write the same element. */
static void one_element(void **state) {
  enum { TIMES = 100000 };
  struct ag_elements e = {0};
  struct ag_unit unit = {.seq = 0};
  struct ag_interval piece = {4096, 4104, 0, 0};
  struct ag_element_set set = {&piece, 8, 1};
  (void)state;
  for (uint64_t i = 1; i <= TIMES; ++i) {
    unit.seq = i;
    assert_int_equal(ag_elements_reserve(&e, 1), 0);
    assert_int_equal(ag_elements_write(&e, &set, (struct ag_unit_ref){&unit, i}, 4096, 4104, not_alive, NULL),
                     0);
    assert_in_range(e.n_units, 1, 5000);
    assert_int_equal(e.used, 1);
  }
  ag_elements_free(&e);
}

/* Elements that lie side by side are found at once. */
static void elements_are_spread(void **state) {
  enum { ELEMENTS = 1 << 16 };
  (void)state;
  for (size_t size = 1; size <= 64; size *= 2) {
    struct ag_elements e = {0};
    struct ag_unit unit = {.seq = 1};
    struct ag_interval piece = {1 << 20, (1 << 20) + size * ELEMENTS, 0, 0};
    struct ag_element_set set = {&piece, size, ELEMENTS};
    assert_int_equal(ag_elements_reserve(&e, ELEMENTS), 0);
    ag_elements_read(&e, &set, (struct ag_unit_ref){&unit, 1}, piece.lo, piece.hi);
    assert_in_range(e.steps, ELEMENTS, ELEMENTS + ELEMENTS / 4);
    ag_elements_free(&e);
  }
}

/* Units come and go, and one stays: what is remembered is of those that are not complete. */
static void memory_is_bounded(void **state) {
  static char *const array = (char *)(uintptr_t)0x10000000;
  uint64_t random = 7;
  (void)state;
  begin();
  struct call c;
  nothing(&c);
  c.range[3] = (struct agglom_range){middle, 0, 4};
  struct ag_unit *stays = submit(&c);
  for (int i = 0; i < 20000; ++i) {
    int index[2] = {(int)(next_random(&random) % (1u << 30)), 5 + (int)(next_random(&random) % (1u << 30))};
    nothing(&c);
    gather(&c, i % 5 == 0, array + (i % 3 ? 0 : (ptrdiff_t)i << 34), 4, index, 2);
    complete(submit(&c));
    assert_in_range(store.fields.live, 0, 1000);
    assert_in_range(store.aside.live, 0, 1000);
  }
  complete(stays);
  end();
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(random_gathers),      cmocka_unit_test(elements_are_looked_at_a_few_times),
      cmocka_unit_test(whole_fields),        cmocka_unit_test(who_writes_is_the_last),
      cmocka_unit_test(sizes_change),        cmocka_unit_test(fields_become_one),
      cmocka_unit_test(elements_are_spread), cmocka_unit_test(one_element),
      cmocka_unit_test(memory_is_bounded),   cmocka_unit_test(sums_are_put_aside),
      cmocka_unit_test(sums_by_turns),       cmocka_unit_test(none_waits_for_itself),
      cmocka_unit_test(two_operations)};
  return cmocka_run_group_tests(cases, NULL, NULL);
}
