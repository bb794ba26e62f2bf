/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What of the machine this process may use. Answers are computed at each call (a few system calls), so
 * callers keep them. Safe from any thread. */
#ifndef AG_TOPOLOGY_H
#define AG_TOPOLOGY_H

#include <stddef.h>

/* How many CPUs the process can really use at a time: those in its affinity mask, limited by the CPU
 * quota of its control groups (v1 or v2), rounded up; at least 1. */
unsigned ag_usable_cpus(void);

/* The same from its parts, for tests: quota_us and period_us as in cpu.max; quota_us <= 0 is no limit. */
unsigned ag_cpus_of_quota(unsigned in_mask, long long quota_us, long long period_us);

/* All CPUs of the machine, whoever may use them. */
unsigned ag_all_cpus(void);

/* What the CPU is called, "Intel(R) Xeon(R) ..."; the kind of machine where the system does not say it. */
void ag_cpu_model(char *text, size_t size);

/* Bytes of a page of memory. */
size_t ag_page_size(void);

#endif /* AG_TOPOLOGY_H */
