/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "graph/segments.h"
#include "graph/edges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* KEPT_BYTES: arrays of readers together up to which segments that are given back keep theirs. */
enum { INLINE_READERS = 4, FIRST_SWEEP = 256, MOST_LOOSE = 16, MOST_NEAR = 32, KEPT_BYTES = 1 << 20 };

struct ag_segment {
  struct ag_node at; /* first */
  struct ag_unit_ref writer;
  unsigned sharing;            /* how the "readers" use it: AG_READS, or all with one operation */
  unsigned n_loose;            /* the first readers: they may use a part of it, or nothing */
  struct ag_unit_ref *readers; /* few, or on the heap; a segment given back may keep the array */
  unsigned n_readers, cap_readers;
  struct ag_unit_ref few[INLINE_READERS];
};

static bool same(struct ag_unit_ref a, struct ag_unit_ref b) { return a.unit == b.unit && a.seq == b.seq; }

static struct ag_segment *first_behind(const struct ag_segments *of, uintptr_t place) {
  return (struct ag_segment *)(void *)ag_tree_behind(&of->tree, place);
}

static struct ag_segment *next_of(struct ag_segment *s) {
  return (struct ag_segment *)(void *)ag_tree_next(&s->at);
}

/* A segment lo .. hi-1 without records, in its place; no segment there may overlap it. */
static struct ag_segment *add(struct ag_segments *of, struct ag_graph_store *store, uintptr_t lo,
                              uintptr_t hi) {
  struct ag_segment *s = ag_pool_take(&store->segments);
  if (!s)
    return NULL;
  s->at.lo = lo;
  s->at.hi = hi;
  s->writer = (struct ag_unit_ref){NULL, 0};
  s->sharing = AG_READS;
  s->n_readers = s->n_loose = 0;
  if (!s->readers) {
    s->readers = s->few;
    s->cap_readers = INLINE_READERS;
  }
  ag_tree_add(&of->tree, &s->at);
  return s;
}

void ag_segments_free_readers(struct ag_graph_store *store, struct ag_segment *s) {
  if (s->readers && s->readers != s->few) {
    store->reader_bytes -= s->cap_readers * sizeof *s->readers;
    free(s->readers);
  }
  s->readers = NULL;
}

static void erase(struct ag_segments *of, struct ag_graph_store *store, struct ag_segment *s) {
  for (unsigned i = 0; i < AG_GUESSES; ++i)
    if (of->guess[i] == s)
      of->guess[i] = NULL;
  ag_tree_remove(&of->tree, &s->at);
  if (store->reader_bytes > KEPT_BYTES)
    ag_segments_free_readers(store, s);
  ag_pool_give(&store->segments, s);
}

/* --- Records -------------------------------------------------------------------------------------- */

static void drop_dead(struct ag_segment *s) {
  unsigned kept = 0, loose = 0;
  if (!ag_ref_alive(s->writer))
    s->writer = (struct ag_unit_ref){NULL, 0};
  for (unsigned i = 0; i < s->n_readers; ++i)
    if (ag_ref_alive(s->readers[i])) {
      loose += i < s->n_loose;
      s->readers[kept++] = s->readers[i];
    }
  s->n_readers = kept;
  s->n_loose = loose;
}

/* Whether loose reader r, if it is not complete, uses some of lo .. hi-1. */
static bool reads(const struct ag_segments *of, struct ag_unit_ref r, uintptr_t lo, uintptr_t hi) {
  return ag_ref_alive(r) && (ag_is_joint(r.unit) || ag_unit_uses(r.unit, &of->lattice, lo, hi));
}

/* Drops loose readers that use nothing of the segment; others take their places. */
static void drop_strangers(const struct ag_segments *of, struct ag_segment *s) {
  unsigned kept = 0;
  for (unsigned i = 0; i < s->n_loose; ++i)
    if (reads(of, s->readers[i], s->at.lo, s->at.hi))
      s->readers[kept++] = s->readers[i];
  unsigned gone = s->n_loose - kept, others = s->n_readers - s->n_loose,
           moved = gone < others ? gone : others;
  memmove(s->readers + kept, s->readers + s->n_readers - moved, moved * sizeof *s->readers);
  s->n_readers -= gone;
  s->n_loose = kept;
}

