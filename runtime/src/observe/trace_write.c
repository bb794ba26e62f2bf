/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The trace as JSON in the trace event format, as Perfetto and chrome://tracing read it. Process 1 is the
 * program with a thread for each track; each device is a process with a thread for each of its slots. All
 * times in the file are microseconds since the runtime was started. Beside traceEvents, which other tools
 * read, stands "agglom": what agglom-report wants to know beyond them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "observe/counters.h"
#include "observe/track.h"
#include "sys/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { HOST = 1, DEVICES = 2 }; /* numbers of processes */

/* What becomes of an entry. Of those that begin and end together, an earlier one encloses a later one. */
enum what {
  OVER,
  BATCH,
  ON_DEVICE,
  WAIT,
  UNITS,
  CPU_BATCH,
  STAGE,
  LAUNCH,
  COPY_IN,
  KERNEL,
  COPY_OUT,
  COMMIT
};

struct item {
  uint64_t begin, end;
  const struct ag_trace_entry *entry;
  unsigned thread;
  enum what what;
};

struct list {
  struct item *items;
  size_t n, room;
  bool full; /* no memory for more */
};

/* What is between two events: the counters, and whether a comma is due. */
struct printing {
  FILE *out;
  uint64_t start;
  uint64_t waiting, on_devices, bytes_in, bytes_out;
  uint64_t counted; /* when units were counted last */
  bool any;
};

/* --- From entries to items ------------------------------------------------------------------------------ */

static void add(struct list *list, enum what what, const void *entry, unsigned thread, uint64_t begin,
                uint64_t end) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 1024;
    struct item *grown = realloc(list->items, room * sizeof *grown);
    if (!grown) {
      list->full = true;
      return;
    }
    list->items = grown;
    list->room = room;
  }
  list->items[list->n++] = (struct item){begin, end > begin ? end : begin, entry, thread, what};
}

static uint64_t clamp(uint64_t n, uint64_t lo, uint64_t hi) { return n < lo ? lo : n > hi ? hi : n; }

static unsigned thread_of(const struct ag_trace_track *t) { return t->number + 1; }

/* A launch: on its slot, and what threads did for it. A device's clock is brought to ours with some error;
 * its spans stay within what this side has seen. */
static void add_launch(struct list *list, const struct ag_trace_launch *l) {
  const struct ag_batch_record *r = &l->record;
  uint64_t end = r->begin_ns + r->total_ns, staged = r->begin_ns + r->stage_ns;
  add(list, BATCH, l, r->slot + 1, r->begin_ns, end);
  add(list, OVER, l, r->slot + 1, end, end);
  if (r->stage_ns && r->begun_on)
    add(list, STAGE, l, thread_of(r->begun_on), r->begin_ns, staged);
  if (r->launched_ns && r->begun_on)
    add(list, LAUNCH, l, thread_of(r->begun_on), staged, r->launched_ns);
  if (!r->finished_ns)
    return;
  add(list, ON_DEVICE, l, r->slot + 1, staged, r->finished_ns);
  if (r->ended_on)
    add(list, COMMIT, l, thread_of(r->ended_on), r->finished_ns, end);
  const struct ag_clock_span *spans[] = {&r->copy_in, &r->kernel, &r->copy_out};
  uint64_t from = staged;
  for (unsigned i = 0; i < 3; ++i) {
    if (!spans[i]->end)
      continue;
    uint64_t begin = clamp(spans[i]->begin, from, r->finished_ns);
    from = clamp(spans[i]->end, begin, r->finished_ns);
    add(list, (enum what)(COPY_IN + i), l, r->slot + 1, begin, from);
  }
}

