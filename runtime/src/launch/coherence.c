/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "launch/coherence.h"

#include "shared/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct ag_accelerator *accelerator_of(struct ag_runtime *rt, const struct ag_slot *slot) {
  return &rt->accelerators[slot->where];
}

/* Locks an accelerator's copies if it may have any. */
static bool lock_copies(struct ag_accelerator *acc) {
  if (!atomic_load(&acc->n_copies))
    return false;
  pthread_mutex_lock(&acc->lock);
  return true;
}

static void unlock_copies(struct ag_accelerator *acc) {
  atomic_store(&acc->n_copies, acc->copies.count);
  pthread_mutex_unlock(&acc->lock);
}

/* --- A batch's places ----------------------------------------------------------------------------------- */

static bool keeps(void *accelerator, unsigned segment) {
  struct ag_accelerator *acc = accelerator;
  return ag_copies_in_segment(&acc->copies, segment);
}

static void empties(void *accelerator, unsigned segment) {
  struct ag_accelerator *acc = accelerator;
  ag_copies_forget_segment(&acc->copies, segment);
}

/* Whether each slot finds a segment for its next block when this batch relies on copies in these segments
 * too. Blocks that share a segment now may not do so later, so one is counted for each slot. */
static bool leaves_enough(const struct ag_accelerator *acc, uint64_t segments) {
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    segments |= acc->slots[s].relies;
  return (unsigned)__builtin_popcountll(segments) + AG_SLOTS <= acc->arena.n_segments;
}

/* What a batch comes to rely on: segments with copies, and batches that bring them. */
struct reliance {
  uint64_t segments;
  uint64_t needs[AG_SLOTS];
};

static void note(const struct ag_accelerator *acc, struct reliance *on, unsigned segment, uint64_t loader) {
  on->segments |= (uint64_t)1 << segment;
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    if (acc->slots[s].holder == loader)
      on->needs[s] = loader;
}

/* Pins the segments. False, and nothing is pinned, when too few would be left for batches that are still to
 * come. */
static bool rely(struct ag_accelerator *acc, struct ag_slot *slot, const struct reliance *on) {
  uint64_t fresh = on->segments & ~slot->relies;
  if (!leaves_enough(acc, fresh))
    return false;
  for (unsigned s = 0; s < acc->arena.n_segments; ++s)
    if (fresh >> s & 1)
      ag_arena_pin(&acc->arena, s);
  slot->pins |= fresh;
  slot->relies |= fresh;
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    if (on->needs[s])
      slot->needs[s] = on->needs[s];
  return true;
}

/* Relies on the copies that hold the pieces at this shift, if it may. */
static bool rely_on(struct ag_accelerator *acc, struct ag_slot *slot, const struct ag_interval *region,
                    const struct ag_interval *pieces, size_t n, ag_shift shift) {
  struct reliance on = {0};
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval piece = ag_interval_within(region, pieces[i]);
    for (const struct ag_copy *c = ag_copies_behind(&acc->copies, piece.lo); c && c->lo < piece.hi;
         c = c->next[0])
      if (c->shift == shift)
        note(acc, &on, c->segment, c->loader);
  }
  return rely(acc, slot, &on);
}

/* Whether copies hold the pieces with one shift. */
static bool find_copies(struct ag_accelerator *acc, struct ag_slot *slot, const struct ag_interval *region,
                        const struct ag_interval *pieces, size_t n, ag_shift *shift) {
  const struct ag_copy *c = ag_copies_at(&acc->copies, ag_interval_within(region, pieces[0]).lo);
  if (!c)
    return false;
  *shift = c->shift;
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval piece = ag_interval_within(region, pieces[i]);
    if (!ag_copies_hold(&acc->copies, piece.lo, piece.hi, *shift))
      return false;
  }
  return rely_on(acc, slot, region, pieces, n, *shift);
}

/* Whether the pieces were gathered together. */
static bool find_gathered(struct ag_accelerator *acc, struct ag_slot *slot, const struct ag_interval *region,
                          const struct ag_interval *pieces, size_t n, ag_shift *shift) {
  const struct ag_gathered *g = ag_copies_gathered(&acc->copies, region, pieces, n);
  struct reliance on = {0};
  if (!g)
    return false;
  *shift = g->shift;
  note(acc, &on, g->segment, g->loader);
  return rely(acc, slot, &on);
}

