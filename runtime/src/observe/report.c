/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report at the end of a run, as text of at most 100 columns or as JSON. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "observe/counters.h"
#include "sys/json.h"
#include "sys/log.h"
#include "sys/writing.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const struct {
  const char *text, *key;
} reason_names[AG_N_REASONS] = {
    [AG_REASON_FULL] = {"full", "full"},
    [AG_REASON_IDLE] = {"device idle", "idle"},
    [AG_REASON_NO_HIGH_PRIORITY] = {"no high-priority work left", "no_high_priority"},
    [AG_REASON_AGE] = {"oldest unit's age", "age"},
    [AG_REASON_FLUSH] = {"flush by a wait", "flush"},
    [AG_REASON_POLICY] = {"policy's own rule", "policy"},
};

const char *ag_reason_key(enum ag_reason reason) {
  return (unsigned)reason < AG_N_REASONS ? reason_names[reason].key : NULL;
}

/* --- Numbers ------------------------------------------------------------------------------------------- */

static uint64_t get(const ag_counter *counter) { return atomic_load_explicit(counter, memory_order_relaxed); }

/** A place's counters at one moment, and sums of such. */
struct sums {
  uint64_t units, batches, failed, joined, chains, split_parts, warps, bytes_in, bytes_direct, bytes_reused,
      bytes_out, stage_ns, device_ns, total_ns, chunks, iterations;
};

static void add_place(struct sums *s, const struct ag_place *p) {
  s->units += get(&p->units);
  s->batches += get(&p->batches);
  s->failed += get(&p->failed);
  s->joined += get(&p->joined);
  s->chains += get(&p->chains);
  s->split_parts += get(&p->split_parts);
  s->warps += get(&p->warps);
  s->bytes_in += get(&p->bytes_in);
  s->bytes_direct += get(&p->bytes_direct);
  s->bytes_reused += get(&p->bytes_reused);
  s->bytes_out += get(&p->bytes_out);
  s->stage_ns += get(&p->stage_ns);
  s->device_ns += get(&p->device_ns);
  s->total_ns += get(&p->total_ns);
  s->chunks += get(&p->chunks);
  s->iterations += get(&p->iterations);
}

static struct sums sums_of_devices(const struct ag_observe_task *t) {
  struct sums s = {0};
  for (int i = 1; i < AG_PLACES; ++i)
    add_place(&s, &t->place[i]);
  return s;
}

static struct sums sums_of_cpu(const struct ag_observe_task *t) {
  struct sums s = {0};
  add_place(&s, &t->place[0]);
  s.units += get(&t->cpu_units);
  return s;
}

struct text {
  char s[48];
};

