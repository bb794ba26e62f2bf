/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "info_models.h"

#include "policy/loop/curve.h"
#include "policy/model/model.h"
#include "remembered/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_time(double ns) {
  if (ns < 1e4)
    printf("%.4g ns", ns);
  else if (ns < 1e7)
    printf("%.4g us", ns / 1e3);
  else
    printf("%.4g ms", ns / 1e6);
}

static void print_ignored(void) { printf("numbers that cannot be, which are ignored\n"); }

static void print_cpu(const struct ag_book_item *i) {
  struct ag_model m = {.cpu_known = 0};
  printf("  a CPU unit: ");
  if (!ag_model_seed_cpu(&m, i->x, i->n)) {
    print_ignored();
    return;
  }
  print_time(m.cpu_ns);
  printf(" an item, measured %llu time%s\n", (unsigned long long)m.cpu_known, m.cpu_known == 1 ? "" : "s");
}

static void print_batches(const char *device, const struct ag_book_item *i) {
  struct ag_device_model m = {.known = 0};
  printf("  %s: ", device);
  if (!ag_model_seed_device(&m, i->x, i->n)) {
    print_ignored();
    return;
  }
  print_time(m.times.launch_ns);
  printf(" a batch and ");
  print_time(m.times.item_ns);
  printf(" an item, up to %.6g items in %llu batch%s\n", m.largest, (unsigned long long)m.known,
         m.known == 1 ? "" : "es");
}

/* Of the bytes of batches, to the device or back. */
static void print_copies(const char *way, const char *device, const struct ag_book_item *i) {
  struct ag_device_model m = {.known = 0};
  printf("  copies %s %s: ", way, device);
  if (!ag_model_seed_device(&m, i->x, i->n)) {
    print_ignored();
    return;
  }
  print_time(m.times.launch_ns);
  printf(" a batch and %.4g GB/s, up to %.6g bytes in %llu batch%s\n", 1 / m.times.item_ns, m.largest,
         (unsigned long long)m.known, m.known == 1 ? "" : "es");
}

/* Throughput by chunk size. */
static void print_curve(const char *unit, const struct ag_book_item *i) {
  struct ag_curve c = {.known = 0};
  printf("  unit %s, a device: ", unit);
  if (!ag_curve_seed(&c, i->x, i->n)) {
    print_ignored();
    return;
  }
  printf("iterations a ms by the size of the chunk:");
  const char *comma = "";
  for (unsigned k = 0; k < AG_CURVE_POINTS; ++k)
    if (c.at[k].size > 0) {
      printf("%s %.4g: %.4g", comma, c.at[k].size, c.at[k].size / c.at[k].ms);
      comma = ",";
    }
  printf("\n");
}

static const char *behind(const char *name, const char *word) {
  size_t n = strlen(word);
  return strncmp(name, word, n) ? NULL : name + n;
}

/* How many CPU units a loop had: loop "NAME" "FILE" LINE SHAPE SCHEDULE CPUS "DEVICE"... */
static unsigned long cpus_of(const char *key) {
  unsigned quotes = 0, blanks = 0;
  for (; *key && blanks < 4; ++key) {
    if (*key == '\\' && key[1])
      ++key;
    else if (*key == '"')
      ++quotes;
    else if (*key == ' ' && quotes == 4)
      ++blanks;
  }
  return strtoul(key, NULL, 10);
}

static void print_item(const char *key, const struct ag_book_item *i) {
  const char *rest;
  if (!strcmp(i->name, "cpu"))
    print_cpu(i);
  else if ((rest = behind(i->name, "batches ")))
    print_batches(rest, i);
  else if ((rest = behind(i->name, "in \"")) || (rest = behind(i->name, "out \"")))
    print_copies(i->name[0] == 'i' ? "to" : "from", rest - 1, i);
  else if ((rest = behind(i->name, "curve ")))
    print_curve(rest, i);
  else if ((rest = behind(i->name, "rate ")) || (rest = behind(i->name, "speed ")))
    printf("  unit %s, a %s: %.4g iterations a ms in %s\n", rest,
           strtoul(rest, NULL, 10) < cpus_of(key) ? "CPU unit" : "device", i->x[0],
           i->name[0] == 'r' ? "the last chunks" : "all");
  else {
    printf("  %s:", i->name);
    for (unsigned k = 0; k < i->n; ++k)
      printf(" %.6g", i->x[k]);
    printf("\n");
  }
}

int print_models(const char *path) {
  struct ag_book book = {0};
  char why[AG_MODELS_WHY];
  bool fine = ag_models_read_file(path, NULL, &book, why) == AG_MODELS_READ;
  if (fine && access(path, F_OK)) {
    fprintf(stderr, "agglom-info: error: there is no file %s\n", path);
    return 1;
  }
  if (!fine) {
    fprintf(stderr, "agglom-info: error: %s %s\n", path, why);
    return 1;
  }
  if (!book.machine) {
    printf("There is nothing in it yet.\n");
    return 0;
  }
  printf("machine %s\n", book.machine);
  for (const struct ag_book_section *s = book.sections; s; s = s->next) {
    printf("\n%s\n", s->key);
    for (const struct ag_book_item *i = s->items; i; i = i->next)
      print_item(s->key, i);
  }
  ag_book_free(&book);
  return 0;
}