/* Whether the pieces are on the device with one shift, so that the region can be used there. */
static bool find_place(struct ag_accelerator *acc, struct ag_slot *slot, const struct ag_interval *region,
                       const struct ag_interval *pieces, size_t n, struct ag_place *place) {
  place->in_place = find_copies(acc, slot, region, pieces, n, &place->shift) ||
                    find_gathered(acc, slot, region, pieces, n, &place->shift);
  return place->in_place;
}

/* Adds moves for what other places on the device have of this piece, whose region gets a new place. */
static void find_moves(struct ag_accelerator *acc, struct ag_slot *slot, struct ag_interval piece) {
  struct ag_stage *stage = &slot->stage;
  struct ag_copy *c = ag_copies_behind(&acc->copies, piece.lo);
  while (c && c->lo < piece.hi && stage->n_moves < AG_MOVES) {
    /* Of the copies that begin before the piece, the one that reaches furthest. */
    while (c->next[0] && c->next[0]->lo <= piece.lo)
      c = c->next[0];
    struct ag_interval part = {c->lo > piece.lo ? c->lo : piece.lo, c->hi < piece.hi ? c->hi : piece.hi, 0,
                               0};
    if (part.hi - part.lo >= AG_MOVE_LEAST && rely_on(acc, slot, &part, &part, 1, c->shift)) {
      stage->moves[stage->n_moves++] = (struct ag_move){.lo = part.lo, .hi = part.hi, .shift = c->shift};
      stage->bytes_reused += part.hi - part.lo;
      piece.lo = part.hi;
    }
    c = c->next[0];
  }
}

static size_t bytes_within(const struct ag_interval *region, const struct ag_interval *pieces, size_t n) {
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval piece = ag_interval_within(region, pieces[i]);
    bytes += piece.hi - piece.lo;
  }
  return bytes;
}

/* Whether the device copies what lies between small pieces as well, where that takes less time than to send
 * the pieces: others may write there meanwhile, but nobody reads it where it is copied to. Not where gaps
 * hold a poison, nor before ThreadSanitizer, for which it is a race. */
#if defined(__SANITIZE_THREAD__)
#define MAY_BRIDGE false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MAY_BRIDGE false
#endif
#endif
#ifndef MAY_BRIDGE
#define MAY_BRIDGE true
#endif

/* Cuts the part to what the sorted pieces have of it, and returns how many bytes that is. *at: where to
 * begin, kept from call to call, for parts in ascending order. */
static size_t cut_to(struct ag_interval *part, const struct ag_interval *pieces, size_t n, size_t *at) {
  size_t named = 0;
  uintptr_t end = part->hi;
  while (*at < n && pieces[*at].hi <= part->lo)
    ++*at;
  for (size_t i = *at; i < n && pieces[i].lo < end; ++i) {
    struct ag_interval in = ag_interval_within(&(struct ag_interval){part->lo, end, 0, 0}, pieces[i]);
    part->lo = named ? part->lo : in.lo;
    part->hi = in.hi;
    named += in.hi - in.lo;
  }
  return named;
}

/* As find_moves() for the sorted pieces of a region, with what lies between those that one copy holds. */
static void find_bridges(struct ag_accelerator *acc, struct ag_slot *slot, const struct ag_interval *region,
                         const struct ag_interval *pieces, size_t n) {
  enum { SPARSE = 32 }; /* bytes that a device copies in the time in which one is sent to it */
  struct ag_stage *stage = &slot->stage;
  uintptr_t lo = ag_interval_within(region, pieces[0]).lo, hi = ag_interval_within(region, pieces[n - 1]).hi;
  struct ag_copy *c = ag_copies_behind(&acc->copies, lo);
  for (size_t at = 0; c && c->lo < hi && stage->n_moves < AG_MOVES; c = c->next[0]) {
    while (c->next[0] && c->next[0]->lo <= lo)
      c = c->next[0];
    struct ag_interval part = {c->lo > lo ? c->lo : lo, c->hi < hi ? c->hi : hi, 0, 0};
    size_t named = part.lo < part.hi ? cut_to(&part, pieces, n, &at) : 0, bytes = part.hi - part.lo;
    if (!named || bytes < AG_MOVE_LEAST || named < bytes / SPARSE ||
        !rely_on(acc, slot, &part, &part, 1, c->shift))
      continue;
    stage->moves[stage->n_moves++] = (struct ag_move){.lo = part.lo, .hi = part.hi, .shift = c->shift};
    stage->bytes_reused += named;
    lo = part.hi;
  }
}

