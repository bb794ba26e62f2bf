/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench.h"

#pragma agglom task independent inout(byte[0:1])
static void mark(unsigned char *byte) { ++*byte; }

#pragma agglom task inout(c->value)
static void count(struct counter *c) { ++c->value; }

static void round_of(unsigned char *bytes, struct counter *counters, int n) {
  for (int i = 0; i < n; ++i)
    if (bytes)
      mark(&bytes[i]);
    else
      count(&counters[i % CHAINS]);
#pragma agglom wait
}

int main(int argc, char **argv) { return bench_main(argc, argv, round_of); }
