/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs from traces of the runtime (AGGLOM_TRACE). A trace tells when each batch was formed, how many
 * units waited then, and what the batch took; not when each single unit came. So units are taken to have come
 * evenly between the moments at which their number is known, and those of a batch to have cost the same. */
#include "json_read.h"
#include "tasks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOST = 1, FIRST_DEVICE = 2, MOST_TRACKS = 4096, SHORT = 64 };

enum kind { BATCH, CPU_BATCH, CPU_UNITS, WAIT, STAGE, LAUNCH, COMMIT };

struct event {
  enum kind kind;
  unsigned thread;
  double begin, end; /* ns */
  double units, kernel_ns, bytes_in, bytes_out;
  double waiting; /* when the batch was formed, with its units */
};

struct trace {
  struct event *event;
  size_t n, room;
  double workers;                /* as the report says; 0: it does not */
  unsigned threads, host_thread; /* host_thread: the first that is the program's own */
  unsigned devices;
  bool is_trace, full;
  bool loops, tasks; /* whether loops, and other tasks, have had batches */
};

/* An entry of the file, as far as it is of use. */
struct entry {
  char ph[8], cat[SHORT], name[SHORT], value[SHORT]; /* value: args.name */
  double pid, tid, ts, dur, units, kernel_ns, bytes_in, bytes_out, busy_us, waiting;
  bool failed;
};

/* --- Reading ----------------------------------------------------------------------------------------------
 */

/* A member of an object, and where its value goes: a number, or else a text. */
struct field {
  const char *name;
  double *number;
  char *text;
  size_t size;
};

static bool read_field(struct json *j, const char *key, const struct field *fields, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!strcmp(key, fields[i].name)) {
      if (fields[i].number)
        *fields[i].number = json_number(j);
      else
        json_string(j, fields[i].text, fields[i].size);
      return true;
    }
  return false;
}

static void read_arguments(struct json *j, struct entry *e) {
  const struct field fields[] = {
      {"name", NULL, e->value, sizeof e->value}, {"units", &e->units, NULL, 0},
      {"kernel_ns", &e->kernel_ns, NULL, 0},     {"bytes_in", &e->bytes_in, NULL, 0},
      {"bytes_out", &e->bytes_out, NULL, 0},     {"busy_us", &e->busy_us, NULL, 0},
      {"waiting", &e->waiting, NULL, 0}};
  char key[SHORT];
  json_object(j);
  while (json_member(j, key, sizeof key))
    if (!strcmp(key, "failed"))
      e->failed = json_truth(j);
    else if (!read_field(j, key, fields, sizeof fields / sizeof fields[0]))
      json_skip(j);
}

static void read_entry(struct json *j, struct entry *e) {
  const struct field fields[] = {{"ph", NULL, e->ph, sizeof e->ph},
                                 {"cat", NULL, e->cat, sizeof e->cat},
                                 {"name", NULL, e->name, sizeof e->name},
                                 {"pid", &e->pid, NULL, 0},
                                 {"tid", &e->tid, NULL, 0},
                                 {"ts", &e->ts, NULL, 0},
                                 {"dur", &e->dur, NULL, 0}};
  char key[SHORT];
  *e = (struct entry){.tid = 0};
  json_object(j);
  while (json_member(j, key, sizeof key))
    if (!strcmp(key, "args"))
      read_arguments(j, e);
    else if (!read_field(j, key, fields, sizeof fields / sizeof fields[0]))
      json_skip(j);
}

static void add(struct trace *t, enum kind kind, const struct entry *e) {
  if (t->n == t->room) {
    size_t room = t->room ? 2 * t->room : 1024;
    struct event *grown = realloc(t->event, room * sizeof *grown);
    t->full = !grown;
    if (!grown)
      return;
    t->event = grown;
    t->room = room;
  }
  double begin = e->ts * 1e3, ns = kind == CPU_UNITS && e->busy_us > 0 ? e->busy_us * 1e3 : e->dur * 1e3;
  t->event[t->n++] = (struct event){.kind = kind,
                                    .thread = (unsigned)e->tid,
                                    .begin = begin,
                                    .end = begin + ns,
                                    .units = e->units,
                                    .kernel_ns = e->kernel_ns,
                                    .bytes_in = e->bytes_in,
                                    .bytes_out = e->bytes_out};
}

static bool within(double x, double most) { return x >= 0 && x <= most; }
static bool whole(double x, double most) { return within(x, most) && x == floor(x); }

