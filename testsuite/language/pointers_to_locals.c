// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers to local objects: to pointers, tables of them, to rows of local arrays, swapped, passed down, chosen at run time,
// linked into lists and trees inside the unit.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 11, N = 12, OUT = 12 };
struct node {
  int key;
  struct node *left, *right;
};
struct list {
  struct list *next;
  int v;
};

static void swap(int **a, int **b) {
  int *t = *a;
  *a = *b;
  *b = t;
}
static void set(int ***p, int v) { ***p = v; }
static struct node *insert(struct node *root, struct node *fresh) {
  struct node **at = &root;
  while (*at)
    at = fresh->key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = fresh;
  return root;
}
static int in_order(const struct node *root, int *out) {
  const struct node *stack[N], *at = root;
  int depth = 0, n = 0;
  while (at || depth) {
    for (; at; at = at->left)
      stack[depth++] = at;
    at = stack[--depth];
    out[n++] = at->key;
    at = at->right;
  }
  return n;
}
static struct list *reverse(struct list *l) {
  struct list *done = 0;
  while (l) {
    struct list *next = l->next;
    l->next = done, done = l, l = next;
  }
  return done;
}

#pragma agglom task in(x[0:N]) out(o[0:OUT], sorted[0:N])
static void locals(int k, const int *x, int *o, int *sorted) {
  int a = k, b = k * 2, c = 3, *pa = &a, *pb = &b, *table[3] = {&a, &b, &c}, **pp = &pa, ***ppp = &pp, n = 0;
  swap(&pa, &pb), swap(&table[0], table + 2);
  o[n++] = *pa * 100 + *pb, o[n++] = *table[0] * 100 + *table[2];
  set(ppp, 77), o[n++] = b, pp = &pb, set(&pp, 5), o[n++] = a;
  *table[k % 3] += 1000, o[n++] = a + 2 * b + 3 * c;
  int grid[4][N], (*row)[N] = grid, *flat = grid[0];
  for (; row < grid + 4; ++row)
    for (int *p = *row; p < *row + N; p++)
      *p = (int)(row - grid) * 100 + (int)(p - *row);
  row = &grid[k % 4], o[n++] = (*row)[3] + row[0][5], o[n++] = flat[2 * N + 1];
  int *rows[4] = {grid[3], grid[1], grid[0], grid[2]};
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 4; j++)
      if (*rows[j] < *rows[i])
        swap(rows + i, rows + j);
  o[n++] = rows[0][1] + rows[3][2], o[n++] = (int)((rows[2] - rows[0]) / N);
  struct node nodes[N], *root = 0;
  for (int i = 0; i < N; i++) {
    nodes[i] = (struct node){.key = x[i]};
    root = insert(root, &nodes[i]);
  }
  o[n++] = in_order(root, sorted);
  struct list cells[5], *head = 0;
  for (int i = 0; i < 5; i++)
    cells[i].next = head, cells[i].v = i + k, head = cells + i;
  int digits = 0;
  for (struct list *l = reverse(head); l; l = l->next)
    digits = digits * 10 + l->v % 10;
  o[n++] = digits;
  const int *const volatile_free = k & 1 ? &a : &c, *const *hold = &volatile_free;
  o[n] = **hold;
}

int main(void) {
  static int x[UNITS][N], o[UNITS][OUT], sorted[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (i * 7 + u * 5) % 13;
  for (int u = 0; u < UNITS; u++)
    locals(u, x[u], o[u], sorted[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < OUT; k++)
      printf("%d ", o[u][k]);
    for (int i = 0; i < N; i++)
      printf("%d%c", sorted[u][i], i == N - 1 ? '\n' : ' ');
  }
  return 0;
}
