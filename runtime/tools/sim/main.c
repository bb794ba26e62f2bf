/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom-sim: options in, CSV out. */
#include "command.h"
#include "options.h"
#include "sim.h"
#include "tasks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void help(void) {
  printf(
      "usage: agglom-sim [options] SCHEDULE...\n"
      "       agglom-sim tasks [options] POLICY...   (task units; see agglom-sim tasks --help)\n"
      "Runs a loop in virtual time under each SCHEDULE (as in AGGLOM_SCHEDULE; 'all' is every one) and "
      "prints a line\n"
      "of CSV for each. Defaults are in brackets.\n\n"
      "  --items=N            iterations (100000)\n"
      "  --work=KIND          uniform, triangular, bimodal[:PART,FACTOR], zipf[:EXPONENT],\n"
      "                       drifting[:HEIGHT,SPEED] or list:FILE, a file of numbers (uniform; 0.1,20; 1; "
      "10,0.02)\n"
      "  --mean=NS            mean cost of an iteration on a CPU unit; 0: the costs of the list are in ns "
      "(1000)\n"
      "  --steps=N            executions of the loop: time steps (1)\n"
      "  --cpus=N             CPU units (4)\n"
      "  --devices=N          devices, all alike (0)\n"
      "  --speed=X            CPU units that are as fast as one device with large chunks (10)\n"
      "  --lanes=N            compute units of a device (16)\n"
      "  --curve=CURVE        part of its speed that a device has with a chunk of x iterations: flat (all),\n"
      "                       saturating:A (x / (x + A)) or log:A,B (A ln x + B, up to 1) (flat)\n"
      "  --decline=X,F        beyond X iterations the speed falls by (X / x) ^ F (it does not)\n"
      "  --launch=NS          what each chunk on a device takes besides (0)\n"
      "  --bytes=N            bytes of an iteration that are copied to a device or back (0)\n"
      "  --bandwidth=GB/s     of these copies; 0: they take no time (0)\n"
      "  --most=N             iterations that a chunk on a device can have; 0: any number (0)\n"
      "  --grant=NS           what each chunk takes besides on any unit (0)\n"
      "  --noise=X            standard deviation of the logarithm of a chunk's time (0)\n"
      "  --seed=N             of all that is random (1)\n"
      "  --fail=UNIT@STEP:NS  this unit fails in this time step, so long after its beginning; CPU units come "
      "first,\n"
      "                       all numbers begin with 0. Up to 32 times\n"
      "  --tell-sizes         schedules know the costs of the iterations beforehand\n"
      "  --tell-items         schedules are told the time of each iteration, not only of each chunk\n"
      "  --map=FILE           write down the chunks of the last time step: from,to,unit,since,until (in ns)\n"
      "  --each-step          a line for each time step\n"
      "  --help, --version    print this text, or the version\n\n"
      "Columns: schedule, step (with --each-step) or steps, time in ms, time if all units were busy at their "
      "best\n"
      "until the end (ideal), chunks, chunks on devices, part of the iterations on devices, part of their "
      "time that\n"
      "CPU units and devices were busy, and the step after which the schedule changed nothing more (settled; "
      "-1:\n"
      "not within these steps).\n"
      "Exit status: 0; 1 when a run fails or a file cannot be used; 2 for a wrong option.\n");
}

/* --- Options
 * ------------------------------------------------------------------------------------------------ */

struct command {
  struct sim_options o;
  bool each_step;
  const char *map; /* a file to write; NULL: none */
};

static bool curve(const char *text, struct sim_machine *m) {
  if (!strcmp(text, "flat")) {
    m->curve = SIM_FLAT;
    return true;
  }
  if (!strncmp(text, "saturating:", 11)) {
    m->curve = SIM_SATURATING;
    return sim_real(text + 11, &m->a);
  }
  m->curve = SIM_LOGARITHMIC;
  char *end;
  if (strncmp(text, "log:", 4) != 0)
    return false;
  m->a = strtod(text + 4, &end);
  if (end == text + 4 || *end != ',' || !isfinite(m->a))
    return false;
  const char *second = end + 1;
  m->b = strtod(second, &end); /* may be negative */
  return end != second && !*end && fabs(m->a) <= SIM_LARGEST && fabs(m->b) <= SIM_LARGEST;
}

static bool failure(const char *text, struct sim_options *o) {
  struct sim_failure *f = &o->failure[o->failures];
  char *end;
  if (o->failures == SIM_MOST_FAILURES || *text < '0' || *text > '9')
    return false;
  unsigned long unit = strtoul(text, &end, 10);
  if (*end != '@' || unit >= SIM_MOST_UNITS || end[1] < '0' || end[1] > '9')
    return false;
  f->unit = (unsigned)unit;
  f->step = strtoull(end + 1, &end, 10);
  ++o->failures;
  return *end == ':' && sim_real(end + 1, &f->ns);
}

