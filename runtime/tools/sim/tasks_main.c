/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom-sim tasks: what the options say is run, and printed as CSV. */
#include "command.h"
#include "tasks_options.h"

#include <stdlib.h>
#include <string.h>

/* "auto/items" */
static bool policies_of(const char *text, struct sim_policies *p) {
  char batch[64];
  const char *slash = strchr(text, '/');
  size_t length = slash ? (size_t)(slash - text) : strlen(text);
  if (length >= sizeof batch)
    return false;
  memcpy(batch, text, length);
  batch[length] = '\0';
  p->split = AG_SPLIT_GPU;
  return !ag_parse_batch(batch, &p->batch) && (!slash || !ag_parse_split(slash + 1, &p->split));
}

static bool is_all(const char *text) { return strcspn(text, "/") == 3 && !memcmp(text, "all", 3); }

/* All are looked at before any runs. */
static int named(char **texts, int n) {
  struct sim_policies p;
  for (int i = 0; i < n; ++i) {
    char both[64];
    (void)snprintf(both, sizeof both, "auto%.32s", texts[i] + strcspn(texts[i], "/"));
    if (!policies_of(is_all(texts[i]) ? both : texts[i], &p)) {
      (void)fprintf(
          stderr,
          "agglom-sim: error: '%s' is not a policy; agglom-info --env shows those of AGGLOM_BATCH and "
          "AGGLOM_SPLIT\n",
          texts[i]);
      return 2;
    }
  }
  return 0;
}

static int run(const struct sim_tasks_command *c, const struct sim_program *program, const char *text,
               FILE *map) {
  struct sim_policies policies = {.split = AG_SPLIT_GPU};
  struct sim_tasks_result r;
  const struct sim_task_machine *m = &c->machine;
  const char *why = "";
  (void)policies_of(text, &policies); /* as in named() */
  if (sim_tasks_run(program, m, &policies, &r, map, &why)) {
    (void)fprintf(stderr, "agglom-sim: error: %s: %s\n", text, why);
    return 1;
  }
  double cpus = m->cpus * r.ns, devices = m->devices * r.ns;
  printf("%.*s,%s,%.6f,%llu,%llu,%llu,%llu,%.4f,%llu,%.4f,%.4f,%.4f,%.3f\n", (int)strcspn(text, "/"), text,
         ag_split_name(policies.split), r.ns / 1e6, (unsigned long long)r.units,
         (unsigned long long)r.launches, (unsigned long long)r.largest, (unsigned long long)r.failed,
         (double)r.on_devices / (double)program->units, (unsigned long long)r.cpu_batches,
         cpus > 0 ? r.busy_cpu_ns / cpus : 0, cpus > 0 ? r.host_ns / cpus : 0,
         devices > 0 ? r.busy_device_ns / devices : 0, r.waited_ns / (double)program->units / 1e3);
  return 0;
}

static int run_all(const struct sim_tasks_command *c, const struct sim_program *program, const char *text,
                   FILE *map) {
  static const char *const rules[] = {"auto", "maximal", "single", "static:100", "count:100", "occupancy"};
  if (!is_all(text))
    return run(c, program, text, map);
  int result = 0;
  for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !result; ++i) {
    char both[64];
    (void)snprintf(both, sizeof both, "%s%.32s", rules[i], text + 3);
    result = run(c, program, both, map);
  }
  return result;
}

static int cannot_use(const char *option, const char *path, unsigned long line, const char *why) {
  if (line)
    (void)fprintf(stderr, "agglom-sim: error: --%s=%s: line %lu %s\n", option, path, line, why);
  else
    (void)fprintf(stderr, "agglom-sim: error: --%s=%s cannot be used: %s\n", option, path, why);
  return 1;
}

/* As options, which a later run can be given. */
static void tell_machine(const struct sim_tasks_command *c, const struct sim_traced *t) {
  const struct sim_task_machine *m = &c->machine;
  (void)fprintf(stderr,
                "agglom-sim: the machine (of the trace, of options, or by default): --cpus=%u --devices=%u",
                m->cpus, m->devices);
  if (c->speed_given || t->speed > 0)
    (void)fprintf(stderr, " --speed=%.6g", m->speed);
  (void)fprintf(stderr, " --launch=%.6g --host=%.6g,%.6g --commit=%.6g,%.6g --fill=%u --bytes=%.6g,%.6g\n",
                m->launch_ns, m->host_ns, m->host_unit_ns, m->commit_ns, m->commit_unit_ns, m->fill,
                m->bytes_in, m->bytes_out);
  /* To compare with: on that machine, under its policies, a replay should take about as long. */
  (void)fprintf(stderr, "agglom-sim: in the trace all was done after %.6g ms\n", t->ns / 1e6);
}