static void find_places(struct ag_accelerator *acc, struct ag_slot *slot) {
  struct ag_stage *stage = &slot->stage;
  size_t in = 0, use = 0;
  for (size_t r = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    size_t n_in = ag_stage_pieces(region, stage->ins, stage->n_ins, &in);
    size_t n_use = ag_stage_pieces(region, stage->uses, stage->n_uses, &use);
    if (!n_in || stage->places[r].hidden)
      continue;
    bool in_place = find_place(acc, slot, region, stage->uses + use, n_use, &stage->places[r]);
    bool bridges = MAY_BRIDGE && !stage->poison && !in_place && n_in > 1 &&
                   bytes_within(region, stage->ins + in, n_in) / n_in < AG_MOVE_LEAST;
    if (bridges)
      find_bridges(acc, slot, region, stage->ins + in, n_in);
    for (size_t i = 0; i < n_in && !bridges; ++i) {
      struct ag_interval piece = ag_interval_within(region, stage->ins[in + i]);
      if (in_place)
        stage->bytes_reused += piece.hi - piece.lo;
      else
        find_moves(acc, slot, piece);
    }
  }
}

/* What the batch writes is no longer current in other copies. */
static void forget_written(struct ag_accelerator *acc, const struct ag_slot *slot) {
  const struct ag_stage *stage = &slot->stage;
  bool here = acc->slots <= slot && slot < acc->slots + AG_SLOTS;
  for (size_t i = 0, r = 0; i < stage->n_outs; ++i)
    for (uintptr_t lo = stage->outs[i].lo, hi; lo < stage->outs[i].hi; lo = hi) {
      while (stage->regions[r].hi <= lo)
        ++r;
      hi = stage->regions[r].hi < stage->outs[i].hi ? stage->regions[r].hi : stage->outs[i].hi;
      bool in_place = here && stage->places[r].in_place;
      ag_copies_forget(&acc->copies, lo, hi, in_place ? &stage->places[r].shift : NULL, false);
    }
  for (size_t i = 0; i < stage->n_sums; ++i)
    ag_copies_forget(&acc->copies, stage->sums[i].lo, stage->sums[i].hi, NULL, false);
}

/* The part of ag_coherence_place() that looks at the batch's own device. */
static int place_here(struct ag_accelerator *acc, struct ag_slot *slot, bool reuse, void **block) {
  slot->holder = ++acc->batches;
  slot->pins = slot->relies = 0;
  memset(slot->needs, 0, sizeof slot->needs);
  if (reuse && acc->copies.count)
    find_places(acc, slot);
  int err = ag_stage_arrange(&slot->stage, &slot->batch, acc->slot_bytes);
  size_t at = 0;
  unsigned segment;
  if (!err)
    err = ag_arena_take(&acc->arena, slot->stage.block_bytes, keeps, empties, acc, &at, &segment);
  if (err)
    return err;
  if (slot->pins >> segment & 1)
    ag_arena_unpin(&acc->arena, segment); /* one pin is enough */
  slot->pins |= (uint64_t)1 << segment;
  slot->segment = segment;
  *block = acc->memory + at;
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    if (slot->needs[s])
      atomic_fetch_add(&acc->slots[s].followers, 1);
  return 0;
}

/* The slot's stream goes on behind the streams of the batches whose copies it uses. Such a stream may have a
 * later batch by now: to follow that is to follow the earlier ones as well. */
static int follow_others(struct ag_accelerator *acc, const struct ag_slot *slot) {
  struct ag_device *dev = slot->device;
  int err = 0;
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    if (slot->needs[s]) {
      if (!err)
        err = dev->ops->follow(dev, slot->stream, acc->slots[s].stream);
      atomic_fetch_sub(&acc->slots[s].followers, 1);
    }
  return err;
}