/* Whether one reader more may be loose. */
static bool may_be_loose(const struct ag_segments *of, struct ag_segment *s) {
  if (s->sharing != AG_READS)
    return false;
  if (s->n_loose == MOST_LOOSE)
    drop_strangers(of, s);
  return s->n_loose < MOST_LOOSE;
}

/* Gives the readers an array of this size on the heap. */
static int resize(struct ag_graph_store *store, struct ag_segment *s, unsigned cap) {
  bool few = s->readers == s->few;
  struct ag_unit_ref *array = realloc(few ? NULL : s->readers, cap * sizeof *array);
  if (!array)
    return -ENOMEM;
  if (few)
    memcpy(array, s->few, s->n_readers * sizeof *array);
  store->reader_bytes += (cap - (few ? 0 : (size_t)s->cap_readers)) * sizeof *array;
  s->readers = array;
  s->cap_readers = cap;
  return 0;
}

static int reserve_readers(struct ag_graph_store *store, struct ag_segment *s, unsigned n) {
  if (n <= s->cap_readers)
    return 0;
  return resize(store, s, s->cap_readers * 2 > n ? s->cap_readers * 2 : n);
}

/* Gives back most of an array that is large for the readers that are left. */
static void shrink(struct ag_graph_store *store, struct ag_segment *s) {
  if (s->n_readers <= INLINE_READERS && s->readers != s->few) {
    memcpy(s->few, s->readers, s->n_readers * sizeof *s->readers);
    ag_segments_free_readers(store, s);
    s->readers = s->few;
    s->cap_readers = INLINE_READERS;
  } else if (s->n_readers < s->cap_readers / 4) {
    resize(store, s, s->cap_readers / 2); /* or it stays */
  }
}

static int add_reader(struct ag_graph_store *store, struct ag_segment *s, struct ag_unit_ref r, bool loose) {
  if ((s->n_readers && same(s->readers[s->n_readers - 1], r)) ||
      (loose && s->n_loose && same(s->readers[s->n_loose - 1], r)))
    return 0; /* two sections of one unit */
  if (s->n_readers == s->cap_readers) {
    drop_dead(s);
    if (s->n_readers > s->cap_readers / 2 && reserve_readers(store, s, s->cap_readers + 1))
      return -ENOMEM;
  }
  s->readers[s->n_readers++] = r;
  if (loose) {
    s->readers[s->n_readers - 1] = s->readers[s->n_loose];
    s->readers[s->n_loose++] = r;
  }
  return 0;
}

/* Cuts s at an address inside it; returns the upper part. */
static struct ag_segment *split(struct ag_segments *of, struct ag_graph_store *store, struct ag_segment *s,
                                uintptr_t at) {
  uintptr_t hi = s->at.hi;
  drop_dead(s);
  s->at.hi = at;
  struct ag_segment *upper = add(of, store, at, hi);
  if (!upper || reserve_readers(store, upper, s->n_readers)) {
    if (upper)
      erase(of, store, upper);
    s->at.hi = hi;
    return NULL;
  }
  upper->writer = s->writer;
  upper->sharing = s->sharing;
  upper->n_readers = s->n_readers;
  upper->n_loose = s->n_loose;
  memcpy(upper->readers, s->readers, s->n_readers * sizeof *s->readers);
  drop_strangers(of, s);
  drop_strangers(of, upper);
  return upper;
}

/* Whether the use of the segment changes so that a joint is needed: from reading to accumulating, or from
 * accumulating to anything else. A writer after readers needs none. */
static bool changes(const struct ag_segment *s, unsigned how) {
  return s->sharing != how && (s->sharing != AG_READS || how != AG_WRITES);
}