/* False: no runtime of ours has written it. */
static bool take(struct trace *t, const struct entry *e) {
  if (!within(e->pid, MOST_TRACKS) || !within(e->tid, MOST_TRACKS) || !within(e->ts, 1e12) ||
      !within(e->dur, 1e12) || !whole(e->units, UINT32_MAX) || !whole(e->kernel_ns, 1e15) ||
      !whole(e->bytes_in, 1e18) || !whole(e->bytes_out, 1e18) || !within(e->busy_us, 1e12) ||
      !whole(e->waiting, 1e18))
    return false;
  bool span = !strcmp(e->ph, "X"), host = e->pid == HOST;
  if (!strcmp(e->ph, "M") && !strcmp(e->name, "thread_name") && host && e->tid >= 1) {
    t->threads = e->tid > t->threads ? (unsigned)e->tid : t->threads;
    if (!strncmp(e->value, "host", 4) && (!t->host_thread || e->tid < t->host_thread))
      t->host_thread = (unsigned)e->tid;
  } else if (!strcmp(e->ph, "M") && !strcmp(e->name, "process_name") && e->pid >= FIRST_DEVICE) {
    ++t->devices;
  } else if (!strcmp(e->ph, "C") && !strcmp(e->name, "units")) {
    /* Of the two counters of a batch the first one is from before. */
    if (t->n && !(t->event[t->n - 1].waiting > 0) && fabs(t->event[t->n - 1].begin - e->ts * 1e3) < 1 &&
        t->event[t->n - 1].kind <= CPU_BATCH)
      t->event[t->n - 1].waiting = e->waiting;
  } else if (span && !strcmp(e->cat, "batch") && e->pid >= FIRST_DEVICE) {
    if (!e->failed) /* else its units are in others */
      add(t, BATCH, e);
  } else if (span && host && !strcmp(e->cat, "cpu_batch")) {
    add(t, CPU_BATCH, e);
  } else if (span && host && !strcmp(e->cat, "units")) {
    add(t, CPU_UNITS, e);
  } else if (span && host && !strcmp(e->cat, "wait")) {
    add(t, WAIT, e);
  } else if (span && host && !strcmp(e->cat, "host")) {
    add(t, *e->name == 's' ? STAGE : *e->name == 'l' ? LAUNCH : COMMIT, e);
  }
  return true;
}

/* The number of that name among the members of an object, or else 0. */
static double member_of(struct json *j, const char *name) {
  char key[SHORT];
  double x = 0;
  json_object(j);
  while (json_member(j, key, sizeof key))
    if (!strcmp(key, name))
      x = json_number(j);
    else
      json_skip(j);
  return x;
}

/* A task of the report. */
static void read_task(struct json *j, struct trace *t) {
  char key[SHORT];
  bool loop = false;
  double batches = 0;
  json_object(j);
  while (json_member(j, key, sizeof key))
    if (!strcmp(key, "loop")) {
      loop = !json_null(j);
      if (loop)
        json_skip(j);
    } else if (!strcmp(key, "cpu")) {
      batches += member_of(j, "batches");
    } else if (!strcmp(key, "devices")) {
      json_array(j);
      while (json_element(j))
        batches += member_of(j, "launches");
    } else {
      json_skip(j);
    }
  if (batches > 0)
    *(loop ? &t->loops : &t->tasks) = true;
}

static void read_report(struct json *j, struct trace *t) {
  char key[SHORT];
  json_object(j);
  while (json_member(j, key, sizeof key))
    if (!strcmp(key, "settings")) {
      t->workers = member_of(j, "workers");
    } else if (!strcmp(key, "tasks")) {
      json_array(j);
      while (json_element(j))
        read_task(j, t);
    } else {
      json_skip(j);
    }
}

static bool read_trace(struct json *j, struct trace *t) {
  char key[SHORT];
  bool fits = true;
  struct entry e;
  json_object(j);
  while (json_member(j, key, sizeof key)) {
    if (!strcmp(key, "agglom")) {
      json_object(j);
      while (json_member(j, key, sizeof key))
        if (!strcmp(key, "trace"))
          t->is_trace = json_number(j) == 1;
        else if (!strcmp(key, "report"))
          read_report(j, t);
        else
          json_skip(j);
    } else if (!strcmp(key, "traceEvents") && t->is_trace) {
      json_array(j);
      while (fits && !t->full && json_element(j)) {
        read_entry(j, &e);
        fits = !j->bad && take(t, &e);
      }
      j->bad |= !fits;
    } else {
      json_skip(j);
    }
  }
  return json_over(j) && fits;
}

/* --- From events to a program -----------------------------------------------------------------------------
 */

