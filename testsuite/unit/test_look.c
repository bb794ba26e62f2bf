/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether iterations may run at the same time, as far as their sections tell: where what they write moves on
 * evenly, two of them and the whole loop show it. */
#include "loops/hybrid.h"
#include "loops/look.h"
#include "rt_tasks.h"
#include "shared/runtime.h"

enum { N = 50 };

static struct ag_worker *mine;
static uint64_t y[4 * N], x[4 * N];

struct env {
  long step, length; /* of what is written: y[step * i : length] */
  const uint64_t *read;
  long read_step, read_length;
};

/* As chunks are submitted: hulls over from .. to - 1. */
static void submit_walk(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  const struct env *e = env;
  long first = (long)from, last = (long)to - 1;
  long low = e->step < 0 ? last : first, high = e->step < 0 ? first : last;
  struct mix_args a = {.y = y + 2 * N,
                       .ly = e->step * low,
                       .ny = e->step * (high - low) + e->length,
                       .x = e->read,
                       .lx = e->read_step * first,
                       .nx = e->read_step * (last - first) + e->read_length};
  (void)slot;
  assert_int_equal(submit_mix(&mix_task, a), 0);
}

static bool are_apart(struct env e, uint64_t n, bool even) {
  struct ag_for call = {submit_walk, NULL, &e, 0, n, AGGLOM_SCHEDULE_AUTO, 0, 0, even, false, false};
  return ag_iterations_apart(mine, &call, false);
}

static void what_is_written_is_apart(void **state) {
  (void)state;
  for (long step = -2; step <= 2; ++step)
    for (long length = 0; length <= 4; ++length) {
      struct env e = {step, length, x, 1, 1};
      assert_int_equal(are_apart(e, N, true), length <= labs(step) || !length);
      assert_false(are_apart(e, N, false)); /* what is to come may be anything */
      assert_true(are_apart(e, 1, false));
      assert_int_equal(are_apart(e, 2, true), length <= labs(step) || !length);
    }
}

/* What is read may be anywhere but in what is written. */
static void what_is_read_is_elsewhere(void **state) {
  (void)state;
  const uint64_t *const begin = y + 2 * N, *const end = begin + N;
  assert_true(are_apart((struct env){1, 1, end, 0, 5}, N, true));
  assert_true(are_apart((struct env){1, 1, begin - 5, 0, 5}, N, true));
  assert_false(are_apart((struct env){1, 1, begin - 5, 0, 6}, N, true));
  assert_false(are_apart((struct env){1, 1, end - 1, 0, 1}, N, true)); /* the last iteration writes it */
  assert_false(are_apart((struct env){1, 1, begin, 1, 1}, N, true));
}

/* Of what is read unevenly only the ends are looked at. That is not all that is sent to a device. */
static void submit_uneven(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  assert_false(agglom_for_exactly());
  submit_walk(env, from, to, slot);
}

static void what_devices_are_sent_is_elsewhere(void **state) {
  (void)state;
  struct env e = {1, 1, x, 1, 1};
  struct ag_for call = {submit_uneven, NULL, &e, 0, N, AGGLOM_SCHEDULE_AUTO, 0, 0, true, false, false};
  assert_true(ag_iterations_apart(mine, &call, false));
  assert_false(ag_iterations_apart(mine, &call, true));
  call.submit = submit_walk;
  assert_true(ag_iterations_apart(mine, &call, true));
}

static void submit_sum(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  (void)slot;
  const struct env *e = env;
  struct tally_args a = {.y = y, .ly = 0, .ny = e->length, .v = to - from};
  assert_int_equal(submit_tally(a), 0);
}

static void what_accumulates_commutes(void **state) {
  (void)state;
  struct env e = {.length = 3};
  struct ag_for call = {submit_sum, NULL, &e, 0, N, AGGLOM_SCHEDULE_AUTO, 0, 0, true, false, false};
  assert_true(ag_iterations_apart(mine, &call, true));
}

/* out(slot[0:1]), as reductions write it, and inout(y[i:1]). */
static void submit_reduction(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  const struct env *e = env;
  struct mix_args a = {.y = slot, .ny = 1, .x = e->read, .lx = (long)from, .nx = (long)(to - from), .v = 1};
  assert_int_equal(submit_mix(&mix_task, a), 0);
}

