/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For tests that have this driver in their own process: how it is to be, and
 * what it has seen. All of it may be called at any time, also before cuInit(),
 * except that nothing of the driver may be in use at a reset. */
#ifndef GPU_IN_SOFTWARE_TESTING_H
#define GPU_IN_SOFTWARE_TESTING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Since the last reset, calls that only explain errors aside; or now. */
struct gpu_in_software_counts {
  unsigned calls;
  unsigned went_wrong; /* because FAULT wanted it; */
  const char *failed;  /* the last of them */
  unsigned misuses;
  unsigned calls_after_death; /* on a device whose loss has been told */
  unsigned left_behind;       /* in contexts that are gone */
  /* Copies to devices out of ordinary memory, out of memory of the driver's
   * and out of registered memory. */
  unsigned pageable_copies, staged_copies, direct_copies;
  unsigned blocks, threads; /* of the last launch */
  /* What there is now; of contexts, how often they are retained and pushed. */
  unsigned retained, pushed, memory, host_memory, registered, streams, events;
  unsigned modules, links;
};

/* Settings are texts like "DEVICES=2 LATE=0": the environment's variables
 * without their GPU_IN_SOFTWARE_, which are not looked at any more. Both
 * return what is wrong with a text, as a sentence, or "". */

/* A driver as it is at first, with nothing in it, initialised or not. */
const char *gpu_in_software_reset(const char *settings);
/* FAULT counts calls from here on; what was there before is forgotten. Devices
 * that are open stay as they are. */
const char *gpu_in_software_set(const char *settings);

struct gpu_in_software_counts gpu_in_software_seen(void);
/* How often an entry point was called since the last reset. */
unsigned gpu_in_software_calls(const char *symbol);
/* Each call begins with this one, until the next reset. */
void gpu_in_software_each(void (*visit)(const char *symbol));

#ifdef __cplusplus
}
#endif

#endif /* GPU_IN_SOFTWARE_TESTING_H */
