/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "memory/pinned.h"

#include "sys/topology.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 256 };

enum state {
  PLAIN,   /* not registered */
  LOCKED,  /* registered by its owner */
  FORKED,  /* likewise, but since a fork the pages may be other ones */
  REFUSED, /* a device refused to register it; asked again once a device was closed */
  HELD     /* a device may read it that cannot be asked: stays as it is for ever */
};

struct range {
  uintptr_t lo, hi;
  enum state state;
  bool asked; /* a device is being asked about it: nobody else touches it meanwhile */
  struct ag_device *owner;
  uint32_t readers; /* devices that have read it in place, by their number */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;   /* guards all that follows */
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER; /* a range is no longer asked about */
static unsigned forks;                                     /* of this process */
static struct range *ranges;                               /* sorted */
static size_t n_ranges, room;
static _Atomic bool any; /* there are ranges; read without the lock */
static struct ag_device *devices[AG_MAX_DEVICES];

/* --- The table ---------------------------------------------------------------------------------------- */

static bool lost(const struct ag_device *dev) { return atomic_load(&dev->health) != AG_DEVICE_OK; }

/* Index of the first range that ends behind the address. */
static size_t behind(uintptr_t address) {
  size_t low = 0, high = n_ranges;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ranges[middle].hi <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Adds a range to the table. Without memory for that it is plain memory. */
static void insert(void *memory, size_t bytes) {
  uintptr_t lo = (uintptr_t)memory;
  pthread_mutex_lock(&lock);
  if (n_ranges == room) {
    size_t more = room ? 2 * room : 16;
    struct range *grown = realloc(ranges, more * sizeof *grown);
    if (grown) {
      ranges = grown;
      room = more;
    }
  }
  if (n_ranges < room) {
    size_t at = behind(lo);
    memmove(ranges + at + 1, ranges + at, (n_ranges++ - at) * sizeof *ranges);
    ranges[at] = (struct range){.lo = lo, .hi = lo + bytes};
    atomic_store(&any, true);
  }
  pthread_mutex_unlock(&lock);
}

static bool read_by_a_lost_one(const struct range *r) {
  for (unsigned d = 0; d < AG_MAX_DEVICES; ++d)
    if ((r->readers >> d & 1) && lost(devices[d]))
      return true;
  return false;
}

static void become(struct range *r, enum state state) {
  r->state = state;
  r->owner = NULL;
  r->readers = 0;
}

/* Marks the range and lets go of the lock: asking a device calls the driver. The table may change
 * meanwhile. */
static uintptr_t begin_asking(struct range *r) {
  uintptr_t lo = r->lo;
  r->asked = true;
  pthread_mutex_unlock(&lock);
  return lo;
}

/* Takes the lock again. Returns the range, at its present place in the table. */
static struct range *end_asking(uintptr_t lo) {
  pthread_mutex_lock(&lock);
  struct range *r = &ranges[behind(lo)];
  r->asked = false;
  pthread_cond_broadcast(&answered);
  return r;
}

/* Has the owner unregister the range; where it is not sure that no device reads it any more, the range is
 * held. Returns its present place. */
static struct range *let_go(struct range *r) {
  struct ag_device *owner = r->owner;
  if (!owner)
    return r;
  bool held = lost(owner) || read_by_a_lost_one(r);
  if (!held) {
    uintptr_t lo = begin_asking(r);
    held = owner->ops->host_unregister(owner, (void *)lo); /* NOLINT(performance-no-int-to-ptr) */
    r = end_asking(lo);
  }
  become(r, held || r->state == HELD ? HELD : PLAIN);
  return r;
}

/* --- Memory ------------------------------------------------------------------------------------------- */

void *ag_pinned_alloc(size_t bytes) {
  size_t align = bytes < (size_t)AG_DIRECT_LEAST ? (size_t)ALIGN : ag_page_size();
  if (!bytes)
    return NULL;
  if (bytes > SIZE_MAX - align) {
    errno = ENOMEM;
    return NULL;
  }
  bytes = (bytes + align - 1) / align * align;
  void *memory = aligned_alloc(align, bytes);
  if (memory && bytes >= (size_t)AG_DIRECT_LEAST)
    insert(memory, bytes);
  return memory;
}

/* The range that begins there, which no device is being asked about; NULL: there is none. */
static struct range *at_rest(uintptr_t lo) {
  for (;;) {
    size_t at = behind(lo);
    struct range *r = at < n_ranges && ranges[at].lo == lo ? &ranges[at] : NULL;
    if (!r || !r->asked)
      return r;
    pthread_cond_wait(&answered, &lock);
  }
}

void ag_pinned_free(void *memory) {
  if (!memory)
    return;
  pthread_mutex_lock(&lock);
  struct range *r = at_rest((uintptr_t)memory);
  if (r)
    r = let_go(r);
  bool held = r && r->state == HELD;
  if (held) /* the addresses stay taken; what is there matters to nobody */
    madvise(memory, r->hi - r->lo, MADV_DONTNEED);
  else if (r)
    memmove(r, r + 1, (size_t)(ranges + --n_ranges - r) * sizeof *r);
  pthread_mutex_unlock(&lock);
  if (!held)
    free(memory);
}

/* --- Devices ------------------------------------------------------------------------------------------ */

/* The device's number; new ones get one. AG_MAX_DEVICES: there are too many. */
static unsigned number_of(struct ag_device *dev) {
  unsigned unused = AG_MAX_DEVICES;
  for (unsigned d = AG_MAX_DEVICES; d-- > 0;) {
    if (devices[d] == dev)
      return d;
    if (!devices[d])
      unused = d;
  }
  if (unused < AG_MAX_DEVICES)
    devices[unused] = dev;
  return unused;
}

/* Registers the range for dev. */
static void enter(struct range *r, struct ag_device *dev) {
  size_t bytes = r->hi - r->lo;
  unsigned before = forks;
  uintptr_t lo = begin_asking(r);
  int err = dev->ops->host_register(dev, (void *)lo, bytes); /* NOLINT(performance-no-int-to-ptr) */
  r = end_asking(lo);
  if (r->state == HELD)
    return;
  r->state = err ? (lost(dev) ? HELD : REFUSED) : forks == before ? LOCKED : FORKED;
  r->owner = err ? NULL : dev;
}

/* Whether dev may read range number *at in place; registers it if need be. Where another thread asks a device
 * about it the answer is no, rather than a wait. *at may change. */
static bool readable(size_t *at, struct ag_device *dev) {
  unsigned number = number_of(dev);
  if (number == AG_MAX_DEVICES || lost(dev) || ranges[*at].asked)
    return false;
  if (ranges[*at].state == PLAIN) {
    uintptr_t lo = ranges[*at].lo;
    enter(&ranges[*at], dev);
    *at = behind(lo);
  }
  struct range *r = &ranges[*at];
  if (r->state != LOCKED || lost(r->owner))
    return false;
  r->readers |= (uint32_t)1 << number;
  return true;
}

size_t ag_pinned_parts(struct ag_device *dev, const struct ag_interval *pieces, size_t n,
                       struct ag_interval *parts, size_t most) {
  size_t found = 0;
  if (!atomic_load(&any))
    return 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n; ++i) {
    if (pieces[i].hi - pieces[i].lo < (size_t)AG_DIRECT_LEAST)
      continue;
    for (size_t r = behind(pieces[i].lo); r < n_ranges && ranges[r].lo < pieces[i].hi && found < most; ++r) {
      uintptr_t lo = ranges[r].lo > pieces[i].lo ? ranges[r].lo : pieces[i].lo;
      uintptr_t hi = ranges[r].hi < pieces[i].hi ? ranges[r].hi : pieces[i].hi;
      if (hi - lo >= (size_t)AG_DIRECT_LEAST && readable(&r, dev))
        parts[found++] = (struct ag_interval){lo, hi, 0, 0};
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void ag_pinned_hold(struct ag_device *dev) {
  pthread_mutex_lock(&lock);
  unsigned number = number_of(dev);
  for (size_t i = 0; i < n_ranges && number < AG_MAX_DEVICES; ++i)
    if (ranges[i].readers >> number & 1)
      become(&ranges[i], HELD);
  pthread_mutex_unlock(&lock);
}

void ag_pinned_close(struct ag_device *dev) {
  pthread_mutex_lock(&lock);
  unsigned number = number_of(dev);
  for (size_t i = 0; i < n_ranges && number < AG_MAX_DEVICES; ++i) {
    uintptr_t lo = ranges[i].lo;
    struct range *r = at_rest(lo);
    i = behind(lo);
    if (!r) { /* another thread has freed it meanwhile */
      --i;
      continue;
    }
    bool read = r->readers >> number & 1;
    if (r->owner == dev || (read && lost(dev))) {
      r = let_go(r);
      i = (size_t)(r - ranges);
    }
    r->readers &= ~((uint32_t)1 << number);
    if (r->state == REFUSED)
      r->state = PLAIN;
  }
  if (number < AG_MAX_DEVICES)
    devices[number] = NULL;
  pthread_mutex_unlock(&lock);
}

/* --- Fork ----------------------------------------------------------------------------------------------- */

void ag_pinned_before_fork(void) { pthread_mutex_lock(&lock); }

void ag_pinned_after_fork(bool child) {
  ++forks;
  if (child)
    pthread_cond_init(&answered, NULL); /* the threads that waited are not in the child */
  for (size_t i = 0; i < n_ranges; ++i) {
    struct range *r = &ranges[i];
    if (child)
      *r = (struct range){.lo = r->lo, .hi = r->hi};
    else if (r->state == LOCKED)
      r->state = FORKED;
  }
  pthread_mutex_unlock(&lock);
}
