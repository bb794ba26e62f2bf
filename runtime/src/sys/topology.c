/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "sys/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static unsigned cpus_in_mask(void) {
  /* The kernel refuses a mask smaller than its own, so grow until it fits. */
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC((size_t)cpus);
    if (!set)
      break;
    size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
    int failed = sched_getaffinity(0, bytes, set);
    int count = failed ? 0 : CPU_COUNT_S(bytes, set);
    int error = errno;
    CPU_FREE(set);
    if (count > 0)
      return (unsigned)count;
    if (failed && error != EINVAL)
      break;
  }
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (unsigned)online : 1;
}

unsigned ag_cpus_of_quota(unsigned in_mask, long long quota_us, long long period_us) {
  unsigned cpus = in_mask ? in_mask : 1;
  if (quota_us > 0 && period_us > 0) {
    long long whole = quota_us / period_us + (quota_us % period_us != 0);
    if (whole < (long long)cpus)
      cpus = (unsigned)whole;
  }
  return cpus;
}

/* Reads up to two integers from a file. "max" counts as -1. Returns how many there were. */
static int read_numbers(const char *path, long long number[2]) {
  FILE *f = fopen(path, "re");
  if (!f)
    return 0;
  char word[2][32];
  int n = fscanf(f, "%31s %31s", word[0], word[1]);
  fclose(f);
  int got = 0;
  for (; got < n; ++got) {
    if (!strcmp(word[got], "max"))
      number[got] = -1;
    else if (sscanf(word[got], "%lld", &number[got]) != 1)
      break;
  }
  return got;
}

/* Applies the quota of one group folder; root "/sys/fs/cgroup/cpu" means the files of version 1. */
static unsigned limit_by_group(unsigned cpus, const char *folder, bool version1) {
  char file[PATH_BYTES + 32];
  long long number[2] = {-1, -1};
  if (version1) {
    long long period[2] = {-1, -1};
    snprintf(file, sizeof file, "%s/cpu.cfs_quota_us", folder);
    read_numbers(file, number);
    snprintf(file, sizeof file, "%s/cpu.cfs_period_us", folder);
    read_numbers(file, period);
    number[1] = period[0];
  } else {
    snprintf(file, sizeof file, "%s/cpu.max", folder);
    read_numbers(file, number);
  }
  return ag_cpus_of_quota(cpus, number[0], number[1]);
}

/* A group is also limited by those above it. In a container the path may not exist below the mount:
 * then only the mount itself answers, which is the container's own group. */
static unsigned limit_by_path(unsigned cpus, const char *root, const char *path, bool version1) {
  char folder[PATH_BYTES];
  size_t at_root = strlen(root);
  if ((size_t)snprintf(folder, sizeof folder, "%s%s", root, path) >= sizeof folder)
    return cpus;
  for (;;) {
    size_t length = strlen(folder);
    while (length > at_root && folder[length - 1] == '/')
      folder[--length] = '\0';
    cpus = limit_by_group(cpus, folder, version1);
    if (length <= at_root)
      return cpus;
    while (length > at_root && folder[length - 1] != '/')
      --length;
    folder[length] = '\0';
  }
}

static bool names_cpu_controller(const char *controllers) {
  for (const char *p = controllers; p;) {
    const char *comma = strchr(p, ',');
    size_t n = comma ? (size_t)(comma - p) : strlen(p);
    if (n == 3 && !strncmp(p, "cpu", 3))
      return true;
    p = comma ? comma + 1 : NULL;
  }
  return false;
}

unsigned ag_usable_cpus(void) {
  unsigned cpus = cpus_in_mask();
  FILE *groups = fopen("/proc/self/cgroup", "re");
  if (!groups)
    return cpus;
  char line[PATH_BYTES];
  while (fgets(line, sizeof line, groups)) { /* "0::/path" or "4:cpu,cpuacct:/path" */
    char *newline = strchr(line, '\n');
    if (newline)
      *newline = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
      continue;
    *path++ = '\0';
    ++controllers;
    if (!*controllers)
      cpus = limit_by_path(cpus, "/sys/fs/cgroup", path, false);
    else if (names_cpu_controller(controllers))
      cpus = limit_by_path(cpus, "/sys/fs/cgroup/cpu", path, true);
  }
  fclose(groups);
  return cpus;
}

size_t ag_page_size(void) {
  long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? (size_t)bytes : 4096;
}

unsigned ag_all_cpus(void) {
  long n = sysconf(_SC_NPROCESSORS_CONF);
  return n > 0 ? (unsigned)n : 1;
}

void ag_cpu_model(char *text, size_t size) {
  struct utsname system;
  char line[256];
  FILE *in = fopen("/proc/cpuinfo", "re");
  const char *found = NULL;
  while (in && !found && fgets(line, sizeof line, in)) {
    char *colon = strncmp(line, "model name", 10) ? NULL : strchr(line, ':');
    if (colon && colon[1] == ' ' && colon[2] != '\n')
      found = colon + 2;
  }
  if (in)
    fclose(in);
  if (!found)
    found = uname(&system) ? "unknown" : system.machine;
  snprintf(text, size, "%.*s", (int)strcspn(found, "\n"), found);
}
