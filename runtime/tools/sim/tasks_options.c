/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tasks_options.h"
#include "command.h"
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h" /* SIM_NEVER */

static void help(void) {
  printf(
      "usage: agglom-sim tasks [options] POLICY...\n"
      "Runs a program of task units in virtual time under each POLICY: a value of AGGLOM_BATCH, or with one "
      "of\n"
      "AGGLOM_SPLIT behind it (auto/items; without it gpu); 'all' is every one of AGGLOM_BATCH, with\n"
      "static:100 and count:100. Prints a line of CSV for each. Defaults are in brackets.\n\n"
      "The program\n"
      "  --units=N            units of a time step (100000)\n"
      "  --work=KIND          their costs, as for loops: uniform, triangular, bimodal[:PART,FACTOR],\n"
      "                       zipf[:EXPONENT], drifting[:HEIGHT,SPEED] or list:FILE (uniform; 0.1,20; 1; "
      "10,0.02)\n"
      "  --mean=NS            mean cost of a unit on a CPU unit; 0: the costs of the list are in ns (1000)\n"
      "  --steps=N            time steps; each ends with a wait (1)\n"
      "  --no-wait            steps follow one another without waiting\n"
      "  --arrivals=KIND      evenly:NS, poisson:NS (mean time between two), or bursts:NS,N,PAUSE (N units "
      "NS\n"
      "                       apart, then a pause) (evenly:100)\n"
      "  --submitters=N       threads that share the units of a step (1)\n"
      "  --generators=N,NS,CLASS  N CPU-only units of NS each submit the units; CLASS is high or low (none)\n"
      "  --other=N,NS,CLASS   so many other CPU-only units in each step; up to 8 times (none)\n"
      "  --unknown-costs      the runtime takes all units to cost the same\n"
      "  --program=FILE       nodes and what they follow, instead of all that\n"
      "  --trace=FILE         a trace that AGGLOM_TRACE has written, instead of all that; what it tells of "
      "the\n"
      "                       machine stands where no option says otherwise, and is printed\n\n"
      "The machine\n"
      "  --cpus=N             CPU units (4)\n"
      "  --devices=N          devices, all alike; up to 16 (1)\n"
      "  --slots=N            batches that a device has at most, staged ones included (3)\n"
      "  --speed=X            CPU units that are as fast as one device that is full (20)\n"
      "  --fill=N             blocks that a device has resident at most (160; with --trace 1)\n"
      "  --saturated=N        blocks with which it has its full speed (--fill)\n"
      "  --blocks=N           blocks of a unit (1)\n"
      "  --host=NS,NS         what a launch takes of its thread: once, and for each unit (10000,20)\n"
      "  --commit=NS,NS       what the end of a batch takes of a thread: once, and for each unit (2000,10)\n"
      "  --launch=NS          what a launch takes of the device besides (8000)\n"
      "  --copy=NS            what a copy takes besides its bytes (0)\n"
      "  --bytes=IN,OUT       bytes of an item that are copied to the device and back (0,0)\n"
      "  --bandwidth=GB/s     of these copies, each way; 0: they take no time (0)\n"
      "  --slot=BYTES         that a launch can have; 0: any number (0)\n"
      "  --most=N             units that a launch can have; 0: any number (0)\n"
      "  --live=N             incomplete units at which a thread helps before it submits more (65536)\n"
      "  --ask=NS,NS          what it takes to ask a policy that looks at the time, and besides the split "
      "auto,\n"
      "                       which who submits asks where something is due (500,500; with --trace 0,0)\n"
      "  --take=NS            what it takes of a CPU thread to take units, one thread after the other from "
      "one "
      "FIFO\n"
      "                       (250)\n"
      "  --look=NS            how often a thread without work looks at what others have (20000)\n"
      "  --order=ORDER        in which the units of a launch are begun: policy (as that wants it), arrival "
      "or\n"
      "                       dear (the dearest first, whatever the policy) (policy)\n"
      "  --own-devices        each thread has one device, and no other thread's\n"
      "  --blocking           a thread waits for the batch that it has launched\n"
      "  --noise=X            standard deviation of the logarithm of what launches and units take (0)\n"
      "  --seed=N             of all that is random (1)\n"
      "  --fails=PART         this part of the batches fails (0)\n"
      "  --lose=DEVICE@NS     this device is lost at this time; they are numbered from 0\n\n"
      "  --map=FILE           write down what threads and devices did: what,where,number,since,until,units\n"
      "  --help, --version    print this text, or the version\n\n"
      "Columns: policy, split, time in ms, units, launches, units of the largest one, those that failed, "
      "part of\n"
      "the units that ran on devices, CPU batches, part of the time that CPU units ran units of any kind "
      "and\n"
      "that they launched and committed (host), that devices ran kernels, and mean time from the submission "
      "of a\n"
      "unit to its completion in us (latency).\n"
      "Exit status: 0; 1 when a run fails or a file cannot be used; 2 for a wrong option.\n");
}