static struct text bytes_text(uint64_t n) {
  static const char *const unit[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  struct text t;
  double v = (double)n;
  unsigned u = 0;
  for (; v >= 999.95 && u + 1 < sizeof unit / sizeof unit[0]; ++u)
    v /= 1000;
  snprintf(t.s, sizeof t.s, u ? "%.1f %s" : "%.0f %s", v, unit[u]);
  return t;
}

static struct text time_text(uint64_t ns) {
  struct text t;
  double v = (double)ns;
  if (v < 999.5e3)
    snprintf(t.s, sizeof t.s, "%.1f us", v / 1e3);
  else if (v < 999.5e6)
    snprintf(t.s, sizeof t.s, "%.1f ms", v / 1e6);
  else
    snprintf(t.s, sizeof t.s, "%.2f s", v / 1e9);
  return t;
}

static double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *plural(uint64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

/* "dynamic:64"; "" when no execution was told. */
static struct text schedule_of(const struct ag_observe_task *t) {
  struct text text = {""};
  const char *name = atomic_load_explicit(&t->schedule, memory_order_relaxed);
  double argument = atomic_load_explicit(&t->argument, memory_order_relaxed);
  if (name)
    snprintf(text.s, sizeof text.s, argument < 0 ? "%s" : "%s:%.15g", name, argument);
  for (char *comma; (comma = strchr(text.s, ','));) /* of the locale */
    *comma = '.';
  return text;
}

static const char *device_label(int i, struct text *place) {
  const char *name = ag_observe_device_name(i);
  if (name)
    return name;
  snprintf(place->s, sizeof place->s, "device:%d", i);
  return place->s;
}

/* --- Text ------------------------------------------------------------------------------------------------
 */

struct printing {
  FILE *out;
  unsigned n_tasks;
  uint64_t submitted;
  struct sums cpu, devices;
  struct sums device[AG_OBSERVE_DEVICES];
};

/* A device that has done something, or was lost. */
static bool is_told(const struct sums *s, int device) {
  return s->batches || s->failed || ag_observe_is_lost(device);
}

static void add_task(struct printing *p, const struct ag_observe_task *t) {
  add_place(&p->cpu, &t->place[0]);
  p->cpu.units += get(&t->cpu_units);
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i) {
    add_place(&p->device[i], &t->place[i + 1]);
    add_place(&p->devices, &t->place[i + 1]);
  }
  ++p->n_tasks;
  p->submitted += get(&t->submitted);
}

/* The line that says it all, and that scripts look for. */
static void print_headline(FILE *out, const struct ag_observe_task *t, const struct sums *gpu,
                           const struct sums *cpu) {
  struct text place;
  fprintf(out, "%s: %" PRIu64 " %s in %" PRIu64 " %s", t->name, gpu->units,
          plural(gpu->units, "unit", "units"), gpu->batches, plural(gpu->batches, "launch", "launches"));
  const char *before = " on ";
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i)
    if (get(&t->place[i + 1].batches)) {
      fprintf(out, "%s%s", before, device_label(i, &place));
      before = ", ";
    }
  if (gpu->batches)
    fprintf(out, " (%.1f units a launch)", (double)gpu->units / (double)gpu->batches);
  fprintf(out, ", %" PRIu64 " on the CPU\n", cpu->units);
}

/* Where it ran. A loop's chunks are of different sizes, so iterations count there. */
static void print_share(FILE *out, const struct ag_observe_task *t, const struct sums *gpu,
                        const struct sums *cpu) {
  uint64_t iterations = gpu->iterations + cpu->iterations, units = gpu->units + cpu->units;
  uint64_t on_devices = iterations ? gpu->iterations : gpu->units;
  uint64_t on_cpu = iterations ? cpu->iterations : cpu->units;
  fprintf(out,
          "  share      %.1f %% %son devices, %.1f %% on the CPU; %" PRIu64 " submitted, %" PRIu64 " run\n",
          percent(on_devices, on_devices + on_cpu), iterations ? "of the iterations " : "",
          percent(on_cpu, on_devices + on_cpu), get(&t->submitted), units);
}

static void print_iterations(FILE *out, const char *before, uint64_t iterations, const char *where,
                             uint64_t chunks) {
  fprintf(out, "%s%" PRIu64 " %s in %" PRIu64 " %s", before, iterations, where, chunks,
          plural(chunks, "chunk", "chunks"));
}

/* How a loop was dealt out. */
static void print_loop(FILE *out, const struct ag_observe_task *t, const struct sums *gpu,
                       const struct sums *cpu) {
  struct text schedule = schedule_of(t);
  uint64_t executions = get(&t->executions), cut = get(&t->cut_iterations);
  if (!schedule.s[0])
    return;
  fprintf(out, "  schedule   %s, %" PRIu64 " %s\n", schedule.s, executions,
          plural(executions, "execution", "executions"));
  if (gpu->iterations + cpu->iterations) {
    print_iterations(out, "  iterations ", gpu->iterations, "on devices", gpu->chunks);
    print_iterations(out, ", ", cpu->iterations, "on the CPU", cpu->chunks);
    fputc('\n', out);
  }
  if (cut) {
    print_iterations(out, "  iterations ", cut, "cut beforehand,", get(&t->cut_chunks));
    fputc('\n', out);
  }
  uint64_t waited = get(&t->waited_chunks);
  if (waited)
    fprintf(out, "  waited     %" PRIu64 " %s for others that use the same memory: name less in sections\n",
            waited, plural(waited, "chunk", "chunks"));
}

