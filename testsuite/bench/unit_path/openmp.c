/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench.h"

static void round_of(unsigned char *bytes, struct counter *counters, int n) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i)
      if (bytes) {
        unsigned char *byte = &bytes[i];
#pragma omp task firstprivate(byte)
        ++*byte;
      } else {
        struct counter *c = &counters[i % CHAINS];
#pragma omp task firstprivate(c) depend(inout : c->value)
        ++c->value;
      }
#pragma omp taskwait
  }
}

int main(int argc, char **argv) { return bench_main(argc, argv, round_of); }
