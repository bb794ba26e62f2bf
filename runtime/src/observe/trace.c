/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "observe/track.h"
#include "sys/clock.h"
#include "sys/log.h"
#include "sys/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_CHUNK = 4 << 10, MOST_CHUNK = 256 << 10 };

_Atomic bool ag_trace_is_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list, the path and writing */
static struct ag_trace_track *tracks;
static unsigned n_tracks, n_pool;
static char file[PATH_MAX];
static uint64_t begin_ns;
static size_t most_bytes;
static _Atomic size_t bytes; /* of all chunks */
static _Atomic uint64_t lost[AG_TRACE_KINDS];
static char asked[AG_ENV_TEXT]; /* the file's name as it was given, and how often in a row */
static unsigned times_asked;

/* --- The file ----------------------------------------------------------------------------------------- */

/* Appends text to file[]; false when it does not fit. */
static bool append(size_t *at, const char *text, size_t n) {
  if (n >= sizeof file - *at)
    return false;
  memcpy(file + *at, text, n);
  file[ *at += n] = '\0';
  return true;
}

/* The absolute name: %p is the process; what a process traces after it has started the runtime anew goes to
 * another file each time, "-2" before the suffix and so on. */
static bool resolve(const char *path) {
  char number[24] = "";
  const char *base = strrchr(path, '/'), *dot = strrchr(base ? base + 1 : path, '.');
  if (!dot || dot == (base ? base + 1 : path))
    dot = path + strlen(path);
  if (times_asked > 1)
    snprintf(number, sizeof number, "-%u", times_asked);
  size_t at = 0;
  file[0] = '\0';
  if (path[0] != '/') {
    if (!getcwd(file, sizeof file))
      return false;
    at = strlen(file);
    if (!append(&at, "/", 1))
      return false;
  }
  for (const char *p = path;; ++p) {
    if (p == dot && !append(&at, number, strlen(number)))
      return false;
    if (!*p)
      return true;
    char process[24];
    if (p[0] == '%' && p[1] == 'p') {
      int n = snprintf(process, sizeof process, "%ld", (long)getpid());
      if (!append(&at, process, (size_t)n))
        return false;
      ++p;
    } else if (!append(&at, p, 1)) {
      return false;
    }
  }
}

int ag_trace_start(const struct ag_trace_choice *choice) {
  if (!choice->path[0])
    return 0;
  pthread_mutex_lock(&lock);
  times_asked = strcmp(asked, choice->path) ? 1 : times_asked + 1;
  snprintf(asked, sizeof asked, "%s", choice->path);
  int err = resolve(choice->path) ? 0 : -ENAMETOOLONG;
  if (!err) {
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    err = fd < 0 ? -errno : 0;
    if (fd >= 0)
      close(fd);
  }
  begin_ns = ag_clock_ns();
  most_bytes = choice->memory;
  pthread_mutex_unlock(&lock);
  if (err)
    ag_warn("AGGLOM_TRACE: %s cannot be written (%s); nothing is traced", choice->path, strerror(-err));
  else
    atomic_store(&ag_trace_is_on, true);
  return err;
}

int ag_trace_write(const char *path) {
  if (!ag_tracing())
    return -ENOENT;
  pthread_mutex_lock(&lock);
  const char *to = path ? path : file;
  struct ag_trace_state state = {.begin_ns = begin_ns, .tracks = tracks, .n_tracks = n_tracks};
  for (int k = 0; k < AG_TRACE_KINDS; ++k)
    state.lost[k] = atomic_load(&lost[k]);
  int err = 0;
  struct ag_writing w;
  ag_writing_begin(&w);
  FILE *out = fopen(to, "we");
  if (!out)
    err = -errno;
  if (out) {
    err = ag_trace_print(out, &state);
    int bad = ferror(out);
    if ((fclose(out) || bad) && !err)
      err = -EIO;
  }
  ag_writing_end(&w);
  unsigned long long n[AG_TRACE_KINDS], all = 0;
  for (int k = 0; k < AG_TRACE_KINDS; ++k)
    all += n[k] = state.lost[k];
  if (!err && all)
    ag_warn(
        "AGGLOM_TRACE: %llu units, %llu waits, %llu CPU batches and %llu launches did not fit and are not in "
        "the trace; set AGGLOM_TRACE_MEMORY to more than %zuKB",
        n[AG_TRACE_UNITS], n[AG_TRACE_WAIT], n[AG_TRACE_CPU_BATCH], n[AG_TRACE_BATCH], most_bytes >> 10);
  if (err == -EIO)
    ag_error(
        "AGGLOM_TRACE: %s could not be written completely; is the disk full, or the size of files limited?",
        to);
  else if (err)
    ag_error("AGGLOM_TRACE: the trace cannot be written to %s (%s)", to, strerror(-err));
  pthread_mutex_unlock(&lock);
  return err;
}