static void print_sizes(FILE *out, const char *label, const char *what, const struct ag_sizes *sizes) {
  uint64_t power[64] = {0}, most = 0;
  for (unsigned b = 0; b < AG_SIZE_BUCKETS; ++b) {
    uint64_t begin = ag_size_bucket_begin(b);
    power[begin ? 63 - __builtin_clzll(begin) : 0] += get(&sizes->bucket[b].count);
  }
  for (int i = 0; i < 64; ++i)
    if (power[i] > most)
      most = power[i];
  if (!most)
    return;
  fprintf(out, "  %-10s min %" PRIu64 ", median %.0f, max %" PRIu64 " %s %s\n", label, get(&sizes->min),
          ag_sizes_median(sizes), get(&sizes->max), plural(get(&sizes->max), "unit", "units"), what);
  for (int i = 0; i < 64; ++i) {
    if (!power[i])
      continue;
    char range[48];
    uint64_t low = UINT64_C(1) << i;
    if (i)
      snprintf(range, sizeof range, "%" PRIu64 "..%" PRIu64, low, low + (low - 1));
    else
      snprintf(range, sizeof range, "1");
    int bar = (int)(40.0 * (double)power[i] / (double)most + 0.5);
    fprintf(out, "    %21s %8" PRIu64 " %.*s\n", range, power[i], bar ? bar : 1,
            "########################################");
  }
}

/* Words with commas between them, in as many lines as it takes. */
struct enumeration {
  FILE *out;
  const char *before; /* the first one */
  size_t column;      /* 0: none is printed yet */
};

static void print_one_of(struct enumeration *e, const char *word) {
  size_t indent = strlen(e->before), n = strlen(word);
  bool fits = e->column + n + 3 <= 100; /* with ", " before it and "," after it */
  if (!e->column)
    fprintf(e->out, "%s%s", e->before, word);
  else if (fits)
    fprintf(e->out, ", %s", word);
  else
    fprintf(e->out, ",\n%*s%s", (int)indent, "", word);
  e->column = e->column && fits ? e->column + 2 + n : indent + n;
}

static void print_reasons(FILE *out, const char *before, const ag_counter *reasons) {
  struct enumeration e = {.out = out, .before = before};
  char item[64];
  for (int i = 0; i < AG_N_REASONS; ++i) {
    snprintf(item, sizeof item, "%s %" PRIu64, reason_names[i].text, get(&reasons[i]));
    if (get(&reasons[i]))
      print_one_of(&e, item);
  }
  if (e.column)
    fputc('\n', out);
}

static void print_task(const struct ag_observe_task *t, void *context) {
  struct printing *p = context;
  FILE *out = p->out;
  struct sums gpu = sums_of_devices(t), cpu = sums_of_cpu(t);
  add_task(p, t);
  print_headline(out, t, &gpu, &cpu);
  fprintf(out, "  declared   %s:%u\n", t->file, t->line);
  print_loop(out, t, &gpu, &cpu);
  print_share(out, t, &gpu, &cpu);
  print_sizes(out, "launches", "a launch", &t->sizes[1]);
  print_sizes(out, "batches", "a batch on the CPU", &t->sizes[0]);
  print_reasons(out, "  why        ", t->reasons[1]);
  print_reasons(out, "  why (CPU)  ", t->reasons[0]);
  if (gpu.joined)
    fprintf(out, "  joined     %" PRIu64 " %s came while a launch was prepared, and joined it\n", gpu.joined,
            plural(gpu.joined, "unit", "units"));
  if (gpu.batches)
    fprintf(out,
            "  chains     %" PRIu64 " (%.1f a launch), %" PRIu64 " %s split units, %" PRIu64 " of %" PRIu64
            " %s by warps\n",
            gpu.chains, (double)gpu.chains / (double)gpu.batches, gpu.split_parts,
            plural(gpu.split_parts, "block shares", "blocks share"), gpu.warps, gpu.batches,
            plural(gpu.batches, "launch", "launches"));
  if (gpu.bytes_in || gpu.bytes_out)
    fprintf(out, "  bytes      %s to devices", bytes_text(gpu.bytes_in).s);
  if (gpu.bytes_direct)
    fprintf(out, " (%s without a staging buffer)", bytes_text(gpu.bytes_direct).s);
  if (gpu.bytes_in || gpu.bytes_out)
    fprintf(out, ", %s back", bytes_text(gpu.bytes_out).s);
  if (gpu.bytes_reused)
    fprintf(out, ", %s were there already", bytes_text(gpu.bytes_reused).s);
  if (gpu.bytes_in || gpu.bytes_out)
    fprintf(out, "\n");
  if (gpu.batches)
    fprintf(out, "  time       staging %s, kernels %s, launches in all %s\n", time_text(gpu.stage_ns).s,
            gpu.device_ns ? time_text(gpu.device_ns).s : "unknown", time_text(gpu.total_ns).s);
  if (cpu.batches)
    fprintf(out, "  CPU time   %s in %" PRIu64 " %s\n", time_text(cpu.total_ns).s, cpu.batches,
            plural(cpu.batches, "batch", "batches"));
  if (gpu.failed + cpu.failed)
    fprintf(out, "  failed     %" PRIu64 " %s, whose units were run again\n", gpu.failed + cpu.failed,
            plural(gpu.failed + cpu.failed, "batch", "batches"));
}