enum choice {
  O_UNITS = SIM_O_FIRST,
  O_WORK,
  O_MEAN,
  O_STEPS,
  O_NO_WAIT,
  O_ARRIVALS,
  O_SUBMITTERS,
  O_GENERATORS,
  O_OTHER,
  O_UNKNOWN,
  O_PROGRAM,
  O_TRACE,
  O_CPUS,
  O_DEVICES,
  O_SLOTS,
  O_SPEED,
  O_FILL,
  O_SATURATED,
  O_BLOCKS,
  O_HOST,
  O_COMMIT,
  O_LAUNCH,
  O_COPY,
  O_BYTES,
  O_BANDWIDTH,
  O_SLOT,
  O_MOST,
  O_LIVE,
  O_ASK,
  O_TAKE,
  O_LOOK,
  O_ORDER,
  O_OWN,
  O_BLOCKING,
  O_NOISE,
  O_SEED,
  O_FAILS,
  O_LOSE,
  O_MAP
};

const struct option sim_task_options[] = {{"units", 1, NULL, O_UNITS},
                                          {"work", 1, NULL, O_WORK},
                                          {"mean", 1, NULL, O_MEAN},
                                          {"steps", 1, NULL, O_STEPS},
                                          {"no-wait", 0, NULL, O_NO_WAIT},
                                          {"arrivals", 1, NULL, O_ARRIVALS},
                                          {"submitters", 1, NULL, O_SUBMITTERS},
                                          {"generators", 1, NULL, O_GENERATORS},
                                          {"other", 1, NULL, O_OTHER},
                                          {"unknown-costs", 0, NULL, O_UNKNOWN},
                                          {"program", 1, NULL, O_PROGRAM},
                                          {"trace", 1, NULL, O_TRACE},
                                          {"cpus", 1, NULL, O_CPUS},
                                          {"devices", 1, NULL, O_DEVICES},
                                          {"slots", 1, NULL, O_SLOTS},
                                          {"speed", 1, NULL, O_SPEED},
                                          {"fill", 1, NULL, O_FILL},
                                          {"saturated", 1, NULL, O_SATURATED},
                                          {"blocks", 1, NULL, O_BLOCKS},
                                          {"host", 1, NULL, O_HOST},
                                          {"commit", 1, NULL, O_COMMIT},
                                          {"launch", 1, NULL, O_LAUNCH},
                                          {"copy", 1, NULL, O_COPY},
                                          {"bytes", 1, NULL, O_BYTES},
                                          {"bandwidth", 1, NULL, O_BANDWIDTH},
                                          {"slot", 1, NULL, O_SLOT},
                                          {"most", 1, NULL, O_MOST},
                                          {"live", 1, NULL, O_LIVE},
                                          {"ask", 1, NULL, O_ASK},
                                          {"take", 1, NULL, O_TAKE},
                                          {"look", 1, NULL, O_LOOK},
                                          {"order", 1, NULL, O_ORDER},
                                          {"own-devices", 0, NULL, O_OWN},
                                          {"blocking", 0, NULL, O_BLOCKING},
                                          {"noise", 1, NULL, O_NOISE},
                                          {"seed", 1, NULL, O_SEED},
                                          {"fails", 1, NULL, O_FAILS},
                                          {"lose", 1, NULL, O_LOSE},
                                          {"map", 1, NULL, O_MAP},
                                          {"help", 0, NULL, SIM_O_HELP},
                                          {"version", 0, NULL, SIM_O_VERSION},
                                          {NULL, 0, NULL, 0}};

static bool arrivals(const char *text, struct sim_shape_of_program *s) {
  char *end;
  if (!strncmp(text, "evenly:", 7) || !strncmp(text, "poisson:", 8)) {
    s->arrivals = *text == 'e' ? SIM_EVENLY : SIM_POISSON;
    return sim_real(strchr(text, ':') + 1, &s->gap_ns);
  }
  if (strncmp(text, "bursts:", 7) != 0)
    return false;
  s->arrivals = SIM_BURSTS;
  s->gap_ns = strtod(text + 7, &end);
  return end != text + 7 && *end == ',' && sim_bounded(s->gap_ns) &&
         sim_two(end + 1, ',', &s->burst, &s->pause_ns) && s->burst >= 1;
}