/* Puts a joint that follows the readers, from this one on, in their place. */
static int join_readers(struct ag_graph_store *store, struct ag_segment *s, const struct ag_unit *u,
                        unsigned from) {
  unsigned n = s->n_readers - from;
  if (!n || (n == 1 && ag_is_joint(s->readers[from].unit)))
    return 0;
  struct ag_unit_ref joint;
  int err = ag_joint_make(store, s->readers + from, n, u, &joint);
  if (err)
    return err;
  s->n_readers = from + (joint.unit ? 1 : 0);
  s->readers[from] = joint;
  return 0;
}

/* The use of the segment changes, as changes() says. All users so far must be complete before u begins, so a
 * joint of them becomes its "writer": edges stay as few as there are units, and units of the old and the new
 * use never meet in a launch, where one would find partial results of the other. */
static int change(const struct ag_segments *of, struct ag_graph_store *store, struct ag_segment *s,
                  unsigned how, const struct ag_unit *u) {
  drop_dead(s);
  drop_strangers(of, s);
  int err = join_readers(store, s, u, s->n_loose = 0);
  if (err)
    return err;
  if (s->n_readers) {
    s->writer = s->readers[0]; /* the joint: its predecessors have followed the writer */
    s->n_readers = s->n_loose = 0;
  } else if (ag_ref_alive(s->writer) && !ag_is_joint(s->writer.unit)) {
    err = ag_joint_make(store, &s->writer, 1, u, &s->writer);
  }
  s->sharing = how == AG_WRITES ? AG_READS : how;
  return err;
}

/* --- Accesses ------------------------------------------------------------------------------------- */

/* Cuts s at an address inside it for a unit that will use one side of it. */
static struct ag_segment *split_for(struct ag_segments *of, struct ag_graph_store *store,
                                    struct ag_segment *s, uintptr_t at, unsigned how,
                                    const struct ag_unit *u) {
  drop_dead(s);
  if (changes(s, how) && join_readers(store, s, u, s->n_loose)) /* once for both sides */
    return NULL;
  return split(of, store, s, at);
}

/* Merges segment s, which begins where `run` ends, into that. Both have just changed to the same operation.
 * *gathered: whether run's writer is a joint made here. */
static int append(struct ag_segments *of, struct ag_graph_store *store, struct ag_segment *run,
                  struct ag_segment *s, bool *gathered) {
  int err = 0;
  if (!ag_ref_alive(run->writer)) {
    run->writer = s->writer;
  } else if (ag_ref_alive(s->writer) && *gathered) {
    err = ag_follow(store, s->writer, run->writer.unit);
  } else if (ag_ref_alive(s->writer)) {
    struct ag_unit_ref both[] = {run->writer, s->writer};
    err = ag_joint_make(store, both, 2, NULL, &run->writer);
    *gathered = true;
  }
  if (err)
    return err;
  uintptr_t hi = s->at.hi;
  erase(of, store, s);
  run->at.hi = hi;
  return 0;
}

/* Many units may accumulate into memory that lies in many segments. The first unit merges these, so that each
 * later one has one record and one edge; in return it waits for all that the first one waits for. */
static int accumulation_of(struct ag_segments *of, struct ag_graph_store *store, struct ag_unit *u,
                           uintptr_t lo, uintptr_t hi, unsigned how) {
  struct ag_segment *s = first_behind(of, lo), *run = NULL, *next;
  bool gathered = false;
  if (s && s->at.lo < lo && !(s = split_for(of, store, s, lo, how, u)))
    return -ENOMEM;
  for (uintptr_t at = lo; at < hi; s = next) {
    if (!s || s->at.lo > at) {
      s = add(of, store, at, s && s->at.lo < hi ? s->at.lo : hi);
      if (!s)
        return -ENOMEM;
    } else if (s->at.hi > hi && !split_for(of, store, s, hi, how, u)) {
      return -ENOMEM;
    }
    at = s->at.hi;
    next = next_of(s);
    if (!changes(s, how)) {
      run = NULL;
    } else if (change(of, store, s, how, u)) {
      return -ENOMEM;
    } else if (run) {
      if (append(of, store, run, s, &gathered))
        return -ENOMEM;
    } else {
      run = s;
      gathered = false;
    }
  }
  for (s = first_behind(of, lo); s && s->at.lo < hi; s = next_of(s))
    if (ag_follow(store, s->writer, u) || add_reader(store, s, (struct ag_unit_ref){u, u->seq}, false))
      return -ENOMEM;
  return 0;
}

