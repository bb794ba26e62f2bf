/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/coverage.h"

#include <errno.h>

/* A stretch that so many intervals cover. Two that touch have different numbers. */
struct stretch {
  struct ag_node node;
  size_t times;
};

static struct stretch *of(struct ag_node *node) { return (struct stretch *)(void *)node; }

void ag_coverage_init(struct ag_coverage *c) {
  c->tree = (struct ag_tree){NULL, 0, 0};
  ag_pool_init(&c->pool, sizeof(struct stretch), 0);
}

void ag_coverage_destroy(struct ag_coverage *c) {
  ag_tree_empty(&c->tree, &c->pool);
  ag_pool_destroy(&c->pool);
}

static int insert(struct ag_coverage *c, uintptr_t lo, uintptr_t hi, size_t times) {
  struct stretch *s = ag_pool_take(&c->pool);
  if (!s)
    return -ENOMEM;
  s->node.lo = lo;
  s->node.hi = hi;
  s->times = times;
  ag_tree_add(&c->tree, &s->node);
  return 0;
}

static void drop(struct ag_coverage *c, struct ag_node *node) {
  ag_tree_remove(&c->tree, node);
  ag_pool_give(&c->pool, of(node));
}

/* Makes a stretch that reaches over `at` two. */
static int cut(struct ag_coverage *c, uintptr_t at) {
  struct ag_node *node = ag_tree_behind(&c->tree, at);
  if (!node || node->lo >= at)
    return 0;
  uintptr_t hi = node->hi;
  node->hi = at;
  int err = insert(c, at, hi, of(node)->times);
  if (err)
    node->hi = hi;
  return err;
}

/* Makes the stretches on both sides of `at` one, if they are alike. */
static void join(struct ag_coverage *c, uintptr_t at) {
  struct ag_node *after = ag_tree_behind(&c->tree, at), *before = ag_tree_before(&c->tree, at);
  if (!after || !before || after->lo != at || before->hi != at || of(after)->times != of(before)->times)
    return;
  uintptr_t hi = after->hi;
  drop(c, after);
  before->hi = hi;
}

/* Counts the covered stretches of lo .. hi-1, at whose ends none is cut, once less. */
static void count_down(struct ag_coverage *c, uintptr_t lo, uintptr_t hi) {
  for (struct ag_node *node = ag_tree_behind(&c->tree, lo), *next; node && node->lo < hi; node = next) {
    next = ag_tree_next(node);
    if (!--of(node)->times)
      drop(c, node);
  }
  join(c, lo);
  join(c, hi);
}

int ag_coverage_add(struct ag_coverage *c, uintptr_t lo, uintptr_t hi) {
  if (lo >= hi)
    return 0;
  int err = cut(c, lo);
  if (!err)
    err = cut(c, hi);
  uintptr_t at = lo;
  for (struct ag_node *node = ag_tree_behind(&c->tree, lo); at < hi && !err;) {
    if (node && node->lo == at) {
      ++of(node)->times;
      at = node->hi;
      node = ag_tree_next(node);
      continue;
    }
    uintptr_t end = node && node->lo < hi ? node->lo : hi;
    err = insert(c, at, end, 1);
    at = err ? at : end;
  }
  if (err) {
    count_down(c, lo, at);
    join(c, hi);
    return err;
  }
  join(c, lo);
  join(c, hi);
  return 0;
}

void ag_coverage_remove(struct ag_coverage *c, uintptr_t lo, uintptr_t hi) {
  if (lo >= hi)
    return;
  for (int end = 0; end < 2; ++end)
    if (cut(c, end ? hi : lo)) /* then rather none of it than too much */
      drop(c, ag_tree_behind(&c->tree, end ? hi : lo));
  count_down(c, lo, hi);
}

bool ag_coverage_at(const struct ag_coverage *c, uintptr_t lo, uintptr_t hi, uintptr_t *end) {
  struct ag_node *node = ag_tree_behind(&c->tree, lo);
  if (!node || node->lo > lo) {
    *end = node && node->lo < hi ? node->lo : hi;
    return false;
  }
  *end = node->hi;
  while (*end < hi && (node = ag_tree_next(node)) && node->lo == *end)
    *end = node->hi;
  *end = *end < hi ? *end : hi;
  return true;
}