static void add_entry(struct list *list, const struct ag_trace_track *t, const struct ag_trace_entry *e) {
  static const enum what of_kind[] = {
      [AG_TRACE_UNITS] = UNITS, [AG_TRACE_CPU_BATCH] = CPU_BATCH, [AG_TRACE_WAIT] = WAIT};
  if (e->kind == AG_TRACE_BATCH) {
    add_launch(list, (const void *)e);
    return;
  }
  const struct ag_trace_span *s = (const void *)e;
  add(list, of_kind[e->kind], e, thread_of(t), s->begin_ns,
      atomic_load_explicit(&s->end_ns, memory_order_relaxed));
}

static void add_track(struct list *list, const struct ag_trace_track *t) {
  const struct ag_trace_chunk *c = atomic_load_explicit(&t->first, memory_order_acquire);
  for (; c; c = atomic_load_explicit(&c->next, memory_order_acquire)) {
    size_t used = atomic_load_explicit(&c->used, memory_order_acquire);
    for (size_t at = 0; at < used;) {
      const struct ag_trace_entry *e = (const void *)(c->bytes + at);
      add_entry(list, t, e);
      at += e->size;
    }
  }
}

/* By time, so that counters can be added up; what encloses others before them. */
static int by_time(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  if ((x->what == OVER) != (y->what == OVER))
    return x->what == OVER ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return x->what < y->what ? -1 : x->what > y->what;
}

/* --- From items to events ------------------------------------------------------------------------------- */

/* In 1024ths of a microsecond. Readers add the beginning and the length of a span in floating point: these
 * sums are exact, so spans that touch do not seem to overlap. */
static uint64_t parts_of_us(uint64_t ns) { return ns / 1000 * 1024 + ns % 1000 * 1024 / 1000; }

static void print_us(FILE *out, const char *key, uint64_t parts) {
  fprintf(out, ",\"%s\":%" PRIu64 ".%010" PRIu64, key, parts / 1024, parts % 1024 * 9765625);
}