/* u, which writes, follows the readers of s that use some of lo .. hi-1. */
static int follow_readers(const struct ag_segments *of, struct ag_graph_store *store,
                          const struct ag_segment *s, struct ag_unit *u, uintptr_t lo, uintptr_t hi) {
  int err = 0;
  for (unsigned i = 0; i < s->n_readers && !err; ++i)
    if (i >= s->n_loose || reads(of, s->readers[i], lo, hi))
      err = ag_follow(store, s->readers[i], u);
  return err;
}

static bool holds(const struct ag_segment *s, uintptr_t place) {
  return s->at.lo <= place && place < s->at.hi;
}

/* As first_behind(), where it was last time or behind that if it is there. */
static struct ag_segment *find(const struct ag_segments *of, unsigned section, uintptr_t place) {
  struct ag_segment *s = of->guess[section % AG_GUESSES];
  if (s && !holds(s, place) && place >= s->at.hi)
    s = next_of(s);
  return s && holds(s, place) ? s : first_behind(of, place);
}

static void sweep_next_at_twice(struct ag_segments *of) {
  of->sweep_at = of->tree.count * 2 > FIRST_SWEEP ? of->tree.count * 2 : FIRST_SWEEP;
}

/* Looks for records of complete units, unless hardly any unit is complete that was not the last time. */
static void sweep_if_worth(struct ag_segments *of, struct ag_graph_store *store) {
  enum { SHARE = 8 };
  if (store->completed - of->swept >= of->tree.count / SHARE)
    ag_segments_sweep(of, store);
  else
    sweep_next_at_twice(of);
}

int ag_segments_use(struct ag_segments *of, struct ag_graph_store *store, struct ag_unit *u, uintptr_t lo,
                    uintptr_t hi, const struct ag_use *use) {
  unsigned how = use->how, extent = use->extent;
  if (of->tree.count >= of->sweep_at)
    sweep_if_worth(of, store);
  if (how != AG_READS && how != AG_WRITES)
    return accumulation_of(of, store, u, lo, hi, how);
  bool loosely = how == AG_READS && extent != AG_EXACTLY;
  struct ag_unit_ref me = {u, u->seq};
  struct ag_segment *s = find(of, use->section, lo);
  if (s && s->at.lo < lo && !(loosely && may_be_loose(of, s)) && extent != AG_PART &&
      !(s = split_for(of, store, s, lo, how, u)))
    return -ENOMEM;
  for (uintptr_t at = lo; at < hi;) {
    if (!s || s->at.lo > at) { /* nobody has touched this yet */
      uintptr_t end = s && s->at.lo < hi ? s->at.lo : hi;
      struct ag_segment *fresh = add(of, store, at, end);
      if (!fresh)
        return -ENOMEM;
      s = fresh;
    } else if (extent == AG_PART && !may_be_loose(of, s)) {
      return AG_TOO_MANY;
    } else if (s->at.hi > hi && !(loosely && may_be_loose(of, s)) && !split_for(of, store, s, hi, how, u)) {
      return -ENOMEM;
    }
    if (changes(s, how) && change(of, store, s, how, u))
      return -ENOMEM;
    if (ag_follow(store, s->writer, u))
      return -ENOMEM;
    if (how == AG_WRITES && s->n_readers && follow_readers(of, store, s, u, s->at.lo, s->at.hi))
      return -ENOMEM;
    at = s->at.hi;
    struct ag_segment *next = next_of(s);
    if (how != AG_WRITES) {
      if (add_reader(store, s, me, extent == AG_PART || s->at.lo < lo || at > hi))
        return -ENOMEM;
    } else if (s->at.lo == lo) { /* one segment for the whole of what u writes */
      s->writer = me;
      s->n_readers = s->n_loose = 0;
    } else {
      erase(of, store, s);
      s = first_behind(of, lo);
      s->at.hi = at;
    }
    of->guess[use->section % AG_GUESSES] = s;
    s = next;
  }
  return 0;
}