static void warn_of_trace(const struct sim_tasks_command *c, const struct sim_traced *t) {
  if (!c->speed_given && !(t->speed > 0))
    (void)fprintf(stderr,
                  "agglom-sim: warning: only one side ran units in this trace, so a device is taken to be as "
                  "fast as %g CPU units; give --speed\n",
                  c->machine.speed);
  if (t->one_size > 0 && !(c->launch_given && c->host_given && c->speed_given))
    (void)fprintf(
        stderr,
        "agglom-sim: warning: all launches of this trace have %g unit%s, so what a launch takes and "
        "what a unit takes cannot be told apart; record with AGGLOM_BATCH=auto, or give --launch, "
        "--host and --speed\n",
        t->one_size, t->one_size == 1 ? "" : "s");
  else if (t->launches && !(t->launch_ns > 0) && !c->launch_given)
    (void)fprintf(
        stderr,
        "agglom-sim: warning: the kernels of this trace do not show what a launch takes, as larger ones take "
        "no less for a unit, so %g ns are taken; record more time steps with AGGLOM_BATCH=auto or occupancy, "
        "or give --launch\n",
        c->machine.launch_ns);
  if (t->loops)
    (void)fprintf(
        stderr,
        "agglom-sim: warning: this trace has %schunks of loops%s, which are replayed as units%s; what "
        "schedules do with a loop agglom-sim without 'tasks' shows\n",
        t->tasks ? "" : "only ", t->tasks ? " beside units" : "",
        t->tasks ? ", so neither --speed nor what policies do need be as in the program" : "");
}

/* A number with as many digits as it is told with: with those as options a run is the same. */
static double as_told(double x) {
  char text[32];
  (void)snprintf(text, sizeof text, "%.6g", x);
  return strtod(text, NULL);
}

/* What the trace tells of its machine stands where no option says otherwise. */
static void as_traced(struct sim_tasks_command *c, struct sim_program *p, const struct sim_traced *t) {
  struct sim_task_machine *m = &c->machine;
  if (!c->cpus_given)
    m->cpus = t->threads;
  if (!c->devices_given && t->devices)
    m->devices = t->devices < SIM_MOST_TASK_DEVICES ? t->devices : SIM_MOST_TASK_DEVICES;
  if (!c->speed_given && t->speed > 0)
    m->speed = as_told(t->speed);
  if (!c->launch_given && t->launch_ns > 0)
    m->launch_ns = as_told(t->launch_ns);
  if (!c->host_given && t->host_ns + t->host_unit_ns > 0) {
    m->host_ns = as_told(t->host_ns);
    m->host_unit_ns = as_told(t->host_unit_ns);
  }
  if (!c->commit_given && t->commit_ns + t->commit_unit_ns > 0) {
    m->commit_ns = as_told(t->commit_ns);
    m->commit_unit_ns = as_told(t->commit_unit_ns);
  }
  if (!c->ask_given) /* units came when they came, whatever had been asked by then */
    m->ask_ns = m->ask_split_ns = 0;
  if (!c->fill_given) /* what the trace tells is a line: a launch, and so much for each unit */
    m->fill = 1;
  for (uint32_t u = 0; u < p->units && !t->on_cpus; ++u)
    p->ns[u] *= (float)m->speed; /* it was ns of the device */
  if (!c->bytes_given) {
    m->bytes_in = as_told(t->bytes_in);
    m->bytes_out = as_told(t->bytes_out);
  }
  tell_machine(c, t);
  warn_of_trace(c, t);
}

static int program_of(struct sim_tasks_command *c, struct sim_program *p) {
  const char *why = "";
  unsigned long line = 0;
  struct sim_traced traced = {0};
  if (c->program)
    return sim_program_read(p, c->program, &line, &why) ? cannot_use("program", c->program, line, why) : 0;
  if (c->trace) {
    if (sim_program_from_trace(p, &traced, c->trace, &why))
      return cannot_use("trace", c->trace, 0, why);
    as_traced(c, p, &traced);
    return 0;
  }
  if (!sim_program_make(p, &c->shape, &why))
    return 0;
  (void)fprintf(stderr, "agglom-sim: error: %s\n", why);
  return 1;
}

static int runs(struct sim_tasks_command *c, char **policies, int n) {
  struct sim_program program = {0};
  FILE *map = NULL;
  int result = named(policies, n);
  if (!result)
    result = program_of(c, &program);
  if (!c->machine.saturated)
    c->machine.saturated = c->machine.fill;
  if (!result)
    result = sim_map_open(c->map, &map);
  if (map)
    (void)fprintf(map, "what,where,number,since,until,units\n");
  if (!result)
    printf("policy,split,ms,units,launches,largest,failed,device_part,cpu_batches,cpu_busy,host,device_busy,"
           "latency_us\n");
  for (int i = 0; i < n && !result; ++i)
    result = run_all(c, &program, policies[i], map);
  sim_program_free(&program);
  sim_work_free(&c->shape.work);
  return sim_end(result, c->map, map);
}

int sim_tasks_main(int argc, char **argv) {
  struct sim_tasks_command c;
  int result = sim_tasks_options(argc, argv, &c);
  return result != -1 ? result : runs(&c, argv + optind, argc - optind);
}
