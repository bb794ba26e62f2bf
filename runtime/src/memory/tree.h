/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A treap of disjoint intervals lo .. hi-1 (Seidel, Aragon 1996). Nodes are the first member of what they are
 * of, which belongs to the caller. Not thread-safe. */
#ifndef AG_TREE_H
#define AG_TREE_H

#include "memory/pool.h"
#include <stddef.h>
#include <stdint.h>

struct ag_node {
  struct ag_node *left, *right, *parent;
  uint64_t heap; /* parents have the larger value */
  uintptr_t lo, hi;
};

/* Empty when zero. */
struct ag_tree {
  struct ag_node *root;
  size_t count;
  uint64_t random;
};

/* The first node that ends behind the address, or NULL. */
static inline struct ag_node *ag_tree_behind(const struct ag_tree *tree, uintptr_t address) {
  struct ag_node *found = NULL;
  for (struct ag_node *n = tree->root; n;) {
    if (n->hi > address) {
      found = n;
      n = n->left;
    } else {
      n = n->right;
    }
  }
  return found;
}

/* The node behind this one, or NULL. */
static inline struct ag_node *ag_tree_next(struct ag_node *n) {
  if (n->right) {
    for (n = n->right; n->left;)
      n = n->left;
    return n;
  }
  while (n->parent && n->parent->right == n)
    n = n->parent;
  return n->parent;
}

/* The last node that begins before the address, or NULL. */
struct ag_node *ag_tree_before(const struct ag_tree *tree, uintptr_t address);

/* Adds a node, whose lo and hi are set, in its place; none may overlap it. */
void ag_tree_add(struct ag_tree *tree, struct ag_node *node);

void ag_tree_remove(struct ag_tree *tree, struct ag_node *node);

/* Gives all nodes back to the pool that they are from. */
void ag_tree_empty(struct ag_tree *tree, struct ag_pool *pool);

#endif /* AG_TREE_H */