/* In one line each. A meter's name and reason are of ours. */
static void print_energy(FILE *out) {
  struct ag_energy_reading e[AG_ENERGY_METERS];
  unsigned n = ag_observe_energies(e);
  for (unsigned i = 0; i < n; ++i)
    if (e[i].why_not[0])
      fprintf(out, "energy of %s: unknown (%s)\n", e[i].name, e[i].why_not);
    else
      fprintf(out, "energy of %s: %.3f J in %s, %.1f W\n", e[i].name, (double)e[i].uj / 1e6,
              time_text(e[i].ns).s, e[i].ns ? (double)e[i].uj * 1e3 / (double)e[i].ns : 0);
}

/* Under what all that was so. */
static void print_settings(FILE *out) {
  struct ag_observe_settings s = ag_observe_settings_told();
  struct enumeration e = {.out = out, .before = "machine: "};
  char workers[64];
  if (!s.workers)
    return;
  fprintf(out, "policies: batch %s, split %s, objective %s\n", s.batch, s.split, s.objective);
  if (s.objective_why_not[0])
    fprintf(out, "  but time was minimised: %s\n", s.objective_why_not);
  if (!ag_observe_device_name(0))
    fprintf(out, "  batch and split had no effect: there was no device\n");
  size_t n =
      (size_t)snprintf(workers, sizeof workers, "%u %s", s.workers, plural(s.workers, "worker", "workers"));
  if (s.cores > 1)
    snprintf(workers + n, sizeof workers - n, " of %u cores each", s.cores);
  print_one_of(&e, workers);
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i)
    if (ag_observe_device_name(i))
      print_one_of(&e, ag_observe_device_name(i));
  fprintf(out, "%s\n", ag_observe_device_name(0) ? "" : ", no device");
}

static void report_text(FILE *out) {
  struct printing p = {.out = out};
  struct text place;
  fprintf(out, "agglom report\n");
  print_settings(out);
  ag_observe_each(print_task, &p);
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i)
    if (is_told(&p.device[i], i))
      fprintf(out, "on %s: %" PRIu64 " %s in %" PRIu64 " %s, %s in, %s out, kernels %s%s\n",
              device_label(i, &place), p.device[i].units, plural(p.device[i].units, "unit", "units"),
              p.device[i].batches, plural(p.device[i].batches, "launch", "launches"),
              bytes_text(p.device[i].bytes_in).s, bytes_text(p.device[i].bytes_out).s,
              time_text(p.device[i].device_ns).s, ag_observe_is_lost(i) ? ", lost" : "");
  print_energy(out);
  fprintf(out,
          "total: %u task %s, %" PRIu64 " %s submitted, %" PRIu64 " run in %" PRIu64 " %s, %" PRIu64
          " run on the CPU, %" PRIu64 " failed\n",
          p.n_tasks, plural(p.n_tasks, "type", "types"), p.submitted, plural(p.submitted, "unit", "units"),
          p.devices.units, p.devices.batches, plural(p.devices.batches, "launch", "launches"), p.cpu.units,
          p.devices.failed + p.cpu.failed);
}

/* --- JSON ------------------------------------------------------------------------------------------------
 */

