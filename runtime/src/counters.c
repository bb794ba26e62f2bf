/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's totals for programs. */
#include "shared/life.h"

#include "shared/runtime.h"
#include "submit/registry.h"
#include "workers/worker.h"
#include <agglom/rt.h>

#include <string.h>

static void add_energy(struct agglom_counters *counters) {
  struct ag_energy_reading energy[AG_ENERGY_METERS];
  unsigned n = ag_energy_read(energy);
  for (unsigned i = 0; i < n; ++i)
    *(i ? &counters->devices_uj : &counters->cpu_uj) += energy[i].uj;
}

void agglom_read_counters(struct agglom_counters *counters, size_t size) {
  struct agglom_counters all = {0};
  struct ag_runtime *rt = ag_life_hold();
  if (rt) {
    struct ag_observe_totals t;
    for (struct ag_worker *w = atomic_load(&rt->workers); w; w = w->next)
      ag_registry_tell(w);
    ag_registry_totals(&t);
    all = (struct agglom_counters){.units = t.submitted,
                                   .units_on_cpu = t.on_cpu,
                                   .units_on_device = t.on_device,
                                   .launches = t.launches,
                                   .cpu_batches = t.cpu_batches,
                                   .failed = t.failed,
                                   .workers = rt->cpus,
                                   .queued = ag_worker_queued(rt),
                                   .bytes_in = t.bytes_in,
                                   .bytes_reused = t.bytes_reused,
                                   .bytes_out = t.bytes_out,
                                   .kernel_ns = t.kernel_ns};
    for (int d = 0; d < rt->n_accelerators; ++d)
      all.devices += ag_accelerator_usable(&rt->accelerators[d]);
    uint64_t ran = t.on_cpu + t.on_device;
    all.in_flight = t.submitted > ran ? t.submitted - ran : 0;
    add_energy(&all);
  }
  ag_life_let_go(rt);
  /* A program of a later version has members that this one does not know. */
  size_t known = size < sizeof all ? size : sizeof all;
  memcpy(counters, &all, known);
  memset((char *)counters + known, 0, size - known);
}
