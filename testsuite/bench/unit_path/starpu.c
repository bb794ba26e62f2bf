/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench.h"

#include <starpu.h>

static void mark(void *buffers[], void *byte) {
  (void)buffers;
  ++*(unsigned char *)byte;
}
static void count(void *buffers[], void *nothing) {
  (void)nothing;
  ++*(long *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet mark_codelet = {.cpu_funcs = {mark}, .nbuffers = 0};
static struct starpu_codelet count_codelet = {.cpu_funcs = {count}, .nbuffers = 1, .modes = {STARPU_RW}};
static starpu_data_handle_t handles[CHAINS];

static void round_of(unsigned char *bytes, struct counter *counters, int n) {
  for (int c = 0; counters && c < CHAINS; ++c)
    starpu_variable_data_register(&handles[c], STARPU_MAIN_RAM, (uintptr_t)&counters[c].value, sizeof(long));
  for (int i = 0; i < n; ++i) {
    struct starpu_task *task = starpu_task_create();
    if (bytes) {
      task->cl = &mark_codelet;
      task->cl_arg = &bytes[i];
    } else {
      task->cl = &count_codelet;
      task->handles[0] = handles[i % CHAINS];
    }
    if (starpu_task_submit(task))
      exit(1);
  }
  starpu_task_wait_for_all();
  for (int c = 0; counters && c < CHAINS; ++c)
    starpu_data_unregister(handles[c]);
}

int main(int argc, char **argv) {
  if (starpu_init(NULL))
    return 1;
  int status = bench_main(argc, argv, round_of);
  starpu_shutdown();
  return status;
}
