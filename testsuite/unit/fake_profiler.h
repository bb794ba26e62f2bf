/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What libfake_profiler.so has seen. */
#ifndef FAKE_PROFILER_H
#define FAKE_PROFILER_H

enum { FAKE_PROFILER_NAMES = 16 };

struct fake_profiler {
  char domain[32];
  int bad;         /* something was not as NVTX has it */
  int begun, open; /* ranges, and those that are not ended */
  struct {
    char name[64];
    int count;
    unsigned long long units;
  } range[FAKE_PROFILER_NAMES];
};

#endif /* FAKE_PROFILER_H */
