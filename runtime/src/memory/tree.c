/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/tree.h"

static struct ag_node **slot_of(struct ag_tree *tree, struct ag_node *n) {
  if (!n->parent)
    return &tree->root;
  return n->parent->left == n ? &n->parent->left : &n->parent->right;
}

/* Lifts n above its parent. */
static void rotate_up(struct ag_tree *tree, struct ag_node *n) {
  struct ag_node *p = n->parent;
  *slot_of(tree, p) = n;
  n->parent = p->parent;
  struct ag_node **inner = p->left == n ? &n->right : &n->left;
  if (p->left == n)
    p->left = *inner;
  else
    p->right = *inner;
  if (*inner)
    (*inner)->parent = p;
  *inner = p;
  p->parent = n;
}

static uint64_t next_random(struct ag_tree *tree) { /* xorshift64; the seed is any constant */
  uint64_t x = tree->random ? tree->random : 0x9e3779b97f4a7c15u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return tree->random = x;
}

struct ag_node *ag_tree_before(const struct ag_tree *tree, uintptr_t address) {
  struct ag_node *found = NULL;
  for (struct ag_node *n = tree->root; n;) {
    if (n->lo < address) {
      found = n;
      n = n->right;
    } else {
      n = n->left;
    }
  }
  return found;
}

void ag_tree_add(struct ag_tree *tree, struct ag_node *n) {
  n->left = n->right = n->parent = NULL;
  n->heap = next_random(tree);
  struct ag_node **place = &tree->root;
  while (*place) {
    n->parent = *place;
    place = n->lo < (*place)->lo ? &(*place)->left : &(*place)->right;
  }
  *place = n;
  while (n->parent && n->parent->heap < n->heap)
    rotate_up(tree, n);
  ++tree->count;
}

void ag_tree_remove(struct ag_tree *tree, struct ag_node *n) {
  while (n->left && n->right)
    rotate_up(tree, n->left->heap > n->right->heap ? n->left : n->right);
  struct ag_node *child = n->left ? n->left : n->right;
  *slot_of(tree, n) = child;
  if (child)
    child->parent = n->parent;
  --tree->count;
}

void ag_tree_empty(struct ag_tree *tree, struct ag_pool *pool) {
  /* Takes leaves off until the root is gone: no recursion, no balancing. */
  for (struct ag_node *n = tree->root, *parent; n; n = parent) {
    while (n->left || n->right)
      n = n->left ? n->left : n->right;
    parent = n->parent;
    *slot_of(tree, n) = NULL;
    ag_pool_give(pool, n);
  }
  tree->count = 0;
}
