// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trees and graphs without recursion, by indices in arrays: binary search trees, union-find, breadth first, Dijkstra with a
// heap, topological order, expression trees in post order.
// RUN: %compare %s %t -w
#include <stdio.h>
#include <string.h>

enum { UNITS = 10, N = 24, EDGES = 60, OUT = 30 };
struct tree {
  short key[N], left[N], right[N], used;
};
struct edge {
  unsigned char from, to, weight;
};

static void insert(struct tree *t, short key) {
  short *at = &t->used, root = 0;
  if (t->used) {
    short i = root;
    do {
      at = key < t->key[i] ? &t->left[i] : &t->right[i];
      i = *at;
    } while (i >= 0);
    *at = t->used;
  }
  t->key[t->used] = key, t->left[t->used] = t->right[t->used] = -1;
  t->used++;
}
static int height(const struct tree *t) {
  struct {
    short node, depth;
  } stack[N];
  int top = 0, most = 0;
  stack[top].node = 0, stack[top++].depth = 1;
  while (top) {
    short i = stack[--top].node, d = stack[top].depth;
    if (d > most)
      most = d;
    if (t->left[i] >= 0)
      stack[top].node = t->left[i], stack[top++].depth = (short)(d + 1);
    if (t->right[i] >= 0)
      stack[top].node = t->right[i], stack[top++].depth = (short)(d + 1);
  }
  return most;
}
static int find(int *parent, int i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}
static void shortest(const struct edge *e, int n, int *far) {
  int heap[EDGES * 2], size = 0;
  for (int i = 0; i < N; i++)
    far[i] = i ? 9999 : 0;
  heap[size++] = 0; // distance * N + node
  while (size) {
    int first = heap[0], last = heap[--size], i = 0;
    for (int c; (c = 2 * i + 1) < size; i = c) {
      if (c + 1 < size && heap[c + 1] < heap[c])
        c++;
      if (heap[c] >= last)
        break;
      heap[i] = heap[c];
    }
    heap[i] = last;
    int node = first % N, d = first / N;
    if (d > far[node])
      continue;
    for (const struct edge *p = e; p < e + n; p++)
      if (p->from == node && d + p->weight < far[p->to]) {
        far[p->to] = d + p->weight;
        int v = far[p->to] * N + p->to, at = size++;
        for (; at && heap[(at - 1) / 2] > v; at = (at - 1) / 2)
          heap[at] = heap[(at - 1) / 2];
        heap[at] = v;
      }
  }
}

#pragma agglom task in(e[0:n]) out(o[0:OUT])
static void graphs(int n, const struct edge *e, int *o) {
  struct tree t = {.used = 0};
  for (int i = 0; i < N; i++)
    insert(&t, (short)(e[i].weight * 3 + e[i].to));
  o[0] = height(&t);
  int sum = 0;
  for (short i = 0; i >= 0; i = t.left[i])
    sum = sum * 7 + t.key[i];
  o[1] = sum, o[2] = 0;
  int parent[N], far[N], queue[N], head = 0, tail = 0, degree[N] = {0};
  for (int i = 0; i < N; i++)
    parent[i] = i;
  for (int i = 0; i < n / 3; i++)
    parent[find(parent, e[i].from)] = find(parent, e[i].to);
  for (int i = 0; i < N; i++)
    o[2] += find(parent, i) == i;
  shortest(e, n, far);
  memcpy(o + 3, far, sizeof far);
  for (int i = 0; i < n; i++)
    degree[e[i].to] += e[i].from < e[i].to;
  for (int i = 0; i < N; i++)
    if (!degree[i])
      queue[tail++] = i;
  while (head < tail) {
    int node = queue[head++];
    for (int i = 0; i < n; i++)
      if (e[i].from == node && e[i].to > node && !--degree[e[i].to])
        queue[tail++] = e[i].to;
  }
  o[27] = tail, o[28] = 0, o[29] = queue[N - 1] * 100 + queue[N / 2];
  for (int i = 0; i < tail; i++)
    o[28] = (o[28] * 31 + queue[i]) % 1000003;
}

int main(void) {
  static struct edge e[UNITS][EDGES];
  static int o[UNITS][OUT];
  unsigned x = 7;
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < EDGES; i++) {
      x = x * 1664525 + 1013904223;
      e[u][i] = (struct edge){(unsigned char)(x >> 8) % N, (unsigned char)(x >> 16) % N, (unsigned char)((x >> 24) % 50 + 1)};
    }
  for (int u = 0; u < UNITS; u++)
    graphs(EDGES - u, e[u], o[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int k = 0; k < OUT; k++)
      printf("%d%c", o[u][k], k == OUT - 1 ? '\n' : ' ');
  return 0;
}
