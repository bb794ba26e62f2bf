/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Programs: made by shape, or read from a file. */
#include "tasks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sim_program_free(struct sim_program *p) {
  free(p->task);
  free(p->ns);
  free(p->items);
  free(p->gap);
  free(p->home);
  free(p->preds);
  free(p->succ_at);
  free(p->succ);
  *p = (struct sim_program){0};
}

/* --- By shape ---------------------------------------------------------------------------------------------
 */

/* What passes before unit i of those that one thread submits. */
static float gap(const struct sim_shape_of_program *s, uint64_t number, uint64_t i) {
  switch (s->arrivals) {
  case SIM_POISSON:
    return (float)(-s->gap_ns * log(1 - sim_uniform(s->work.seed + 17, number)));
  case SIM_BURSTS:
    return (float)(i && fmod((double)i, s->burst) < 1 ? s->pause_ns : s->gap_ns);
  case SIM_EVENLY:
    break;
  }
  return (float)s->gap_ns;
}

static void add_task(struct sim_program *p, enum sim_class class, int thread, uint64_t step, uint64_t first,
                     uint64_t n, double ns) {
  p->task[p->tasks++] = (struct sim_task){.class = class,
                                          .thread = thread,
                                          .step = (uint32_t)step,
                                          .first = (uint32_t)first,
                                          .n = (uint32_t)n,
                                          .ns = ns};
}

/* The tasks that submit the units of a step: the first unit of part i of `parts`. */
static uint64_t first_of(const struct sim_shape_of_program *s, uint64_t parts, uint64_t i) {
  return (uint64_t)((__uint128_t)s->work.n * i / parts);
}

/* Steps that do not end with a wait are one. */
static void make_step(struct sim_program *p, const struct sim_shape_of_program *s, uint64_t step) {
  uint64_t from = step * s->work.n, shown = s->no_wait ? 0 : step;
  uint64_t parts = s->generators.n ? s->generators.n : s->submitters;
  for (uint64_t i = 0; i < parts; ++i) {
    uint64_t a = first_of(s, parts, i), b = first_of(s, parts, i + 1);
    if (!s->generators.n) {
      add_task(p, SIM_PROGRAM, (int)i, shown, from + a, b - a, 0);
      continue;
    }
    double each = s->generators.ns / (double)(b - a + 1);
    add_task(p, s->generators.class, SIM_ANY_THREAD, shown, from + a, b - a, each);
    for (uint64_t u = a; u < b; ++u)
      p->gap[from + u] = (float)each;
  }
  for (unsigned k = 0; k < s->others; ++k)
    for (uint32_t i = 0; i < s->other[k].n; ++i)
      add_task(p, s->other[k].class, SIM_ANY_THREAD, shown, 0, 0, s->other[k].ns);
  for (uint64_t i = 0; !s->generators.n && i < parts; ++i) {
    uint64_t a = first_of(s, parts, i), b = first_of(s, parts, i + 1);
    for (uint64_t u = a; u < b; ++u)
      p->gap[from + u] = gap(s, from + u, u - a);
  }
}

int sim_program_make(struct sim_program *p, struct sim_shape_of_program *s, const char **why) {
  double units = (double)s->work.n * (double)s->steps,
         each = s->generators.n ? s->generators.n : s->submitters;
  for (unsigned k = 0; k < s->others; ++k)
    each += s->other[k].n;
  double tasks = each * (double)s->steps;
  *why = "there is no memory for that many units";
  if (units + tasks > 4e9 || !sim_memory_for(units * 24 + (double)s->work.n * 16 + tasks * 64))
    return -ENOMEM;
  *p = (struct sim_program){.steps = s->no_wait ? 1 : (uint32_t)s->steps,
                            .units = (uint32_t)units,
                            .task = malloc(((size_t)tasks + 1) * sizeof *p->task),
                            .ns = malloc((size_t)units * sizeof *p->ns),
                            .gap = malloc((size_t)units * sizeof *p->gap)};
  if (!s->unknown)
    p->items = malloc((size_t)units * sizeof *p->items);
  if (!p->task || !p->ns || !p->gap || (!p->items && !s->unknown))
    return -ENOMEM;
  double mean = s->work.mean_ns > 0 ? s->work.mean_ns : 1;
  for (uint64_t step = 0; step < s->steps; ++step) {
    int err = sim_work_make(&s->work, step, why);
    if (err)
      return err;
    for (uint64_t i = 0; i < s->work.n; ++i) {
      p->ns[step * s->work.n + i] = (float)s->work.cost[i];
      if (p->items) /* a hundred items for a unit of mean cost */
        p->items[step * s->work.n + i] = (float)fmax(1, rint(s->work.cost[i] / mean * 100));
    }
    make_step(p, s, step);
  }
  return 0;
}

/* --- From a file ------------------------------------------------------------------------------------------
 */

/* What has been read; numbers of nodes are those of the file. */
struct reading {
  struct sim_program *p;
  uint32_t *edges; /* pairs: before, after */
  int64_t *node;   /* task i, or unit -1 - i */
  size_t n, edges_n, room, edges_room, task_room, unit_room;
};

/* `array`: where the pointer to it is. */
static bool room_for(void *array, size_t *room, size_t n, size_t size) {
  void *old;
  memcpy(&old, array, sizeof old);
  if (n < *room)
    return true;
  size_t more = *room ? 2 * *room : 1024;
  void *grown = realloc(old, more * size);
  if (!grown)
    return false;
  memcpy(array, &grown, sizeof grown);
  *room = more;
  return true;
}