void ag_trace_forsake(void) { atomic_store(&ag_trace_is_on, false); }

void ag_trace_end(void) {
  atomic_store(&ag_trace_is_on, false);
  pthread_mutex_lock(&lock);
  while (tracks) {
    struct ag_trace_track *t = tracks;
    tracks = t->next;
    for (struct ag_trace_chunk *c = atomic_load(&t->first), *next; c; c = next) {
      next = atomic_load(&c->next);
      free(c);
    }
    free(t);
  }
  n_tracks = n_pool = 0;
  atomic_store(&bytes, 0);
  for (int k = 0; k < AG_TRACE_KINDS; ++k)
    atomic_store(&lost[k], 0);
  pthread_mutex_unlock(&lock);
}

/* --- Recording ---------------------------------------------------------------------------------------- */

struct ag_trace_track *ag_trace_track(bool pool) {
  if (!ag_tracing())
    return NULL;
  struct ag_trace_track *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  pthread_mutex_lock(&lock);
  t->pool = pool;
  t->number = n_tracks++;
  n_pool += pool;
  t->of_kind = pool ? n_pool : n_tracks - n_pool;
  t->next = tracks;
  tracks = t;
  pthread_mutex_unlock(&lock);
  return t;
}

/* Memory of all tracks beyond which this kind is not kept. */
static size_t limit_of(enum ag_trace_kind kind) {
  return kind == AG_TRACE_UNITS || kind == AG_TRACE_WAIT ? most_bytes / 4 * 3 : most_bytes;
}

/* Bytes of the track's next chunk. */
static size_t next_chunk(const struct ag_trace_track *t) {
  size_t size = t->last ? 2 * t->last->size : FIRST_CHUNK;
  return size < MOST_CHUNK ? size : MOST_CHUNK;
}

/* Takes `size` bytes out of the memory that entries of this kind may have; false when they are not there. */
static bool take(size_t size, enum ag_trace_kind kind) {
  if (atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed) + size <= limit_of(kind))
    return true;
  atomic_fetch_sub_explicit(&bytes, size, memory_order_relaxed);
  return false;
}

/* Another chunk for the track, a smaller one near the limit; false when there is to be none. */
static bool grow(struct ag_trace_track *t, enum ag_trace_kind kind) {
  size_t size = next_chunk(t);
  while (!take(size, kind)) {
    size /= 2;
    if (size < FIRST_CHUNK)
      return false;
  }
  struct ag_trace_chunk *c = malloc(sizeof *c + size);
  if (!c) {
    atomic_fetch_sub_explicit(&bytes, size, memory_order_relaxed);
    return false;
  }
  atomic_init(&c->next, NULL);
  atomic_init(&c->used, 0);
  c->size = size;
  atomic_store_explicit(t->last ? &t->last->next : &t->first, c, memory_order_release);
  t->last = c;
  return true;
}

/* Room for an entry, which publish() then lets readers see. NULL: counted as lost. */
static void *make(struct ag_trace_track *t, enum ag_trace_kind kind, size_t size,
                  const struct ag_observe_task *task) {
  if (!t || !ag_tracing())
    return NULL;
  size_t used = t->last ? atomic_load_explicit(&t->last->used, memory_order_relaxed) : 0;
  if (!t->last || t->last->size - used < size) {
    if (!grow(t, kind)) {
      atomic_fetch_add_explicit(&lost[kind], 1, memory_order_relaxed);
      return NULL;
    }
    used = 0;
  }
  t->open = NULL;
  struct ag_trace_entry *e = (void *)(t->last->bytes + used);
  *e = (struct ag_trace_entry){.kind = (uint16_t)kind, .size = (uint16_t)size, .task = task};
  return e;
}