int ag_coherence_place(struct ag_runtime *rt, struct ag_slot *slot, void **block) {
  struct ag_accelerator *acc = accelerator_of(rt, slot);
  pthread_mutex_lock(&acc->lock);
  int err = place_here(acc, slot, rt->config.reuse, block);
  if (!err)
    forget_written(acc, slot);
  unlock_copies(acc);
  if (!err)
    err = follow_others(acc, slot);
  for (int d = 0; d < rt->n_accelerators && !err; ++d)
    if (d != slot->where && lock_copies(&rt->accelerators[d])) {
      forget_written(&rt->accelerators[d], slot);
      unlock_copies(&rt->accelerators[d]);
    }
  return err;
}

/* --- A batch's copies ----------------------------------------------------------------------------------- */

/* Whether all of lo .. hi-1 is resident. Lock of the residents held. */
static bool is_resident(const struct ag_residents *residents, uintptr_t lo, uintptr_t hi) {
  uintptr_t end;
  return ag_coverage_at(&residents->memory, lo, hi, &end) && end == hi;
}

static bool all_resident(const struct ag_residents *residents, const struct ag_interval *pieces, size_t n) {
  bool all = true;
  for (size_t i = 0; i < n && all; ++i)
    all = is_resident(residents, pieces[i].lo, pieces[i].hi);
  return all;
}

/* The copies on a device of what has been resident in lo .. hi-1 may be so no more. */
static void look_at_copies(struct ag_accelerator *acc, const struct ag_residents *residents, uintptr_t lo,
                           uintptr_t hi) {
  for (struct ag_copy *c = ag_copies_behind(&acc->copies, lo), *next; c && c->lo < hi; c = next) {
    next = c->next[0];
    if (c->resident && !is_resident(residents, c->lo, c->hi))
      ag_copies_set_resident(&acc->copies, c, false);
  }
}

/* Adds a copy, cut where resident memory begins and ends. */
static void add(struct ag_accelerator *acc, const struct ag_residents *residents, struct ag_copy copy) {
  for (uintptr_t end = copy.hi; copy.lo < end; copy.lo = copy.hi) {
    copy.resident = ag_coverage_at(&residents->memory, copy.lo, end, &copy.hi);
    ag_copies_add(&acc->copies, &copy);
  }
}

enum {
  FINEST = 256,   /* bytes of a piece, on average, that are worth an entry */
  MOST_FINE = 256 /* regions of fewer bytes that are worth one each: of more, entries cost more than to send
                     them again */
};

/* Adds the pieces of a region, at its place, to the copies that later batches may use. Small pieces are kept
 * together, as one entry. */
static void publish(struct ag_accelerator *acc, const struct ag_residents *residents,
                    const struct ag_interval *region, const struct ag_interval *pieces, size_t n,
                    struct ag_copy copy) {
  if (n > 1 && bytes_within(region, pieces, n) / n < FINEST) {
    copy.resident = all_resident(residents, pieces, n);
    ag_copies_add_gathered(&acc->copies, &copy, region, pieces, n);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval piece = ag_interval_within(region, pieces[i]);
    copy.lo = piece.lo;
    copy.hi = piece.hi;
    add(acc, residents, copy);
  }
}

/* What the batch writes nobody uses before it is complete, and what is used in place others have brought. Of
 * many pieces, to find that out takes longer than a milestone that is there for nobody. */
bool ag_coherence_followed(const struct ag_runtime *rt, const struct ag_slot *slot) {
  enum { FEW = 16 };
  const struct ag_stage *stage = &slot->stage;
  size_t use = 0, out = 0;
  if (!rt->config.reuse || stage->n_uses > FEW)
    return rt->config.reuse;
  for (size_t r = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    size_t n_use = ag_stage_pieces(region, stage->uses, stage->n_uses, &use);
    size_t n_out = ag_stage_pieces(region, stage->outs, stage->n_outs, &out);
    if (!stage->places[r].in_place && !stage->places[r].hidden &&
        bytes_within(region, stage->uses + use, n_use) > bytes_within(region, stage->outs + out, n_out))
      return true;
  }
  return false;
}

