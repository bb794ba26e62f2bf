/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Private copies of what pieces of loops accumulate: where they are worth it the body sees memory of its own,
 * and all of it arrives; where not, it is not called. */
#include "loops/private.h"
#include "rt_tasks.h"
#include "shared/runtime.h"

enum { N = 100, MANY = 1000 };

struct two_args {
  uint32_t *sum;
  uint64_t *all;
  long times;
};
static uintptr_t seen_sum, seen_all;
static void (*inside)(void);

/* What only the copies' owner may call: its updates can be lost. */
static void two_private(const void *const *args, unsigned long n) {
  const struct two_args *a = args[0];
  assert_int_equal(n, 1);
  seen_sum = (uintptr_t)a->sum;
  seen_all = (uintptr_t)a->all;
  if (inside)
    inside();
  for (long i = 0; i < a->times; ++i) {
    a->sum[10 + i % N] += 3;
    a->all[i % 7] |= UINT64_C(1) << i % 64;
  }
}
static void zero(void *to, unsigned long long bytes) { memset(to, 0, bytes); }
static void add(void *into, const void *from, unsigned long long bytes) {
  for (size_t i = 0; i < bytes / sizeof(uint32_t); ++i)
    ((uint32_t *)into)[i] += ((const uint32_t *)from)[i];
}
static void unite(void *into, const void *from, unsigned long long bytes) {
  for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i)
    ((uint64_t *)into)[i] |= ((const uint64_t *)from)[i];
}
static const struct agglom_section two_sections[] = {
    {"accumulate(+: sum[10:100])", 1, AGGLOM_ACCUMULATE | 1 << AGGLOM_OPERATION_SHIFT, sizeof(uint32_t),
     offsetof(struct two_args, sum), 0, zero, add},
    {"accumulate(|: all[0:7])", 1, AGGLOM_ACCUMULATE | 6 << AGGLOM_OPERATION_SHIFT, sizeof(uint64_t),
     offsetof(struct two_args, all), 1, zero, unite}};
static struct agglom_task two_task = {.name = "two",
                                      .args_size = sizeof(struct two_args),
                                      .args_align = _Alignof(struct two_args),
                                      .n_sections = 2,
                                      .sections = two_sections,
                                      .cpu_private = two_private};

static uint32_t sum[N + 20];
static uint64_t all[7];

static bool run(struct ag_worker *w, uint64_t iterations) {
  struct two_args a = {.sum = sum, .all = all, .times = (long)iterations};
  struct ag_access access[2] = {{(uintptr_t)(sum + 10), (uintptr_t)(sum + 10 + N), NULL},
                                {(uintptr_t)all, (uintptr_t)(all + 7), NULL}};
  memset(sum, 1, sizeof sum);
  memset(all, 0, sizeof all);
  all[3] = UINT64_C(1) << 63;
  seen_sum = seen_all = 0;
  return ag_private_run(w, &two_task, &a, access, iterations);
}

static void check(uint64_t iterations) {
  for (unsigned i = 0; i < N + 20; ++i) {
    uint64_t times = i < 10 || i >= 10 + N ? 0 : iterations / N + (i - 10 < iterations % N);
    assert_int_equal(sum[i], 0x01010101 + 3 * times);
  }
  for (uint64_t k = 0; k < 7; ++k) {
    uint64_t bits = k == 3 ? UINT64_C(1) << 63 : 0;
    for (uint64_t i = k; i < iterations; i += 7)
      bits |= UINT64_C(1) << i % 64;
    assert_true(all[k] == bits);
  }
}

static void all_of_it_arrives(void **state) {
  struct ag_worker w = {0};
  (void)state;
  for (uint64_t n = 2 * N; n < 2 * N + 40; ++n) { /* with and without memory of the call before */
    assert_true(run(&w, n));
    check(n);
    assert_true(seen_sum && seen_sum != (uintptr_t)sum && seen_all != (uintptr_t)all);
    assert_true(seen_sum % 64 == (uintptr_t)sum % 64 &&
                seen_all % 64 == (uintptr_t)all % 64); /* as declared */
  }
  free(w.scratch);
}

static void few_iterations_are_not_worth_it(void **state) {
  struct ag_worker w = {0};
  (void)state;
  assert_false(run(&w, 2 * N - 1));
  assert_false(run(&w, 0));
  assert_true(!seen_sum && sum[10] == 0x01010101 && !w.scratch);
}

static void neither_is_much_memory(void **state) {
  struct ag_worker w = {0};
  struct two_args a = {.sum = sum, .all = all};
  struct ag_access access[2] = {{0x1000, 0x1000 + (1 << 28), NULL}, {(uintptr_t)all, (uintptr_t)all, NULL}};
  (void)state;
  assert_false(ag_private_run(&w, &two_task, &a, access, UINT64_C(1) << 40));
  two_task.cpu_private = NULL;
  assert_false(run(&w, MANY));
  two_task.cpu_private = two_private;
}

/* all is one element, an array of numbers. */
static void elements_of_many_numbers_are_much_memory(void **state) {
  struct agglom_section sections[] = {two_sections[0], two_sections[1]};
  struct ag_worker w = {0};
  struct two_args a = {.sum = sum, .all = all};
  struct ag_access access[2] = {{(uintptr_t)(sum + 10), (uintptr_t)(sum + 10), NULL},
                                {(uintptr_t)all, (uintptr_t)(all + 7), NULL}};
  (void)state;
  sections[1].elem_size = sizeof all;
  two_task.sections = sections;
  assert_true(ag_private_run(&w, &two_task, &a, access, 14));
  assert_false(ag_private_run(&w, &two_task, &a, access, 13));
  two_task.sections = two_sections;
  free(w.scratch);
}

static struct ag_worker *nested;
static void again(void) {
  uint32_t before[N + 20];
  uintptr_t outer = seen_sum, outer_all = seen_all;
  inside = NULL;
  memcpy(before, sum, sizeof before);
  assert_true(run(nested, MANY));
  assert_true(seen_sum != outer && seen_all != outer_all);
  memcpy(sum, before, sizeof before);
  memset(all, 0, sizeof all);
  all[3] = UINT64_C(1) << 63;
}

static void a_body_may_come_here_again(void **state) {
  struct ag_worker w = {0};
  (void)state;
  nested = &w;
  assert_true(run(&w, MANY)); /* it leaves memory */
  inside = again;
  assert_true(run(&w, MANY));
  check(MANY);
  free(w.scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_of_it_arrives),
      cmocka_unit_test(few_iterations_are_not_worth_it),
      cmocka_unit_test(neither_is_much_memory),
      cmocka_unit_test(elements_of_many_numbers_are_much_memory),
      cmocka_unit_test(a_body_may_come_here_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