/* Whether a unit that uses some of it in this way may have to follow others. */
static bool matters(const struct ag_segment *s, unsigned how) {
  return ag_ref_alive(s->writer) || (s->n_readers && (how == AG_WRITES || s->sharing != AG_READS));
}

/* u, which is recorded elsewhere, follows the users of lo .. hi-1, which are in s. */
static int follow_users(const struct ag_segments *of, struct ag_graph_store *store,
                        const struct ag_segment *s, unsigned how, struct ag_unit *u, uintptr_t lo,
                        uintptr_t hi) {
  int err = ag_follow(store, s->writer, u);
  if (err || !matters(s, how))
    return err;
  for (unsigned i = 0; s->sharing != AG_READS && i < s->n_readers; ++i)
    if (ag_ref_alive(s->readers[i]))
      return 1;
  return how == AG_WRITES ? follow_readers(of, store, s, u, lo, hi) : 0;
}

int ag_segments_follow(const struct ag_segments *of, struct ag_graph_store *store, struct ag_unit *u,
                       const struct ag_interval *pieces, size_t n, unsigned how) {
  struct ag_segment *s = first_behind(of, pieces[0].lo), *over = NULL;
  size_t seen = 0;
  for (; s && s->at.lo < pieces[n - 1].hi && seen < n && !matters(s, how); ++seen)
    s = next_of(s);
  if (!s || s->at.lo >= pieces[n - 1].hi) /* nobody from the first piece to the last */
    return 0;
  int err = 0;
  for (size_t k = 0; k < n && !err; ++k) {
    uintptr_t lo = pieces[k].lo, hi = pieces[k].hi;
    if (hi <= s->at.lo)
      continue;
    if (s->at.hi <= lo && !(s = first_behind(of, lo)))
      return 0;
    for (; s->at.lo < hi && !err; s = next_of(s)) {
      if (s != over || s->n_loose)
        err =
            follow_users(of, store, s, how, u, s->at.lo > lo ? s->at.lo : lo, s->at.hi < hi ? s->at.hi : hi);
      over = s;
      if (s->at.hi >= hi || !next_of(s))
        break;
    }
  }
  return err;
}

void ag_segments_sweep(struct ag_segments *of, struct ag_graph_store *store) {
  struct ag_segment *s = first_behind(of, 0), *next;
  for (; s; s = next) {
    next = next_of(s);
    drop_dead(s);
    if (!s->writer.unit && !s->n_readers)
      erase(of, store, s);
    else
      shrink(store, s);
  }
  of->swept = store->completed;
  sweep_next_at_twice(of);
}

/* The users of lo .. hi-1, the first segment behind lo being s. AG_TOO_MANY: there are more segments than
 * `most`. */
static int users_from(const struct ag_segments *of, struct ag_segment *s, uintptr_t lo, uintptr_t hi,
                      bool writers, size_t most, int (*each)(struct ag_unit *unit, void *context),
                      void *context) {
  /* The last writer follows all that used the memory before it. */
  for (; s && s->at.lo < hi; s = next_of(s)) {
    if (!most--)
      return AG_TOO_MANY;
    uintptr_t from = s->at.lo > lo ? s->at.lo : lo, to = s->at.hi < hi ? s->at.hi : hi;
    int err = ag_ref_alive(s->writer) ? each(s->writer.unit, context) : 0;
    for (unsigned i = 0; i < s->n_readers && !err; ++i)
      if ((!writers || s->sharing != AG_READS) && ag_ref_alive(s->readers[i]) &&
          (i >= s->n_loose || reads(of, s->readers[i], from, to)))
        err = each(s->readers[i].unit, context);
    if (err)
      return err;
  }
  return 0;
}