static void what_reductions_write_is_apart(void **state) {
  (void)state;
  struct env e = {.read = x};
  struct ag_for call = {
      submit_reduction, NULL, &e, sizeof(uint64_t), N, AGGLOM_SCHEDULE_AUTO, 0, 0, true, false, false};
  assert_true(ag_iterations_apart(mine, &call, true));
  call.slot_size = 4096; /* from the heap */
  assert_true(ag_iterations_apart(mine, &call, true));
}

/* --- Tiles ---------------------------------------------------------------------------------------------- */

struct tile_args {
  uint64_t *y;
};
static void tile_cpu(const void *const *args, unsigned long n) { (void)args, (void)n; }
static const struct agglom_section tile_sections[] = {
    {"inout(y[..][..])", 51, AGGLOM_INOUT | AGGLOM_SHAPED, sizeof(uint64_t), offsetof(struct tile_args, y), 0,
     NULL, NULL},
    {"in(y[..])", 52, AGGLOM_IN, sizeof(uint64_t), offsetof(struct tile_args, y), 0, NULL, NULL}};
static struct agglom_task tile_task = {.name = "tile",
                                       .file = "tile.c",
                                       .line = 50,
                                       .args_size = sizeof(struct tile_args),
                                       .args_align = _Alignof(struct tile_args),
                                       .n_sections = 2,
                                       .sections = tile_sections,
                                       .cpu = tile_cpu,
                                       .module = &mix_module_header};

enum { PER_ROW = 4, SIDE = 2, WIDTH = PER_ROW * SIDE };

struct tiles {
  unsigned long long pitch; /* elements in a row of the matrix */
  const uint64_t *read;
};

/* Tile t of SIDE x SIDE stands in row t / PER_ROW of tiles; chunks name the box around theirs. */
static void submit_tiles(const void *env, unsigned long long from, unsigned long long to, void *slot) {
  const struct tiles *e = env;
  struct tile_args a = {y};
  unsigned long long low = from / PER_ROW, rows = (to - 1) / PER_ROW - low + 1;
  unsigned long long left = rows > 1 ? 0 : from % PER_ROW, right = rows > 1 ? PER_ROW : left + to - from;
  struct agglom_dim dims[] = {{(long long)low * SIDE, (long long)rows * SIDE, 1, e->pitch * sizeof *y},
                              {(long long)left * SIDE, (long long)(right - left) * SIDE, 1, sizeof *y}};
  struct agglom_shape shape = {y, dims, 2, 0, sizeof *y, NULL, NULL};
  struct agglom_range ranges[] = {{&shape, 0, 0}, {e->read, 0, 1}};
  (void)slot;
  assert_int_equal(agglom_submit(&tile_task, &a, ranges, 0, 0), 0);
}

/* Chunks of tiles are in each other's boxes. Where it is known that no two tiles share an element, they are
 * apart nonetheless; but not for a device, which sends back boxes. */
static void tiles_are_apart(void **state) {
  (void)state;
  struct tiles e = {WIDTH, x};
  struct ag_for call = {submit_tiles, NULL, &e,   0, 3 * PER_ROW, AGGLOM_SCHEDULE_AUTO, 0, 0,
                        false,        true, false};
  assert_false(ag_ranges_apart(mine, &call, 0, PER_ROW + 1, 3 * PER_ROW));
  assert_true(ag_iterations_apart(mine, &call, false));
  assert_false(ag_iterations_apart(mine, &call, true));
  call.apart = false;
  assert_false(ag_iterations_apart(mine, &call, false));
  call.apart = true;
  e.read = y + WIDTH; /* what another iteration writes */
  assert_false(ag_iterations_apart(mine, &call, false));
  e = (struct tiles){WIDTH - 1, x}; /* the end of a row of the matrix is the beginning of the next one */
  assert_false(ag_iterations_apart(mine, &call, false));
  e = (struct tiles){WIDTH + 1, y + WIDTH}; /* between two rows of tiles */
  assert_true(ag_iterations_apart(mine, &call, false));
}

static int set_up(void **state) {
  (void)state;
  start_with("AGGLOM_DEVICES=none AGGLOM_WORKERS=2");
  mine = ag_worker_mine(ag_runtime_running());
  return !mine || !ag_worker_domain(mine);
}

static int shut_down(void **state) {
  (void)state;
  return agglom_shutdown();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_apart),           cmocka_unit_test(what_is_read_is_elsewhere),
      cmocka_unit_test(what_devices_are_sent_is_elsewhere), cmocka_unit_test(what_accumulates_commutes),
      cmocka_unit_test(what_reductions_write_is_apart),     cmocka_unit_test(tiles_are_apart),
  };
  return cmocka_run_group_tests(tests, set_up, shut_down);
}
