/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sim.h"

#include <unistd.h>

/* Memory that is asked for is granted even where there is none, and whoever uses it is ended. So look
 * beforehand. */
bool sim_memory_for(double bytes) {
  FILE *file = fopen("/proc/meminfo", "r");
  char line[128];
  unsigned long long kb = 0;
  bool known = false;
  while (file && !known && fgets(line, sizeof line, file))
    known = sscanf(line, "MemAvailable: %llu kB", &kb) == 1;
  if (file)
    (void)fclose(file);
  double there = known ? (double)kb * 1024 : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return bytes <= 0.9 * there;
}