static void publish(struct ag_trace_track *t, const void *entry) {
  const struct ag_trace_entry *e = entry;
  size_t used = (size_t)((const char *)entry - t->last->bytes) + e->size;
  atomic_store_explicit(&t->last->used, used, memory_order_release);
}

static struct ag_trace_span *add_span(struct ag_trace_track *t, enum ag_trace_kind kind,
                                      const struct ag_observe_task *task, uint64_t begin, uint64_t end) {
  struct ag_trace_span *s = make(t, kind, sizeof *s, task);
  if (!s)
    return NULL;
  s->begin_ns = begin;
  atomic_init(&s->end_ns, end);
  atomic_init(&s->units, 1);
  atomic_init(&s->busy_ns, end - begin);
  s->queued = s->iterations = 0;
  return s;
}

/* A unit or a wait is over: no unit joins a span that was recorded within it any more. */
static void leave(struct ag_trace_track *t) {
  --t->depth;
  if (t->open_depth > t->depth)
    t->open = NULL;
}

/* Whether the unit can join the span before it, which has the same surroundings. Readers may see a moment in
 * between, where one number has already grown and another has not. */
static bool join(const struct ag_trace_track *t, const struct ag_observe_task *task, uint64_t begin,
                 uint64_t end) {
  struct ag_trace_span *s = t->open;
  if (!s || t->open_depth != t->depth || s->entry.task != task ||
      atomic_load_explicit(&bytes, memory_order_relaxed) + next_chunk(t) <= most_bytes / 2)
    return false;
  uint64_t busy = atomic_load_explicit(&s->busy_ns, memory_order_relaxed);
  uint64_t units = atomic_load_explicit(&s->units, memory_order_relaxed);
  atomic_store_explicit(&s->end_ns, end, memory_order_relaxed);
  atomic_store_explicit(&s->busy_ns, busy + (end - begin), memory_order_relaxed);
  atomic_store_explicit(&s->units, units + 1, memory_order_relaxed);
  return true;
}

uint64_t ag_trace_begin(struct ag_trace_track *t) {
  if (!t || !ag_tracing())
    return 0;
  ++t->depth;
  return ag_clock_ns();
}

void ag_trace_unit(struct ag_trace_track *t, const struct ag_observe_task *task, uint64_t begin) {
  uint64_t now = ag_clock_ns();
  if (!t)
    return;
  leave(t);
  if (!task || join(t, task, begin, now))
    return;
  struct ag_trace_span *s = add_span(t, AG_TRACE_UNITS, task, begin, now);
  if (s) {
    publish(t, s);
    t->open = s;
    t->open_depth = t->depth;
  }
}

void ag_trace_wait(struct ag_trace_track *t, uint64_t begin) {
  if (!t)
    return;
  leave(t);
  struct ag_trace_span *s = add_span(t, AG_TRACE_WAIT, NULL, begin, ag_clock_ns());
  if (s)
    publish(t, s);
}

void ag_trace_batch(const struct ag_observe_task *task, const struct ag_batch_record *r) {
  struct ag_trace_track *t = r->ended_on;
  if (r->where == AG_OBSERVE_CPU) {
    struct ag_trace_span *s = add_span(t, AG_TRACE_CPU_BATCH, task, r->begin_ns, r->begin_ns + r->total_ns);
    if (!s)
      return;
    atomic_init(&s->units, r->units);
    s->entry.reason = r->reason;
    s->queued = r->queued;
    s->iterations = r->iterations;
    publish(t, s);
    return;
  }
  struct ag_trace_launch *l = make(t, AG_TRACE_BATCH, sizeof *l, task);
  if (!l)
    return;
  l->record = *r;
  publish(t, l);
}