enum choice {
  O_ITEMS = SIM_O_FIRST,
  O_WORK,
  O_MEAN,
  O_STEPS,
  O_CPUS,
  O_DEVICES,
  O_SPEED,
  O_LANES,
  O_CURVE,
  O_DECLINE,
  O_LAUNCH,
  O_BYTES,
  O_BANDWIDTH,
  O_MOST,
  O_GRANT,
  O_NOISE,
  O_SEED,
  O_FAIL,
  O_TELL_SIZES,
  O_TELL_ITEMS,
  O_EACH_STEP,
  O_MAP
};

const struct option sim_loop_options[] = {{"items", 1, NULL, O_ITEMS},
                                          {"work", 1, NULL, O_WORK},
                                          {"mean", 1, NULL, O_MEAN},
                                          {"steps", 1, NULL, O_STEPS},
                                          {"cpus", 1, NULL, O_CPUS},
                                          {"devices", 1, NULL, O_DEVICES},
                                          {"speed", 1, NULL, O_SPEED},
                                          {"lanes", 1, NULL, O_LANES},
                                          {"curve", 1, NULL, O_CURVE},
                                          {"decline", 1, NULL, O_DECLINE},
                                          {"launch", 1, NULL, O_LAUNCH},
                                          {"bytes", 1, NULL, O_BYTES},
                                          {"bandwidth", 1, NULL, O_BANDWIDTH},
                                          {"most", 1, NULL, O_MOST},
                                          {"grant", 1, NULL, O_GRANT},
                                          {"noise", 1, NULL, O_NOISE},
                                          {"seed", 1, NULL, O_SEED},
                                          {"fail", 1, NULL, O_FAIL},
                                          {"tell-sizes", 0, NULL, O_TELL_SIZES},
                                          {"tell-items", 0, NULL, O_TELL_ITEMS},
                                          {"each-step", 0, NULL, O_EACH_STEP},
                                          {"map", 1, NULL, O_MAP},
                                          {"help", 0, NULL, SIM_O_HELP},
                                          {"version", 0, NULL, SIM_O_VERSION},
                                          {NULL, 0, NULL, 0}};

static bool machine_option(int option, const char *text, struct sim_machine *m) {
  switch (option) {
  case O_CPUS:
    return sim_count(text, 0, SIM_MOST_UNITS - SIM_MOST_DEVICES, &m->cpus);
  case O_DEVICES:
    return sim_count(text, 0, SIM_MOST_DEVICES, &m->devices);
  case O_LANES:
    return sim_count(text, 1, 1 << 20, &m->lanes);
  case O_SPEED:
    return sim_above_0(text, &m->speed);
  case O_CURVE:
    return sim_form(curve(text, m), "flat, saturating:A or log:A,B");
  case O_DECLINE:
    return sim_two(text, ',', &m->decline, &m->fall);
  case O_LAUNCH:
    return sim_real(text, &m->launch_ns);
  case O_BYTES:
    return sim_real(text, &m->bytes);
  case O_BANDWIDTH:
    return sim_real(text, &m->bytes_per_ns); /* GB/s are bytes per ns */
  case O_MOST:
    return sim_whole(text, 0, UINT64_MAX, &m->most);
  case O_GRANT:
    return sim_real(text, &m->grant_ns);
  default:
    return sim_between(text, 0, 3, &m->noise);
  }
}

static bool understood(int option, const char *text, void *command) {
  struct command *c = command;
  struct sim_options *o = &c->o;
  switch (option) {
  case O_ITEMS:
    return sim_whole(text, 1, (uint64_t)1 << 32, &o->work.n);
  case O_WORK:
    return sim_work_parse(text, &o->work);
  case O_MEAN:
    return sim_real(text, &o->work.mean_ns);
  case O_STEPS:
    return sim_whole(text, 1, UINT64_MAX, &o->steps);
  case O_SEED:
    return sim_whole(text, 0, UINT64_MAX, &o->work.seed);
  case O_FAIL:
    return sim_form(failure(text, o), "UNIT@STEP:NS, up to 32 times");
  case O_MAP:
    c->map = text;
    return true;
  case O_TELL_SIZES:
    return o->tell_sizes = true;
  case O_TELL_ITEMS:
    return o->tell_items = true;
  case O_EACH_STEP:
    return c->each_step = true;
  default:
    return machine_option(option, text, &o->machine);
  }
}

/* --- Output
 * ------------------------------------------------------------------------------------------------- */

struct table {
  const char *schedule;
  bool each_step;
  struct sim_options *o;
  struct sim_step sum;
  uint64_t steps;
  int64_t settled;
};