/* "100,5000,high" */
static bool tasks_of(const char *text, struct sim_tasks_of *t) {
  char *end;
  double n = strtod(text, &end);
  if (end == text || *end != ',' || !(n >= 1 && n <= 1e8) || n != floor(n))
    return false;
  t->n = (uint32_t)n;
  text = end + 1;
  t->ns = strtod(text, &end);
  t->class = *end && !strcmp(end + 1, "high") ? SIM_HIGH : SIM_LOW;
  return end != text && *end == ',' && t->ns >= 0 && t->ns <= SIM_LARGEST &&
         (t->class == SIM_HIGH || !strcmp(end + 1, "low"));
}

static bool loss(const char *text, struct sim_task_machine *m) {
  char *end;
  unsigned long device = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '@' && device < SIM_MOST_LOSSES &&
         sim_real(end + 1, &m->lost_ns[device]);
}

static bool order(const char *text, enum sim_order *order) {
  static const char *const names[] = {"policy", "arrival", "dear"}; /* enum sim_order */
  for (unsigned i = 0; i < sizeof names / sizeof *names; ++i)
    if (!strcmp(text, names[i])) {
      *order = (enum sim_order)i;
      return true;
    }
  return false;
}

static bool machine_option(int option, const char *text, struct sim_tasks_command *c) {
  struct sim_task_machine *m = &c->machine;
  switch (option) {
  case O_CPUS:
    c->cpus_given = true;
    return sim_count(text, 1, SIM_MOST_THREADS, &m->cpus);
  case O_DEVICES:
    c->devices_given = true;
    return sim_count(text, 0, SIM_MOST_TASK_DEVICES, &m->devices);
  case O_SLOTS:
    return sim_count(text, 1, 1024, &m->slots);
  case O_SPEED:
    c->speed_given = true;
    return sim_above_0(text, &m->speed);
  case O_FILL:
    c->fill_given = true;
    return sim_count(text, 1, 1 << 20, &m->fill);
  case O_SATURATED:
    return sim_count(text, 1, 1 << 20, &m->saturated);
  case O_BLOCKS:
    return sim_count(text, 1, 1 << 20, &m->blocks);
  case O_HOST:
    c->host_given = true;
    return sim_two(text, ',', &m->host_ns, &m->host_unit_ns);
  case O_COMMIT:
    c->commit_given = true;
    return sim_two(text, ',', &m->commit_ns, &m->commit_unit_ns);
  case O_LAUNCH:
    c->launch_given = true;
    return sim_real(text, &m->launch_ns);
  case O_COPY:
    return sim_real(text, &m->copy_ns);
  case O_BYTES:
    c->bytes_given = true;
    return sim_two(text, ',', &m->bytes_in, &m->bytes_out);
  case O_BANDWIDTH:
    return sim_real(text, &m->bytes_per_ns); /* GB/s are bytes per ns */
  case O_SLOT:
    return sim_real(text, &m->slot_bytes);
  case O_MOST:
    return sim_whole(text, 0, UINT32_MAX, &m->most);
  case O_LIVE:
    return sim_whole(text, 1, UINT32_MAX, &m->live);
  case O_ASK:
    c->ask_given = true;
    return sim_two(text, ',', &m->ask_ns, &m->ask_split_ns);
  case O_TAKE:
    return sim_real(text, &m->take_ns);
  case O_LOOK:
    return sim_between(text, 1, SIM_LARGEST, &m->look_ns);
  case O_ORDER:
    return sim_form(order(text, &m->order), "policy, arrival or dear");
  case O_OWN:
    return m->own = true;
  case O_BLOCKING:
    return m->blocking = true;
  case O_NOISE:
    return sim_between(text, 0, 3, &m->noise);
  case O_FAILS:
    return sim_form(sim_real(text, &m->fails) && m->fails < 1, "a number from 0 to less than 1");
  default:
    return sim_form(loss(text, m), "DEVICE@NS");
  }
}

