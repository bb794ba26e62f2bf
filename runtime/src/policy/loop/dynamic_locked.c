/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dynamic_locked (the memorising dynamic scheduler of Bull, "Feedback guided dynamic loop scheduling"):
 * dynamic for the first executions; then each chunk goes where it ran the last time, so that data stays where
 * it is. */
#include "policy/loop/state.h"

enum { LEARN = 4, MOST_CHUNKS = 1 << 16 };

struct locked {
  unsigned learnt; /* executions, up to LEARN */
  uint64_t chunk, chunks;
  uint32_t *owner; /* of each chunk */
  uint32_t *next;  /* of each unit: where to look for its next chunk */
};

static uint64_t chunk_of(const struct ag_loop_view *view) {
  uint64_t least = ag_ceil(view->n, MOST_CHUNKS), chunk = view->chunk;
  if (!chunk)
    chunk = ag_ceil(view->n, 16 * (uint64_t)ag_loop_units(&view->machine));
  return chunk > least ? chunk : least + !least;
}

static size_t bytes(const struct ag_loop_view *view) {
  return sizeof(struct locked) +
         sizeof(uint32_t) * (ag_ceil(view->n, chunk_of(view)) + ag_loop_units(&view->machine));
}

static void begin(struct ag_loop *loop, bool fresh) {
  struct locked *k = loop->mine;
  (void)fresh;
  k->chunk = chunk_of(&loop->view);
  k->chunks = ag_ceil(loop->view.n, k->chunk);
  k->next = (uint32_t *)(k + 1);
  k->owner = k->next + loop->units;
  for (unsigned u = 0; u < loop->units; ++u)
    k->next[u] = 0;
  if (k->learnt == LEARN)
    loop->low = loop->high;
}

static struct ag_loop_want want(struct ag_loop *loop, unsigned u, uint64_t now_ns) {
  (void)u, (void)now_ns;
  const struct locked *k = loop->mine;
  return (struct ag_loop_want){AG_LOOP_RUN, k->chunk - loop->low % k->chunk};
}

static void done(struct ag_loop *loop, unsigned u, uint64_t from, uint64_t to, uint64_t ns) {
  const struct locked *k = loop->mine;
  (void)to, (void)ns;
  if (k->learnt < LEARN)
    k->owner[from / k->chunk] = u;
}

static bool refill(struct ag_loop *loop, unsigned u) {
  const struct locked *k = loop->mine;
  if (k->learnt < LEARN)
    return false;
  for (uint64_t i = k->next[u]; i < k->chunks; ++i)
    if (k->owner[i] == u) {
      uint64_t from = i * k->chunk, left = loop->view.n - from;
      loop->unit[u].share = (struct ag_loop_share){.next = from,
                                                   .end = from + (k->chunk < left ? k->chunk : left),
                                                   .size = k->chunk,
                                                   .step = k->chunk};
      k->next[u] = (uint32_t)(i + 1);
      return true;
    }
  k->next[u] = (uint32_t)k->chunks;
  return false;
}

static void end(struct ag_loop *loop) {
  struct locked *k = loop->mine;
  k->learnt += k->learnt < LEARN;
}

static bool settled(const struct ag_loop *loop) {
  return ((const struct locked *)loop->mine)->learnt == LEARN;
}

const struct ag_loop_policy ag_loop_dynamic_locked = {.name = "dynamic_locked",
                                                      .by_items = true,
                                                      .bytes = bytes,
                                                      .begin = begin,
                                                      .refill = refill,
                                                      .want = want,
                                                      .done = done,
                                                      .end = end,
                                                      .settled = settled};