static void row(const struct table *t, uint64_t step, const struct sim_step *s, double iterations,
                int64_t settled) {
  const struct sim_machine *m = &t->o->machine;
  double cpu = m->cpus * s->ns, device = m->devices * s->ns;
  printf("%s,%llu,%.6f,%.6f,%llu,%llu,%.4f,%.4f,%.4f,%lld\n", t->schedule, (unsigned long long)step,
         s->ns / 1e6, s->ideal_ns / 1e6, (unsigned long long)s->chunks, (unsigned long long)s->device_chunks,
         (double)s->on_devices / iterations, cpu > 0 ? s->busy_cpu_ns / cpu : 0,
         device > 0 ? s->busy_device_ns / device : 0, (long long)settled);
}

static void one_step(void *context, uint64_t step, const struct sim_step *s) {
  struct table *t = context;
  if (s->settled && t->settled < 0)
    t->settled = (int64_t)step;
  if (!s->settled)
    t->settled = -1;
  if (t->each_step)
    row(t, step, s, (double)t->o->work.n, t->settled);
  t->sum.ns += s->ns;
  t->sum.ideal_ns += s->ideal_ns;
  t->sum.busy_cpu_ns += s->busy_cpu_ns;
  t->sum.busy_device_ns += s->busy_device_ns;
  t->sum.chunks += s->chunks;
  t->sum.device_chunks += s->device_chunks;
  t->sum.on_devices += s->on_devices;
  ++t->steps;
}

/* All are looked at before any runs. */
static int named(int argc, char **argv) {
  struct ag_schedule_choice schedule;
  for (int i = optind; i < argc; ++i)
    if (strcmp(argv[i], "all") != 0 && ag_parse_schedule(argv[i], &schedule)) {
      (void)fprintf(
          stderr,
          "agglom-sim: error: '%s' is not a schedule; agglom-info --env shows those of AGGLOM_SCHEDULE, "
          "and policies of task units are for agglom-sim tasks, with 'tasks' before all options\n",
          argv[i]);
      return 2;
    }
  return 0;
}

static int run(struct command *c, const char *text) {
  struct ag_schedule_choice schedule;
  struct table t = {.schedule = text, .each_step = c->each_step, .o = &c->o, .settled = -1};
  const char *why = "";
  (void)ag_parse_schedule(text, &schedule); /* as in named() */
  if (sim_run(&c->o, &schedule, one_step, &t, &why)) {
    (void)fprintf(stderr, "agglom-sim: error: %s: %s\n", text, why);
    return 1;
  }
  if (!c->each_step)
    row(&t, t.steps, &t.sum, (double)c->o.work.n * (double)t.steps, t.settled);
  return 0;
}

static int run_all(struct command *c, const char *text) {
  static const char *const names[] = {
#define AGGLOM_SCHEDULE_KIND(Id, Spelling, Argument) Spelling,
#include "schedules.def"
  };
  int result = 0;
  if (strcmp(text, "all"))
    return run(c, text);
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !result; ++i)
    result = run(c, names[i]);
  return result;
}

static int checked(struct sim_options *o) {
  const char *why = NULL;
  if (!(o->machine.cpus + o->machine.devices))
    why = "a machine has one unit at least: --cpus or --devices";
  else if (!sim_memory_for((double)o->work.n * (o->tell_items ? 40 : 32)))
    why = "--items is more than there is memory for";
  for (unsigned i = 0; i < o->failures && !why; ++i)
    if (o->failure[i].unit >= o->machine.cpus + o->machine.devices)
      why = "--fail names a unit that the machine does not have";
  int result = why ? 2 : 0;
  if (!why && o->work.shape == SIM_LIST && sim_work_make(&o->work, 0, &why))
    result = 1;
  if (result)
    (void)fprintf(stderr, "agglom-sim: error: %s\n", why);
  return result;
}

int main(int argc, char **argv) {
  static const struct sim_options_of of = {"agglom-sim",
                                           sim_loop_options,
                                           sim_task_options,
                                           "is an option of agglom-sim tasks; put 'tasks' before all options",
                                           help,
                                           understood,
                                           "no schedule is given; 'all' runs every one"};
  opterr = 0; /* messages are ours */
  if (argc > 1 && !strcmp(argv[1], "tasks"))
    return sim_tasks_main(argc - 1, argv + 1);
  struct command c = {.o = {.machine = {.cpus = 4, .lanes = 16, .speed = 10},
                            .work = {.shape = SIM_UNIFORM, .n = 100000, .seed = 1, .mean_ns = 1000},
                            .steps = 1}};
  int result = sim_command(argc, argv, &of, &c);
  if (result != -1)
    return result;
  c.o.machine.seed = c.o.work.seed + 1000003;
  result = named(argc, argv);
  if (!result)
    result = checked(&c.o);
  if (!result)
    result = sim_map_open(c.map, &c.o.map);
  if (!result)
    printf("schedule,%s,ms,ideal_ms,chunks,device_chunks,device_part,cpu_busy,device_busy,settled\n",
           c.each_step ? "step" : "steps");
  for (int i = optind; i < argc && !result; ++i)
    result = run_all(&c, argv[i]);
  sim_work_free(&c.o.work);
  return sim_end(result, c.map, c.o.map);
}