static void begin_event(struct printing *p, const char *phase, unsigned process, unsigned thread,
                        uint64_t at) {
  fprintf(p->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", p->any ? "," : "", phase, process, thread);
  print_us(p->out, "ts", parts_of_us(at - p->start));
  p->any = true;
}

/* Two batches may have been taken at the same time: the counter goes forwards all the same. */
static void count_units(struct printing *p, uint64_t at) {
  p->counted = at > p->counted ? at : p->counted;
  begin_event(p, "C", HOST, 0, p->counted);
  fprintf(p->out, ",\"name\":\"units\",\"args\":{\"waiting\":%" PRIu64 ",\"on devices\":%" PRIu64 "}}",
          p->waiting, p->on_devices);
}

/* A batch takes its units out of those that wait. */
static void count_batch(struct printing *p, uint64_t at, uint64_t left, uint64_t units, bool device) {
  p->waiting = left + units;
  count_units(p, at);
  p->waiting = left;
  p->on_devices += device ? units : 0;
  count_units(p, at + 1);
}

static void count_bytes(struct printing *p, uint64_t at) {
  begin_event(p, "C", HOST, 0, at);
  fprintf(p->out, ",\"name\":\"bytes\",\"args\":{\"to devices\":%" PRIu64 ",\"back\":%" PRIu64 "}}",
          p->bytes_in, p->bytes_out);
}

/* A span called after its task, or by a name of its own; the arguments follow. */
static void begin_span(struct printing *p, const struct item *i, unsigned process, const char *category,
                       const char *name) {
  begin_event(p, "X", process, i->thread, i->begin);
  print_us(p->out, "dur", parts_of_us(i->end - p->start) - parts_of_us(i->begin - p->start));
  fprintf(p->out, ",\"cat\":\"%s\",\"name\":", category);
  if (name)
    fprintf(p->out, "\"%s\"", name);
  else
    ag_json_string(p->out, i->entry->task->name);
}

/* Of a loop; other batches do not have the argument. */
static void print_iterations(const struct printing *p, uint64_t iterations) {
  if (iterations)
    fprintf(p->out, ",\"iterations\":%" PRIu64, iterations);
}

static void print_batch(struct printing *p, const struct item *i, const struct ag_batch_record *r,
                        unsigned process) {
  const char *reason = ag_reason_key(r->reason);
  begin_event(p, "i", process, i->thread, i->begin);
  fprintf(p->out, ",\"s\":\"t\",\"cat\":\"reason\",\"name\":\"%s\"}", reason ? reason : "?");
  begin_span(p, i, process, "batch", NULL);
  fprintf(p->out,
          ",\"args\":{\"units\":%" PRIu64 ",\"reason\":\"%s\",\"joined\":%" PRIu64 ",\"chains\":%" PRIu64
          ",\"split_parts\":%" PRIu64 ",\"warps\":%" PRIu64 ",\"bytes_in\":%" PRIu64
          ",\"bytes_direct\":%" PRIu64 ",\"bytes_reused\":%" PRIu64 ",\"bytes_out\":%" PRIu64
          ",\"stage_ns\":%" PRIu64 ",\"kernel_ns\":%" PRIu64 ",\"failed\":%s",
          r->units, reason ? reason : "?", r->joined, r->chains, r->split_parts, r->warps, r->bytes_in,
          r->bytes_direct, r->bytes_reused, r->bytes_out, r->stage_ns, r->device_ns,
          r->failed ? "true" : "false");
  print_iterations(p, r->iterations);
  fputs("}}", p->out);
  count_batch(p, i->begin, r->queued, r->units, true);
}

/* The parts of a launch, on its slot or on a thread of the program. */
static void print_part(struct printing *p, const struct item *i, const struct ag_batch_record *r,
                       unsigned process) {
  static const char *const names[] = {[ON_DEVICE] = "device", [STAGE] = "stage",   [LAUNCH] = "launch",
                                      [COPY_IN] = "copy in",  [KERNEL] = "kernel", [COPY_OUT] = "copy out",
                                      [COMMIT] = "commit"};
  bool host = i->what == STAGE || i->what == LAUNCH || i->what == COMMIT;
  begin_span(p, i, host ? HOST : process, host ? "host" : "device", names[i->what]);
  fprintf(p->out, ",\"args\":{\"task\":");
  ag_json_string(p->out, i->entry->task->name);
  fprintf(p->out, ",\"units\":%" PRIu64 "}}", r->units);
}

static void print_item(struct printing *p, const struct item *i) {
  const struct ag_trace_span *s = (const void *)i->entry;
  const struct ag_batch_record *r = &((const struct ag_trace_launch *)(const void *)i->entry)->record;
  switch (i->what) {
  case UNITS:
    begin_span(p, i, HOST, "units", NULL);
    fprintf(p->out, ",\"args\":{\"units\":%" PRIu64, atomic_load(&s->units));
    print_us(p->out, "busy_us", parts_of_us(atomic_load(&s->busy_ns)));
    fputs("}}", p->out);
    break;
  case CPU_BATCH: {
    const char *reason = ag_reason_key((enum ag_reason)i->entry->reason);
    begin_span(p, i, HOST, "cpu_batch", NULL);
    fprintf(p->out, ",\"args\":{\"units\":%" PRIu64 ",\"reason\":\"%s\"", atomic_load(&s->units),
            reason ? reason : "?");
    print_iterations(p, s->iterations);
    fputs("}}", p->out);
    count_batch(p, i->begin, s->queued, atomic_load(&s->units), false);
    break;
  }
  case WAIT:
    begin_span(p, i, HOST, "wait", "wait");
    fputs(",\"args\":{}}", p->out);
    break;
  case BATCH:
    print_batch(p, i, r, DEVICES + (unsigned)r->where);
    break;
  case OVER:
    p->on_devices -= r->units;
    p->bytes_in += r->bytes_in;
    p->bytes_out += r->bytes_out;
    count_units(p, i->begin);
    count_bytes(p, i->begin);
    break;
  default:
    print_part(p, i, r, DEVICES + (unsigned)r->where);
  }
}

/* --- Names ---------------------------------------------------------------------------------------------- */

/* thread 0: the name of the process. */
static void print_name(struct printing *p, unsigned process, unsigned thread, const char *name, unsigned n) {
  fprintf(p->out,
          "%s\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":", p->any ? "," : "",
          process, thread, thread ? "thread_name" : "process_name");
  if (n) {
    fprintf(p->out, "\"%s %u\"", name, n); /* of ours: nothing to escape */
  } else {
    ag_json_string(p->out, name);
  }
  fprintf(p->out,
          "}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}}",
          process, thread, thread ? "thread" : "process", thread ? thread : process);
  p->any = true;
}

static void print_names(struct printing *p, const struct ag_trace_state *state, const struct list *list) {
  unsigned slots[AG_OBSERVE_DEVICES] = {0}; /* the highest that was used */
  for (size_t i = 0; i < list->n; ++i) {
    const struct ag_trace_launch *l = (const void *)list->items[i].entry;
    if (list->items[i].what == BATCH && l->record.slot >= slots[l->record.where])
      slots[l->record.where] = l->record.slot + 1;
  }
  print_name(p, HOST, 0, program_invocation_short_name, 0);
  for (const struct ag_trace_track *t = state->tracks; t; t = t->next)
    print_name(p, HOST, thread_of(t), t->pool ? "worker" : "host thread", t->of_kind);
  for (unsigned d = 0; d < AG_OBSERVE_DEVICES; ++d) {
    const char *name = ag_observe_device_name((int)d);
    if (!name)
      continue;
    print_name(p, DEVICES + d, 0, name, 0);
    for (unsigned s = 0; s < slots[d]; ++s)
      print_name(p, DEVICES + d, s + 1, "slot", s + 1);
  }
}

/* --- The whole ------------------------------------------------------------------------------------------ */

static void print_head(FILE *out, const struct ag_trace_state *state) {
  struct timespec now;
  struct tm utc;
  char started[32] = "";
  uint64_t span = ag_clock_ns() - state->begin_ns;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= (time_t)(span / 1000000000);
  if (gmtime_r(&now.tv_sec, &utc))
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
  fprintf(out, "{\"displayTimeUnit\":\"ns\",\n\"agglom\":{\"trace\":1,\"version\":\"%s\",\"program\":",
          AGGLOM_VERSION);
  ag_json_string(out, program_invocation_short_name);
  fprintf(out, ",\"process\":%ld,\"started\":\"%s\",\"span_ns\":%" PRIu64, (long)getpid(), started, span);
  fprintf(out,
          ",\n\"lost\":{\"units\":%" PRIu64 ",\"waits\":%" PRIu64 ",\"cpu_batches\":%" PRIu64
          ",\"launches\":%" PRIu64 "},\n\"report\":",
          state->lost[AG_TRACE_UNITS], state->lost[AG_TRACE_WAIT], state->lost[AG_TRACE_CPU_BATCH],
          state->lost[AG_TRACE_BATCH]);
  ag_observe_report(out, AG_REPORT_JSON);
  fprintf(out, "},\n\"traceEvents\":[");
}

int ag_trace_print(FILE *out, const struct ag_trace_state *state) {
  struct list list = {0};
  for (const struct ag_trace_track *t = state->tracks; t && !list.full; t = t->next)
    add_track(&list, t);
  if (!list.full) {
    struct printing p = {.out = out, .start = state->begin_ns};
    if (list.n)
      qsort(list.items, list.n, sizeof *list.items, by_time);
    print_head(out, state);
    print_names(&p, state, &list);
    for (size_t i = 0; i < list.n; ++i)
      print_item(&p, &list.items[i]);
    fputs("\n]}\n", out);
  }
  free(list.items);
  return list.full ? -ENOMEM : 0;
}
