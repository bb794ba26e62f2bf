// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TBB's task_group has no dependences: "flat" only.
#include "bench.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

static void round_of(unsigned char *bytes, struct counter *, int n) {
  oneapi::tbb::task_group group;
  for (int i = 0; bytes && i < n; ++i)
    group.run([byte = &bytes[i]] { ++*byte; });
  group.wait();
}

int main(int argc, char **argv) {
  const char *threads = getenv("TBB_THREADS");
  oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                    threads ? static_cast<size_t>(atoi(threads)) : 1);
  return bench_main(argc, argv, round_of);
}