static bool understood(int option, const char *text, void *command) {
  static const char cpu_only[] = "N,NS,high or N,NS,low with N from 1 to 1e8, up to 8 times";
  struct sim_tasks_command *c = command;
  struct sim_shape_of_program *s = &c->shape;
  if (option < O_PROGRAM && !c->shaped)
    c->shaped = option;
  switch (option) {
  case O_UNITS:
    return sim_whole(text, 1, UINT32_MAX, &s->work.n);
  case O_WORK:
    return sim_work_parse(text, &s->work);
  case O_MEAN:
    return sim_real(text, &s->work.mean_ns);
  case O_STEPS:
    return sim_whole(text, 1, UINT32_MAX, &s->steps);
  case O_NO_WAIT:
    return s->no_wait = true;
  case O_ARRIVALS:
    return sim_form(arrivals(text, s), "evenly:NS, poisson:NS or bursts:NS,N,PAUSE");
  case O_SUBMITTERS:
    return sim_count(text, 1, SIM_MOST_THREADS, &s->submitters);
  case O_GENERATORS:
    return sim_form(tasks_of(text, &s->generators), cpu_only);
  case O_OTHER:
    if (!sim_form(s->others < SIM_MOST_OTHERS && tasks_of(text, &s->other[s->others]), cpu_only))
      return false;
    ++s->others;
    return true;
  case O_UNKNOWN:
    return s->unknown = true;
  case O_PROGRAM:
    c->program = text;
    return true;
  case O_TRACE:
    c->trace = text;
    return true;
  case O_SEED:
    return sim_whole(text, 0, UINT64_MAX, &s->work.seed);
  case O_MAP:
    c->map = text;
    return true;
  default:
    return machine_option(option, text, c);
  }
}

static int checked(const struct sim_tasks_command *c) {
  const struct sim_task_machine *m = &c->machine;
  const char *why = NULL;
  if ((c->program || c->trace) && c->shaped) {
    const struct option *o = sim_task_options;
    while (o->val != c->shaped)
      ++o;
    (void)fprintf(
        stderr,
        "agglom-sim: error: --%s has no effect beside --%s, which says by itself what the program is\n",
        o->name, c->trace ? "trace" : "program");
    return 2;
  }
  if (c->program && c->trace)
    why = "--program and --trace are both given; a run has one program";
  else if (m->saturated > m->fill)
    why = "--saturated is above --fill: a device cannot need more blocks than it can have";
  else if ((double)c->shape.work.n * (double)c->shape.steps > 4e9)
    why = "--units times --steps is more than 4e9 units";
  else if (c->shape.submitters > m->cpus && !c->program && !c->trace)
    why = "--submitters is above --cpus: each is a thread";
  else if (m->own && m->devices > m->cpus)
    why = "--own-devices with more devices than CPU units";
  for (unsigned d = m->devices; d < SIM_MOST_LOSSES && !why; ++d)
    if (m->lost_ns[d] < SIM_NEVER)
      why = "--lose names a device that the machine does not have";
  if (why)
    (void)fprintf(stderr, "agglom-sim: error: %s\n", why);
  return why ? 2 : 0;
}

int sim_tasks_options(int argc, char **argv, struct sim_tasks_command *c) {
  static const struct sim_options_of of = {"agglom-sim tasks",
                                           sim_task_options,
                                           sim_loop_options,
                                           "is an option for loops, which are simulated without 'tasks'",
                                           help,
                                           understood,
                                           "no policy is given; 'all' runs every one of AGGLOM_BATCH"};
  *c = (struct sim_tasks_command){
      .shape = {.work = {.shape = SIM_UNIFORM, .n = 100000, .seed = 1, .mean_ns = 1000},
                .gap_ns = 100,
                .submitters = 1,
                .steps = 1},
      .machine = {.cpus = 4,
                  .devices = 1,
                  .slots = 3,
                  .speed = 20,
                  .fill = 160,
                  .blocks = 1,
                  .host_ns = 10000,
                  .host_unit_ns = 20,
                  .commit_ns = 2000,
                  .commit_unit_ns = 10,
                  .launch_ns = 8000,
                  .live = 65536,
                  .ask_ns = 500,
                  .ask_split_ns = 500,
                  .take_ns = 250,
                  .look_ns = 20000}};
  for (unsigned d = 0; d < SIM_MOST_LOSSES; ++d)
    c->machine.lost_ns[d] = SIM_NEVER;
  int result = sim_command(argc, argv, &of, c);
  if (result != -1)
    return result;
  if (!(c->machine.slot_bytes > 0))
    c->machine.slot_bytes = INFINITY;
  c->machine.seed = c->shape.work.seed + 1000003;
  result = checked(c);
  return result ? result : -1;
}
