/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* agglom-info: what an agglom program would find on this machine, and what it can be told. */
#include "device/device.h"
#include "info_models.h"
#include "shared/slot.h"
#include "sys/env.h"
#include "sys/json.h"
#include "sys/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef AGGLOM_VERSION
#define AGGLOM_VERSION "unknown"
#endif

enum { MAX_DEVICES = 64 };
static const double GIB = 1024.0 * 1024 * 1024;

/** All that is known before anything is printed. */
struct found {
  struct ag_config config;
  struct ag_device *cuda[MAX_DEVICES];
  int n_cuda;
  unsigned cpus, workers;
};

static const char usage[] = "usage: agglom-info [--env | --models FILE | --json | --help | --version]";

static bool is_known(const char *option) {
  static const char *const known[] = {"--env", "--models", "--json", "--help", "-h", "--version"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (!strcmp(option, known[i]))
      return true;
  return false;
}

static void help(void) {
  printf("%s\n"
         "Shows the devices and CPU workers that an agglom program can use on this machine.\n\n"
         "  --env          print every AGGLOM_* environment variable: what it accepts, its default, its "
         "meaning\n"
         "  --models FILE  print what a file of AGGLOM_MODELS says\n"
         "  --json         print devices, workers and variables as JSON\n"
         "  --help         print this text\n"
         "  --version      print the version\n\n"
         "Exit status: 0; 1 when an AGGLOM_* variable is malformed, the file is not one of models, or the\n"
         "output cannot be written; 2 for a wrong option.\n",
         usage);
}

/* Prints text in lines of at most 96 columns, each after indent spaces. */
static void print_folded(const char *text, int indent) {
  while (*text) {
    size_t room = 96 - (size_t)indent, length = strlen(text);
    if (length > room) {
      length = room;
      while (length && text[length] != ' ')
        --length;
      if (!length) /* one long word */
        length = strcspn(text, " ");
    }
    printf("%*s%.*s\n", indent, "", (int)length, text);
    text += length;
    text += strspn(text, " ");
  }
}

static void print_env(void) {
  for (unsigned i = 0; i < ag_env_count; ++i) {
    const struct ag_env_variable *v = &ag_env_table[i];
    const char *value = getenv(v->name);
    printf("%s\n", v->name);
    print_folded(v->meaning, 4);
    printf("    accepted:\n");
    print_folded(v->accepted, 6);
    printf("    default:  %s\n", v->initial[0] ? v->initial : "not set");
    if (value && *value)
      printf("    now:      %s\n", value);
  }
}

static void print_cuda(const struct found *f) {
  for (int i = 0; i < f->n_cuda; ++i) {
    const struct ag_device_info *d = &f->cuda[i]->info;
    printf("  cuda:%-3d %s, sm_%d, %u multiprocessors, %.1f GiB memory, %.1f GiB free\n", d->index, d->name,
           d->capability, d->compute_units, (double)d->memory_bytes / GIB, (double)d->memory_free / GIB);
  }
  if (!f->n_cuda)
    printf("  cuda     none: %s\n", *ag_cuda_why_not() ? ag_cuda_why_not() : "no device could be opened");
}

static bool is_there(const struct found *f, int cuda) {
  for (int i = 0; i < f->n_cuda; ++i)
    if (f->cuda[i]->info.index == cuda)
      return true;
  return false;
}

/* What the settings make of the devices that there are. */
static void print_use(const struct found *f) {
  struct ag_device_spec spec;
  if (ag_parse_devices(f->config.devices, &spec))
    memset(&spec, 0, sizeof spec);
  bool emulated = spec.kind == AG_KIND_EMULATED;
  int most = ag_config_devices(&f->config, AG_MAX_DEVICES), used = 0;
  printf("\nAGGLOM_DEVICES is %s", f->config.devices);
  if (f->config.cus.devices >= 0)
    printf(", AGGLOM_CUS asks for %d", f->config.cus.devices);
  printf(": a program uses");
  for (int i = 0; spec.kind == AG_KIND_CUDA && i < spec.count && used < most; ++i)
    if (is_there(f, spec.index[i]))
      printf("%s cuda:%d", used++ ? "," : "", spec.index[i]);
  if (emulated && most) {
    used = spec.count < most ? spec.count : most;
    printf(" %d emulated %s", used, used == 1 ? "device" : "devices");
  } else if (!emulated && spec.kind != AG_KIND_NONE && !spec.count && f->n_cuda && most) {
    used = f->n_cuda < most ? f->n_cuda : most;
    if (used < f->n_cuda)
      printf(" the first %d of the GPUs listed above", used);
    else
      printf(" every GPU listed above");
  }
  if (!used)
    printf(" the CPU only");
  else if (f->config.split == AG_SPLIT_CPU)
    printf(", but AGGLOM_SPLIT=cpu runs all units on the CPU");
  printf(".\n");
}

static void print_text(const struct found *f) {
  const struct ag_emulate *e = &f->config.emulate;
  const struct ag_cus *cus = &f->config.cus;
  printf("agglom %s\n\n", AGGLOM_VERSION);
  printf("Workers: %u", f->workers);
  if (cus->cores > 1)
    printf(" of %u cores each", cus->cores);
  printf(" (%u usable CPUs%s)\n\n", f->cpus,
         cus->units          ? ", set by AGGLOM_CUS"
         : f->config.workers ? ", set by AGGLOM_WORKERS"
                             : "");
  printf("Devices:\n");
  print_cuda(f);
  printf("  emulated with AGGLOM_DEVICES=emulated[:N]: %u threads and %.1f GiB each\n", e->threads,
         (double)e->memory_bytes / GIB);
  print_use(f);
  printf("The environment variables: agglom-info --env\n");
}

static void json_member(const char *key, const char *value, const char *after) {
  printf("\"%s\": ", key);
  ag_json_string(stdout, value);
  fputs(after, stdout);
}

static void print_json(const struct found *f) {
  const struct ag_emulate *e = &f->config.emulate;
  printf("{");
  json_member("version", AGGLOM_VERSION, ",\n");
  printf(" \"usable_cpus\": %u, \"workers\": %u, \"cores_of_each\": %u, \"most_devices\": %d,\n", f->cpus,
         f->workers, f->config.cus.cores, ag_config_devices(&f->config, AG_MAX_DEVICES));
  printf(" \"cuda\": {\"devices\": [");
  for (int i = 0; i < f->n_cuda; ++i) {
    const struct ag_device_info *d = &f->cuda[i]->info;
    printf("%s\n  {\"index\": %d, ", i ? "," : "", d->index);
    json_member("name", d->name, ", ");
    printf("\"capability\": %d, \"compute_units\": %u, \"max_threads\": %u, \"max_blocks\": %u, "
           "\"memory_bytes\": %zu, \"memory_free\": %zu}",
           d->capability, d->compute_units, d->max_threads, d->max_blocks, d->memory_bytes, d->memory_free);
  }
  printf("], ");
  json_member("why_not", f->n_cuda ? "" : ag_cuda_why_not(), "},\n");
  printf(" \"emulated\": {\"threads\": %u, \"memory_bytes\": %zu, \"launch_ns\": %llu, \"bytes_per_s\": "
         "%llu},\n",
         e->threads, e->memory_bytes, (unsigned long long)e->launch_ns, (unsigned long long)e->bytes_per_s);
  printf(" ");
  json_member("devices", f->config.devices, ",\n");
  printf(" \"environment\": [");
  for (unsigned i = 0; i < ag_env_count; ++i) {
    const struct ag_env_variable *v = &ag_env_table[i];
    const char *value = getenv(v->name);
    printf("%s\n  {", i ? "," : "");
    json_member("name", v->name, ", ");
    json_member("accepted", v->accepted, ", ");
    json_member("default", v->initial, ", ");
    json_member("meaning", v->meaning, ", ");
    printf("\"value\": ");
    if (value)
      ag_json_string(stdout, value);
    else
      printf("null");
    printf("}");
  }
  printf("]}\n");
}

/* Anything that is to be written must have arrived: a full disk is not success. */
static int end(int status) {
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "agglom-info: error: the output cannot be written\n");
    return 1;
  }
  return status;
}