static void json_sums(FILE *out, const struct sums *s, const char *batches) {
  fprintf(out,
          "\"units\": %" PRIu64 ", \"%s\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"joined\": %" PRIu64
          ", \"chains\": %" PRIu64 ", \"split_parts\": %" PRIu64 ", \"warp_launches\": %" PRIu64
          ", \"bytes_in\": %" PRIu64 ", \"bytes_direct\": %" PRIu64 ", \"bytes_reused\": %" PRIu64
          ", \"bytes_out\": %" PRIu64 ", \"stage_ns\": %" PRIu64 ", \"kernel_ns\": %" PRIu64
          ", \"total_ns\": %" PRIu64 ", \"chunks\": %" PRIu64 ", \"iterations\": %" PRIu64,
          s->units, batches, s->batches, s->failed, s->joined, s->chains, s->split_parts, s->warps,
          s->bytes_in, s->bytes_direct, s->bytes_reused, s->bytes_out, s->stage_ns, s->device_ns, s->total_ns,
          s->chunks, s->iterations);
}

/* Medians have at most three decimals and no locale's comma. */
static void json_sizes(FILE *out, const struct ag_sizes *sizes) {
  uint64_t thousandths = (uint64_t)(ag_sizes_median(sizes) * 1000 + 0.5);
  fprintf(out, "{\"min\": %" PRIu64 ", \"median\": %" PRIu64 ".%03u, \"max\": %" PRIu64 ", \"histogram\": [",
          get(&sizes->min), thousandths / 1000, (unsigned)(thousandths % 1000), get(&sizes->max));
  const char *before = "";
  for (unsigned b = 0; b < AG_SIZE_BUCKETS; ++b) {
    uint64_t count = get(&sizes->bucket[b].count);
    if (!count)
      continue;
    fprintf(out, "%s{\"from\": %" PRIu64 ", \"count\": %" PRIu64 "}", before, ag_size_bucket_begin(b), count);
    before = ", ";
  }
  fprintf(out, "]}");
}

static void json_loop(FILE *out, const struct ag_observe_task *t) {
  struct text schedule = schedule_of(t);
  if (schedule.s[0])
    fprintf(out,
            "{\"schedule\": \"%s\", \"executions\": %" PRIu64 ", \"cut_chunks\": %" PRIu64
            ", \"cut_iterations\": %" PRIu64 ", \"waited_chunks\": %" PRIu64 "}",
            schedule.s, get(&t->executions), get(&t->cut_chunks), get(&t->cut_iterations),
            get(&t->waited_chunks));
  else
    fputs("null", out);
}

static void json_reasons(FILE *out, const char *name, const struct ag_observe_task *t, bool launches) {
  fprintf(out, "\"%s\": {", name);
  for (int i = 0; i < AG_N_REASONS; ++i)
    fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "", reason_names[i].key,
            get(&t->reasons[0][i]) + (launches ? get(&t->reasons[1][i]) : 0));
  fputc('}', out);
}

static void json_task(const struct ag_observe_task *t, void *context) {
  struct printing *p = context;
  FILE *out = p->out;
  struct sums cpu = sums_of_cpu(t);
  struct text place;
  fprintf(out, "%s\n    {\"name\": ", p->n_tasks ? "," : "");
  ag_json_string(out, t->name);
  fprintf(out, ", \"file\": ");
  ag_json_string(out, t->file);
  fprintf(out, ", \"line\": %u, \"submitted\": %" PRIu64 ",\n     \"loop\": ", t->line, get(&t->submitted));
  json_loop(out, t);
  fprintf(out, ",\n     \"cpu\": {");
  json_sums(out, &cpu, "batches");
  fprintf(out, "},\n     \"devices\": [");
  const char *before = "";
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i) {
    struct sums s = {0};
    add_place(&s, &t->place[i + 1]);
    if (!s.batches && !s.failed)
      continue;
    fprintf(out, "%s{\"device\": ", before);
    ag_json_string(out, device_label(i, &place));
    fprintf(out, ", ");
    json_sums(out, &s, "launches");
    fputc('}', out);
    before = ", ";
  }
  fprintf(out, "],\n     ");
  json_reasons(out, "reasons", t, true);
  fprintf(out, ",\n     ");
  json_reasons(out, "cpu_reasons", t, false);
  fprintf(out, ",\n     \"launch_sizes\": ");
  json_sizes(out, &t->sizes[1]);
  fprintf(out, ", \"cpu_batch_sizes\": ");
  json_sizes(out, &t->sizes[0]);
  fputc('}', out);
  add_task(p, t);
}

