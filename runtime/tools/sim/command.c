/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "command.h"
#include "options.h"

#include <errno.h>
#include <string.h>

#ifndef AGGLOM_VERSION
#define AGGLOM_VERSION "unknown"
#endif

static bool is_among(const struct option *o, const char *text) {
  size_t length = strcspn(text, "=");
  if (strncmp(text, "--", 2) != 0)
    return false;
  while (o->name && (strlen(o->name) != length - 2 || memcmp(o->name, text + 2, length - 2) != 0))
    ++o;
  return o->name;
}

int sim_command(int argc, char **argv, const struct sim_options_of *of, void *command) {
  int index = 0;
  for (int option; (option = getopt_long(argc, argv, ":", of->options, &index)) != -1;) {
    if (option == SIM_O_HELP) {
      of->help();
      return 0;
    }
    if (option == SIM_O_VERSION) {
      printf("agglom-sim %s\n", AGGLOM_VERSION);
      return 0;
    }
    if (option == '?' || option == ':') {
      const char *text = argv[optind - 1];
      bool of_others = !is_among(of->options, text) && is_among(of->others, text);
      return sim_unknown(of->name, option, text, of_others ? of->of_others : NULL);
    }
    if (!of->understood(option, optarg, command))
      return sim_wrong(of->name, of->options[index].name, optarg);
  }
  if (optind == argc) {
    (void)fprintf(stderr, "agglom-sim: error: %s\n", of->no_operands);
    return 2;
  }
  return -1;
}

static int map_failed(const char *path) {
  (void)fprintf(stderr, "agglom-sim: error: --map=%s cannot be written: %s\n", path, strerror(errno));
  return 1;
}

int sim_map_open(const char *path, FILE **map) {
  *map = path ? fopen(path, "w") : NULL;
  return path && !*map ? map_failed(path) : 0;
}

int sim_end(int result, const char *path, FILE *map) {
  if (map && fclose(map) && !result)
    result = map_failed(path);
  if (!result && (fflush(stdout) || ferror(stdout))) {
    (void)fprintf(stderr, "agglom-sim: error: the output cannot be written: %s\n", strerror(errno));
    result = 1;
  }
  return result;
}