static int by_begin(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* ns of the program's own: the time that its thread was not launching or committing. */
struct own_time {
  const struct trace *t;
  size_t next;
  double before; /* of such work until now */
};

static double own(struct own_time *o, double at) {
  const struct event *e;
  for (; o->next < o->t->n && (e = &o->t->event[o->next])->begin < at; ++o->next)
    if (e->kind >= STAGE && e->thread == o->t->host_thread)
      o->before += fmin(e->end, at) - e->begin;
  return fmax(0, at - o->before);
}

/* device[0] of the model is what kernels take; what threads take for them is a line, too. */
struct sums {
  struct ag_model model;
  struct ag_device_model stage, commit;
  double units, bytes_in, bytes_out, launch_ns;
  double one_size; /* units of each launch; 0: they differ */
};

/* So many units took so long. */
static void line(struct ag_device_model *m, double units, double ns) {
  ag_model_device(m, &(struct ag_measured_batch){.items = units, .ns = ns});
}

static struct sums add_up(const struct trace *t) {
  struct sums s = {.units = 0};
  double launches = 0;
  for (size_t i = 0; i < t->n; ++i) {
    const struct event *e = &t->event[i];
    if (e->kind == CPU_BATCH) {
      ag_model_cpu(&s.model, e->units, e->end - e->begin);
    } else if (e->kind == BATCH) {
      line(&s.model.device[0], e->units, e->kernel_ns);
      s.one_size = launches == 0 || s.one_size == e->units ? e->units : 0;
      s.units += e->units;
      s.bytes_in += e->bytes_in;
      s.bytes_out += e->bytes_out;
      ++launches;
    } else if (e->kind == STAGE || e->kind == COMMIT) {
      line(e->kind == STAGE ? &s.stage : &s.commit, e->units, e->end - e->begin);
    } else if (e->kind == LAUNCH) {
      s.launch_ns += e->end - e->begin;
    }
  }
  s.launch_ns = launches > 0 ? s.launch_ns / launches : 0;
  return s;
}

/* What a unit of this batch costs: on a CPU unit, or in ns of the device when no CPU has ever run one. */
static double cost_of(const struct event *e, const struct sums *s) {
  if (e->kind == CPU_BATCH)
    return (e->end - e->begin) / e->units;
  const struct ag_batch_times *d = &s->model.device[0].times;
  double ns = fmax(e->kernel_ns - d->launch_ns, 0.1 * e->kernel_ns) / e->units;
  return s->model.cpu_ns > 0 && d->item_ns > 0 ? ns * s->model.cpu_ns / d->item_ns : ns;
}

/* The units of the batches among events [from, to), which all came before `until`; they are submitted by a
 * task that begins at `since`. */
static void add_step(struct sim_program *p, const struct trace *t, const struct sums *s, struct own_time *o,
                     size_t from, size_t to, double since, double until, uint32_t step) {
  uint32_t first = p->units;
  double taken = 0, known = 0, at = own(o, since);
  for (size_t i = from; i < to; ++i) {
    const struct event *e = &t->event[i];
    if (e->kind == CPU_UNITS)
      p->task[p->tasks++] = (struct sim_task){.class = SIM_LOW,
                                              .thread = SIM_ANY_THREAD,
                                              .step = step,
                                              .not_before = fmax(0, e->begin - since),
                                              .ns = e->end - e->begin};
    if (e->kind > CPU_BATCH || e->units < 1)
      continue;
    double cost = cost_of(e, s);
    for (uint64_t k = (uint64_t)e->units; k; --k) {
      p->gap[p->units] = 0;
      p->ns[p->units++] = (float)cost;
    }
    /* So many had come by then: those that were taken, and those that waited. */
    double come = fmax(taken + e->units, taken + e->waiting), now = own(o, fmin(e->begin, until));
    for (uint64_t k = (uint64_t)known; k < (uint64_t)come; ++k)
      p->gap[first + k] = (float)((now - at) / (come - known));
    if (come > known) {
      known = come;
      at = now;
    }
    taken += e->units;
  }
  double tail = fmax(0, own(o, until) - at);
  p->task[p->tasks++] = (struct sim_task){
      .class = SIM_PROGRAM, .thread = 0, .step = step, .first = first, .n = p->units - first, .ns = tail};
}

static int make_program(struct sim_program *p, struct trace *t, struct sim_traced *traced, const char **why) {
  double units = 0, most = 0;
  size_t tasks = 1;
  if (t->n)
    qsort(t->event, t->n, sizeof *t->event, by_begin);
  for (size_t i = 0; i < t->n; ++i) {
    const struct event *e = &t->event[i];
    units += e->kind <= CPU_BATCH ? e->units : 0;
    most = fmax(most, e->kind <= CPU_BATCH ? e->waiting : 0);
    tasks += e->kind == CPU_UNITS || e->kind == WAIT;
  }
  *why = "no unit of it ran in a batch";
  if (units < 1)
    return -ERANGE;
  *why = "there is no memory for its units";
  if (units + most > 4e9 || !sim_memory_for((units + most) * 24))
    return -ENOMEM;
  /* What waited when the trace ends may never have run: room for its gaps. */
  *p = (struct sim_program){.task = calloc(tasks, sizeof *p->task),
                            .ns = calloc((size_t)(units + most) + 1, sizeof *p->ns),
                            .gap = calloc((size_t)(units + most) + 1, sizeof *p->gap)};
  if (!p->task || !p->ns || !p->gap)
    return -ENOMEM;
  struct sums s = add_up(t);
  struct own_time o = {.t = t};
  size_t from = 0;
  double since = 0, end = 0;
  for (size_t i = 0; i < t->n; ++i) {
    const struct event *e = &t->event[i];
    end = fmax(end, e->end);
    if (e->kind != WAIT || e->thread != t->host_thread)
      continue;
    size_t to = i;
    while (to < t->n && t->event[to].begin < e->end)
      ++to;
    add_step(p, t, &s, &o, from, to, since, e->begin, p->steps++);
    from = to;
    since = e->end;
  }
  if (from < t->n)
    add_step(p, t, &s, &o, from, t->n, since, end, p->steps++);
  const struct ag_batch_times *d = &s.model.device[0].times;
  /* There may be more threads: the minder of loops, and those of the program that have only submitted. */
  double threads = t->workers >= 1 && t->workers <= SIM_MOST_THREADS ? t->workers : t->threads;
  *traced =
      (struct sim_traced){.threads = threads > 1 ? (unsigned)threads : 1,
                          .devices = t->devices,
                          .speed = s.model.cpu_ns > 0 && d->item_ns > 0 ? s.model.cpu_ns / d->item_ns : 0,
                          .on_cpus = s.model.cpu_ns > 0,
                          .launch_ns = d->launch_ns,
                          .host_ns = s.stage.times.launch_ns + s.launch_ns,
                          .host_unit_ns = s.stage.times.item_ns,
                          .commit_ns = s.commit.times.launch_ns,
                          .commit_unit_ns = s.commit.times.item_ns,
                          .one_size = s.one_size,
                          .launches = s.units > 0,
                          .loops = t->loops,
                          .tasks = t->tasks,
                          .ns = end,
                          .bytes_in = s.units > 0 ? s.bytes_in / s.units : 0,
                          .bytes_out = s.units > 0 ? s.bytes_out / s.units : 0};
  return 0;
}

/* --- The file ---------------------------------------------------------------------------------------------
 */

static int read_file(const char *path, char **text, size_t *size, const char **why) {
  FILE *file = fopen(path, "r");
  *why = strerror(errno);
  if (!file)
    return -errno;
  int err = 0;
  size_t room = 0;
  *text = NULL;
  *size = 0;
  do {
    if (*size == room) {
      room = room ? 2 * room : 1 << 20;
      char *grown = sim_memory_for((double)room) ? realloc(*text, room) : NULL;
      *why = "there is no memory for it";
      err = grown ? 0 : -ENOMEM;
      *text = grown ? grown : *text;
    }
    *size += err ? 0 : fread(*text + *size, 1, room - *size, file);
  } while (!err && !feof(file) && !ferror(file));
  if (ferror(file)) {
    *why = "it cannot be read";
    err = -EIO;
  }
  (void)fclose(file);
  return err;
}

int sim_program_from_trace(struct sim_program *p, struct sim_traced *traced, const char *path,
                           const char **why) {
  char *text = NULL;
  size_t size = 0;
  struct trace t = {.threads = 0};
  int err = read_file(path, &text, &size, why);
  if (!err) {
    struct json j = {.at = text, .end = text + size};
    bool fine = read_trace(&j, &t);
    *why = t.full       ? "there is no memory for it"
           : t.is_trace ? "it is a trace of agglom, but a damaged one"
                        : "it is not a trace that AGGLOM_TRACE has written";
    err = !fine || !t.is_trace || t.full ? -EINVAL : make_program(p, &t, traced, why);
  }
  free(text);
  free(t.event);
  return err;
}