/* Whether the batch has so many small regions, each by itself, that none of them is worth an entry. */
static bool has_too_many(const struct ag_stage *stage) {
  size_t fine = 0;
  for (size_t r = 0; r < stage->n_regions; ++r)
    fine += stage->regions[r].hi - stage->regions[r].lo < FINEST;
  return fine > MOST_FINE;
}

void ag_coherence_publish(struct ag_runtime *rt, struct ag_slot *slot) {
  struct ag_accelerator *acc = accelerator_of(rt, slot);
  const struct ag_stage *stage = &slot->stage;
  if (!rt->config.reuse)
    return;
  size_t least = has_too_many(stage) ? FINEST : 0;
  pthread_mutex_lock(&acc->lock);
  pthread_mutex_lock(&rt->residents.lock);
  size_t use = 0;
  for (size_t r = 0; r < stage->n_regions; ++r) {
    const struct ag_interval *region = &stage->regions[r];
    const struct ag_place *place = &stage->places[r];
    size_t n = ag_stage_pieces(region, stage->uses, stage->n_uses, &use);
    if (n && !place->in_place && !place->hidden && region->hi - region->lo >= least)
      publish(acc, &rt->residents, region, stage->uses + use, n,
              (struct ag_copy){.shift = place->shift, .loader = slot->holder, .segment = slot->segment});
  }
  pthread_mutex_unlock(&rt->residents.lock);
  unlock_copies(acc);
}

int ag_coherence_settled(struct ag_runtime *rt, struct ag_slot *slot) {
  struct ag_accelerator *acc = accelerator_of(rt, slot);
  int err = 0;
  pthread_mutex_lock(&acc->lock);
  for (unsigned s = 0; s < AG_SLOTS; ++s)
    if (slot->needs[s] && acc->slots[s].failed >= slot->needs[s])
      err = -ESTALE;
  for (unsigned s = 0; s < AG_SLOTS && !err; ++s)
    if (slot->needs[s] && acc->slots[s].holder == slot->needs[s])
      err = -EAGAIN;
  pthread_mutex_unlock(&acc->lock);
  return err;
}

void ag_coherence_failed(struct ag_runtime *rt, struct ag_slot *slot) {
  struct ag_accelerator *acc = accelerator_of(rt, slot);
  pthread_mutex_lock(&acc->lock);
  if (slot->holder) /* else an earlier failure stays noted: others may not have seen it yet */
    slot->failed = slot->holder;
  ag_copies_forget_all(&acc->copies);
  unlock_copies(acc);
}

/* --- Changes elsewhere ---------------------------------------------------------------------------------- */

static void forget_accesses(struct ag_accelerator *acc, const struct ag_access *access, size_t n,
                            bool not_resident) {
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < ag_access_pieces(&access[i]); ++k) {
      struct ag_interval piece = ag_access_piece(&access[i], k);
      ag_copies_forget(&acc->copies, piece.lo, piece.hi, NULL, not_resident);
    }
}

void ag_coherence_on_cpu(struct ag_runtime *rt, struct ag_unit *const *units, size_t n) {
  const struct agglom_task *task = units[0]->task;
  for (int d = 0; d < rt->n_accelerators; ++d) {
    struct ag_accelerator *acc = &rt->accelerators[d];
    if (!lock_copies(acc))
      continue;
    for (size_t u = 0; u < n; ++u)
      for (unsigned i = 0; i < task->n_sections; ++i) {
        bool writes = (task->sections[i].mode & (AGGLOM_OUT | AGGLOM_ACCUMULATE)) != 0;
        if (writes || (task->flags & AGGLOM_TASK_CPU_ONLY))
          forget_accesses(acc, &units[u]->access[i], 1, !writes);
      }
    unlock_copies(acc);
  }
}

void ag_coherence_running(struct ag_runtime *rt, struct ag_unit *running) {
  if (running && running->seq)
    ag_coherence_on_cpu(rt, &running, 1);
  else if (running && running->task->n_sections)
    ag_coherence_forget(rt);
}