bool ag_segments_accumulate(const struct ag_segments *of, uintptr_t lo, uintptr_t hi) {
  for (struct ag_segment *s = first_behind(of, lo); s && s->at.lo < hi; s = next_of(s))
    for (unsigned i = 0; s->sharing != AG_READS && i < s->n_readers; ++i)
      if (ag_ref_alive(s->readers[i]))
        return true;
  return false;
}

int ag_segments_users(const struct ag_segments *of, uintptr_t lo, uintptr_t hi, bool writers,
                      int (*each)(struct ag_unit *unit, void *context), void *context) {
  return users_from(of, first_behind(of, lo), lo, hi, writers, SIZE_MAX, each, context);
}

int ag_segments_users_near(struct ag_segments *of, unsigned section, uintptr_t lo, uintptr_t hi, bool writers,
                           int (*each)(struct ag_unit *unit, void *context), void *context) {
  struct ag_segment *s = find(of, section, lo);
  of->guess[section % AG_GUESSES] = s;
  return users_from(of, s, lo, hi, writers, MOST_NEAR, each, context);
}

struct ag_interval ag_segment_place(const struct ag_segment *s) {
  return (struct ag_interval){s->at.lo, s->at.hi, 0, 0};
}

int ag_segments_take(struct ag_segments *of, struct ag_graph_store *store, uintptr_t lo, uintptr_t hi,
                     int (*take)(const struct ag_segment *segment, void *context), void *context) {
  struct ag_segment *s = first_behind(of, lo), *next;
  if (s && s->at.lo < lo && s->at.hi > lo && !(s = split(of, store, s, lo)))
    return -ENOMEM;
  for (; s && s->at.lo < hi; s = next) {
    if (s->at.hi > hi && !split(of, store, s, hi))
      return -ENOMEM;
    next = next_of(s);
    drop_dead(s);
    int err = s->writer.unit || s->n_readers ? take(s, context) : 0;
    if (err)
      return err;
    erase(of, store, s);
  }
  return 0;
}

int ag_segments_copy(struct ag_segments *to, struct ag_graph_store *store, const struct ag_segment *from,
                     uintptr_t lo, uintptr_t hi) {
  struct ag_segment *s = add(to, store, lo, hi);
  if (!s || reserve_readers(store, s, from->n_readers)) {
    if (s)
      erase(to, store, s);
    return -ENOMEM;
  }
  s->writer = from->writer;
  s->sharing = from->sharing;
  s->n_readers = from->n_readers;
  s->n_loose = from->n_loose;
  memcpy(s->readers, from->readers, from->n_readers * sizeof *from->readers);
  return 0;
}

int ag_segments_copy_all(struct ag_segments *to, struct ag_graph_store *store, struct ag_segments *from) {
  ag_segments_sweep(from, store);
  for (struct ag_segment *s = first_behind(from, 0); s; s = next_of(s))
    if (ag_segments_copy(to, store, s, s->at.lo, s->at.hi)) {
      ag_segments_clear(to, store);
      return -ENOMEM;
    }
  to->sweep_at = from->sweep_at;
  return 0;
}

void ag_segments_clear(struct ag_segments *of, struct ag_graph_store *store) {
  if (store->reader_bytes > KEPT_BYTES)
    for (struct ag_segment *s = first_behind(of, 0); s; s = next_of(s))
      ag_segments_free_readers(store, s);
  ag_tree_empty(&of->tree, &store->segments);
  memset(of->guess, 0, sizeof of->guess);
  of->sweep_at = 0;
}

size_t ag_segment_size(void) { return sizeof(struct ag_segment); }