int main(int argc, char **argv) {
  const char *option = argc > 1 ? argv[1] : "";
  bool json = !strcmp(option, "--json");
  if (argc > 1 && !is_known(option)) {
    fprintf(stderr, "agglom-info: error: unknown option \"%s\"; %s\n", option, usage);
    return 2;
  }
  if (!strcmp(option, "--models")) {
    if (argc == 3)
      return end(print_models(argv[2]));
    fprintf(stderr, "agglom-info: error: --models takes the name of one file; %s\n", usage);
    return 2;
  }
  if (argc > 2) {
    fprintf(stderr, "agglom-info: error: one option at a time; \"%s\" is too many; %s\n", argv[2], usage);
    return 2;
  }
  if (!strcmp(option, "--help") || !strcmp(option, "-h")) {
    help();
    return end(0);
  }
  if (!strcmp(option, "--version")) {
    printf("agglom-info (agglom) %s\n", AGGLOM_VERSION);
    return end(0);
  }
  struct found f = {.n_cuda = 0};
  int status = ag_config_load(&f.config) ? 1 : 0;
  if (argc > 1 && !json) {
    print_env();
    return end(status);
  }
  f.cpus = ag_usable_cpus();
  f.workers = ag_config_cpus(&f.config, f.cpus);
  f.n_cuda = ag_devices_open("auto", f.cuda, MAX_DEVICES); /* whatever AGGLOM_DEVICES says: show all */
  if (f.n_cuda < 0)
    f.n_cuda = 0;
  if (json)
    print_json(&f);
  else
    print_text(&f);
  for (int i = 0; i < f.n_cuda; ++i)
    f.cuda[i]->ops->close(f.cuda[i]);
  return end(status);
}