void ag_coherence_waited(struct ag_runtime *rt, struct ag_unit *running) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (lock_copies(&rt->accelerators[d])) {
      ag_copies_forget_volatile(&rt->accelerators[d].copies);
      unlock_copies(&rt->accelerators[d]);
    }
  ag_coherence_running(rt, running);
}

void ag_coherence_written(struct ag_runtime *rt, const struct ag_access *access, size_t n, bool resident) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (lock_copies(&rt->accelerators[d])) {
      forget_accesses(&rt->accelerators[d], access, n, !resident);
      unlock_copies(&rt->accelerators[d]);
    }
}

bool ag_coherence_keeps(const struct ag_runtime *rt) {
  bool any = false;
  for (int d = 0; d < rt->n_accelerators && !any; ++d)
    any = atomic_load(&rt->accelerators[d].n_copies);
  return any;
}

void ag_coherence_forget(struct ag_runtime *rt) {
  for (int d = 0; d < rt->n_accelerators; ++d)
    if (lock_copies(&rt->accelerators[d])) {
      ag_copies_forget_all(&rt->accelerators[d].copies);
      unlock_copies(&rt->accelerators[d]);
    }
}

/* --- Resident memory ------------------------------------------------------------------------------------ */

/* Counts the block's memory as resident. Returns the number of pieces that were, fewer than all without
 * memory. */
static size_t count_pieces(struct ag_residents *residents, const struct ag_resident *block, bool *all) {
  size_t done = 0;
  for (size_t i = 0; i < block->n; ++i)
    for (size_t k = 0; k < ag_access_pieces(&block->access[i]); ++k, ++done) {
      struct ag_interval piece = ag_access_piece(&block->access[i], k);
      *all = !ag_coverage_add(&residents->memory, piece.lo, piece.hi);
      if (!*all)
        return done;
    }
  return done;
}

/* Undoes that for the first n pieces. */
static void uncount_pieces(struct ag_residents *residents, const struct ag_resident *block, size_t n) {
  for (size_t i = 0; i < block->n; ++i)
    for (size_t k = 0; k < ag_access_pieces(&block->access[i]) && n > 0; ++k, --n) {
      struct ag_interval piece = ag_access_piece(&block->access[i], k);
      ag_coverage_remove(&residents->memory, piece.lo, piece.hi);
    }
}

void ag_coherence_resident(struct ag_runtime *rt, struct ag_resident *block) {
  struct ag_residents *residents = &rt->residents;
  block->known = rt->n_accelerators > 0; /* else there are no copies */
  if (!block->known)
    return;
  pthread_mutex_lock(&residents->lock);
  size_t n = count_pieces(residents, block, &block->known);
  if (!block->known)
    uncount_pieces(residents, block, n);
  pthread_mutex_unlock(&residents->lock);
}

/* What was gathered in the block's memory may be resident no more. */
static void look_at_gathered(struct ag_accelerator *acc, const struct ag_residents *residents,
                             const struct ag_access *a) {
  for (struct ag_gathered *g = acc->copies.oldest; g; g = g->newer)
    if (g->resident && g->at[0].lo < a->hi && a->lo < g->at[g->n - 1].hi)
      g->resident = all_resident(residents, g->at, g->n);
}

void ag_coherence_not_resident(struct ag_runtime *rt, struct ag_resident *block) {
  struct ag_residents *residents = &rt->residents;
  if (!block->known)
    return;
  pthread_mutex_lock(&residents->lock);
  uncount_pieces(residents, block, SIZE_MAX);
  pthread_mutex_unlock(&residents->lock);
  for (int d = 0; d < rt->n_accelerators; ++d) {
    struct ag_accelerator *acc = &rt->accelerators[d];
    if (!lock_copies(acc))
      continue;
    pthread_mutex_lock(&residents->lock);
    for (size_t i = 0; i < block->n && acc->copies.count; ++i) {
      for (size_t k = 0; k < ag_access_pieces(&block->access[i]); ++k) {
        struct ag_interval piece = ag_access_piece(&block->access[i], k);
        look_at_copies(acc, residents, piece.lo, piece.hi);
      }
      look_at_gathered(acc, residents, &block->access[i]);
    }
    pthread_mutex_unlock(&residents->lock);
    forget_accesses(acc, block->access, block->n, true);
    unlock_copies(acc);
  }
}