static void json_energy(FILE *out) {
  struct ag_energy_reading e[AG_ENERGY_METERS];
  unsigned n = ag_observe_energies(e);
  fprintf(out, "\n  ],\n  \"energy\": [");
  for (unsigned i = 0; i < n; ++i) {
    fprintf(out, "%s\n    {\"of\": \"%s\", ", i ? "," : "", e[i].name);
    if (e[i].why_not[0]) {
      fprintf(out, "\"why_not\": ");
      ag_json_string(out, e[i].why_not);
      fputc('}', out);
    } else {
      fprintf(out, "\"microjoules\": %" PRIu64 ", \"ns\": %" PRIu64 "}", e[i].uj, e[i].ns);
    }
  }
}

static void json_settings(FILE *out) {
  struct ag_observe_settings s = ag_observe_settings_told();
  const char *before = "";
  if (!s.workers) {
    fputs("null", out);
    return;
  }
  fprintf(out, "{\"batch\": \"%s\", \"split\": \"%s\", \"objective\": \"%s\", ", s.batch, s.split,
          s.objective);
  fprintf(out, "\"objective_why_not\": ");
  if (s.objective_why_not[0])
    ag_json_string(out, s.objective_why_not);
  else
    fputs("null", out);
  fprintf(out, ",\n    \"workers\": %u, \"cores_of_each\": %u, \"devices\": [", s.workers, s.cores);
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i)
    if (ag_observe_device_name(i)) {
      fputs(before, out);
      ag_json_string(out, ag_observe_device_name(i));
      before = ", ";
    }
  fputs("]}", out);
}

static void report_json(FILE *out) {
  struct printing p = {.out = out};
  struct text place;
  fprintf(out, "{\"agglom_report\": 1,\n  \"settings\": ");
  json_settings(out);
  fprintf(out, ",\n  \"tasks\": [");
  ag_observe_each(json_task, &p);
  fprintf(out, "\n  ],\n  \"devices\": [");
  const char *before = "";
  for (int i = 0; i < AG_OBSERVE_DEVICES; ++i) {
    if (!is_told(&p.device[i], i))
      continue;
    fprintf(out, "%s\n    {\"device\": ", before);
    ag_json_string(out, device_label(i, &place));
    fprintf(out, ", \"lost\": %s, ", ag_observe_is_lost(i) ? "true" : "false");
    json_sums(out, &p.device[i], "launches");
    fputc('}', out);
    before = ",";
  }
  json_energy(out);
  fprintf(out,
          "\n  ],\n  \"total\": {\"task_types\": %u, \"submitted\": %" PRIu64 ", \"on_devices\": %" PRIu64
          ", \"launches\": %" PRIu64 ", \"on_cpu\": %" PRIu64 ", \"cpu_batches\": %" PRIu64
          ", \"failed\": %" PRIu64 "}}\n",
          p.n_tasks, p.submitted, p.devices.units, p.devices.batches, p.cpu.units, p.cpu.batches,
          p.devices.failed + p.cpu.failed);
}

/* --- Where it goes ---------------------------------------------------------------------------------------
 */

void ag_observe_report(FILE *out, enum ag_report_mode mode) {
  if (mode == AG_REPORT_TEXT)
    report_text(out);
  else if (mode == AG_REPORT_JSON)
    report_json(out);
}

static int write_report(const struct ag_report_choice *choice) {
  int err = 0;
  FILE *out = NULL;
  if (choice->path[0]) {
    out = fopen(choice->path, "we");
    if (!out) {
      err = -errno;
      ag_error("AGGLOM_REPORT: the report cannot be written to %s (%s); it follows here", choice->path,
               strerror(errno));
    }
  }
  ag_observe_report(out ? out : stderr, choice->mode);
  if (!out) {
    fflush(stderr);
    return err;
  }
  int bad = ferror(out);
  if ((fclose(out) || bad) && !err) {
    err = -EIO;
    ag_error(
        "AGGLOM_REPORT: %s could not be written completely; is the disk full, or the size of files limited?",
        choice->path);
  }
  return err;
}

int ag_observe_report_to(const struct ag_report_choice *choice) {
  struct ag_writing w;
  if (choice->mode == AG_REPORT_OFF)
    return 0;
  ag_writing_begin(&w);
  int err = write_report(choice);
  ag_writing_end(&w);
  return err;
}