static bool unit_room(struct reading *r) {
  struct sim_program *p = r->p;
  size_t room[4] = {r->unit_room, r->unit_room, r->unit_room, r->unit_room};
  bool fits = room_for(&p->ns, &room[0], p->units, sizeof *p->ns) &&
              room_for(&p->items, &room[1], p->units, sizeof *p->items) &&
              room_for(&p->home, &room[2], p->units, sizeof *p->home);
  r->unit_room = room[0];
  return fits;
}

static bool number(char **at, double least, double most, double *x) {
  char *end;
  *x = strtod(*at, &end);
  bool fits = end != *at && isfinite(*x) && *x >= least && *x <= most;
  *at = end;
  return fits;
}

static int add_node(struct reading *r, bool unit, enum sim_class class, char *at) {
  double ns, items = 1, thread, pred;
  struct sim_program *p = r->p;
  if (!number(&at, 0, 1e15, &ns) || (unit && !number(&at, 1e-9, 1e15, &items)) ||
      !number(&at, unit ? 0 : -1, SIM_MOST_THREADS - 1, &thread))
    return -EINVAL;
  if (!room_for(&r->node, &r->room, r->n, sizeof *r->node) || p->units + (double)p->tasks >= 4e9)
    return -ENOMEM;
  if (unit) {
    if (!unit_room(r))
      return -ENOMEM;
    p->ns[p->units] = (float)ns;
    p->items[p->units] = (float)items;
    p->home[p->units] = (int16_t)thread;
    r->node[r->n] = -1 - (int64_t)p->units++;
  } else {
    if (!room_for(&p->task, &r->task_room, p->tasks + (size_t)1, sizeof *p->task))
      return -ENOMEM;
    r->node[r->n] = p->tasks;
    add_task(p, class, (int)thread, 0, 0, 0, ns);
  }
  at += strspn(at, " \t");
  if (!strncmp(at, "after", 5))
    for (at += 5, at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
      if (!number(&at, 0, 4e9, &pred) || pred != floor(pred))
        return -EINVAL;
      if (!room_for(&r->edges, &r->edges_room, 2 * r->edges_n + 1, sizeof *r->edges))
        return -ENOMEM;
      r->edges[2 * r->edges_n] = (uint32_t)pred;
      r->edges[2 * r->edges_n++ + 1] = (uint32_t)r->n;
    }
  ++r->n;
  return *at ? -EINVAL : 0;
}

static int add_line(struct reading *r, char *text) {
  static const struct {
    const char *word;
    bool unit;
    enum sim_class class;
  } kinds[] = {{"high ", false, SIM_HIGH}, {"low ", false, SIM_LOW}, {"unit ", true, SIM_LOW}};
  text[strcspn(text, "#\r\n")] = '\0';
  text += strspn(text, " \t");
  if (!*text)
    return 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (!strncmp(text, kinds[i].word, strlen(kinds[i].word)))
      return add_node(r, kinds[i].unit, kinds[i].class, text + strlen(kinds[i].word));
  return -EINVAL;
}

static uint32_t number_of(const struct reading *r, uint32_t node) {
  int64_t x = r->node[node];
  return x >= 0 ? (uint32_t)x : r->p->tasks + (uint32_t)(-1 - x);
}

static int connect(struct reading *r, const char **why) {
  struct sim_program *p = r->p;
  size_t nodes = r->n;
  p->preds = calloc(nodes + 1, sizeof *p->preds);
  p->succ_at = calloc(nodes + 2, sizeof *p->succ_at);
  p->succ = malloc((r->edges_n + 1) * sizeof *p->succ);
  if (!p->preds || !p->succ_at || !p->succ)
    return -ENOMEM;
  for (size_t e = 0; e < r->edges_n; ++e) {
    if (r->edges[2 * e] >= nodes) {
      *why = "a node follows one that is not in the file";
      return -ERANGE;
    }
    ++p->preds[number_of(r, r->edges[2 * e + 1])];
    ++p->succ_at[number_of(r, r->edges[2 * e]) + 2];
  }
  for (size_t i = 2; i <= nodes; ++i)
    p->succ_at[i] += p->succ_at[i - 1];
  for (size_t e = 0; e < r->edges_n; ++e)
    p->succ[p->succ_at[number_of(r, r->edges[2 * e]) + 1]++] = number_of(r, r->edges[2 * e + 1]);
  return 0;
}

int sim_program_read(struct sim_program *p, const char *path, unsigned long *line, const char **why) {
  FILE *file = fopen(path, "r");
  *why = strerror(errno);
  *line = 0;
  if (!file)
    return -errno;
  *p = (struct sim_program){.steps = 1};
  struct reading r = {.p = p};
  char *text = NULL;
  size_t size = 0;
  int err = 0;
  while (!err && getline(&text, &size, file) >= 0) {
    ++*line;
    err = add_line(&r, text);
  }
  bool broken = ferror(file);
  *why = err == -EINVAL ? "is not a node" : "there is no memory for the program";
  if (!err) {
    *line = 0;
    *why = broken ? "it cannot be read" : "it holds no unit";
    err = broken ? -EIO : p->units ? connect(&r, why) : -ERANGE;
  }
  (void)fclose(file);
  free(text);
  free(r.edges);
  free(r.node);
  return err;
}
