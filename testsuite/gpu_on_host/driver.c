/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libgpu_on_host.so: the fake CUDA driver of the unit tests, with kernels that really run. The generated
 * kernel text is compiled by the host compiler against target.h into shared objects, named by
 * GPU_ON_HOST_KERNELS (separated by ':'); a launch runs its blocks one after another in index order, and
 * the threads of a block as coroutines that switch at barriers and where they wait for others.
 * GPU_ON_HOST_ORDER is the order in which the threads of a block run between two barriers: forward, reverse,
 * or odd (odd ones first); a result that depends on it has a race. A barrier that only some threads of its
 * block or warp reach, and threads that wait for what never comes, end the program with a sentence. */
#include "../unit/fake_cuda.h"
#include "device/cuda_driver.h"
#define AG_TEST_DRIVER
#include "target.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, WARP = 32, STACK_BYTES = 256 << 10 };
enum state { RUNS, AT_BLOCK_BARRIER, AT_WARP_BARRIER, WAITS, FINISHED };
enum { ORDER_FORWARD, ORDER_REVERSE, ORDER_ODD };

typedef void kernel_function(struct agglom_launch launch);

static struct ag_test_gpu place;
static struct {
  ucontext_t begin[MAX_THREADS];
  /* Where each goes on: unlike swapcontext() without a call of the kernel, of which there would be millions.
   */
  jmp_buf scheduler, thread[MAX_THREADS];
  bool begun[MAX_THREADS];
  enum state state[MAX_THREADS];
  char *stacks;
  kernel_function *function;
  struct agglom_launch launch;
  const char *name;
  int fault;          /* how the launch ended, when a thread has trapped */
  char said[1 << 20]; /* by printf, until the driver is synchronised with */
  size_t n_said;
} gpu;

static void die(const char *name, const char *what) {
  fprintf(stderr, "gpu-on-host: kernel %s: %s\n", name, what);
  _exit(99);
}

static void leave(enum state state) {
  unsigned self = place.thread;
  gpu.state[self] = state;
  if (!_setjmp(gpu.thread[self]))
    _longjmp(gpu.scheduler, 1);
}

/* Lets the thread run until it leaves. */
static void go_on(unsigned thread) {
  place.thread = thread;
  if (_setjmp(gpu.scheduler))
    return;
  if (gpu.begun[thread])
    _longjmp(gpu.thread[thread], 1);
  gpu.begun[thread] = true;
  setcontext(&gpu.begin[thread]);
  die(gpu.name, "a thread cannot begin");
}

static void barrier(int of_warp) { leave(of_warp ? AT_WARP_BARRIER : AT_BLOCK_BARRIER); }
static void wait_for_others(void) { leave(WAITS); }
/* As on a device: what does not fit in the buffer any more is lost. */
static int print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(gpu.said + gpu.n_said, sizeof gpu.said - gpu.n_said, format, arguments);
  va_end(arguments);
  if (n > 0 && (size_t)n < sizeof gpu.said - gpu.n_said)
    gpu.n_said += (size_t)n;
  return n;
}

static void flush(void) {
  fwrite(gpu.said, 1, gpu.n_said, stdout);
  gpu.n_said = 0;
}

static void trap(const char *what, const char *file, unsigned line) {
  gpu.fault = what ? AG_CU_ASSERT : AG_CU_LAUNCH_FAILED;
  if (what)
    fprintf(stderr, "%s:%u: block: [%u,0,0], thread: [%u,0,0] Assertion `%s` failed.\n", file, line,
            place.block, place.thread, what);
  _longjmp(gpu.scheduler, 1);
}

static void thread_main(void) {
  gpu.function(gpu.launch);
  gpu.state[place.thread] = FINISHED;
  _longjmp(gpu.scheduler, 1);
}

static unsigned in_order(int order, unsigned i, unsigned n) {
  if (order == ORDER_REVERSE)
    return n - 1 - i;
  if (order == ORDER_ODD)
    return i < n / 2 ? 2 * i + 1 : 2 * (i - n / 2);
  return i;
}

/* Lets the threads from..to-1 go on when all of them are at this barrier. Those that wait for another thread
 * may still come to it; those that are somewhere else will not. */
static bool release(unsigned from, unsigned to, enum state at, const char *what) {
  unsigned here = 0, coming = 0;
  for (unsigned t = from; t < to; ++t) {
    here += gpu.state[t] == at;
    coming += gpu.state[t] == WAITS || (at == AT_BLOCK_BARRIER && gpu.state[t] == AT_WARP_BARRIER);
  }
  if (!here || coming)
    return false;
  if (here != to - from)
    die(gpu.name, what);
  for (unsigned t = from; t < to; ++t)
    gpu.state[t] = RUNS;
  return true;
}

static void prepare(ucontext_t *begin, char *stack) {
  getcontext(begin);
  begin->uc_stack.ss_sp = stack;
  begin->uc_stack.ss_size = STACK_BYTES;
  begin->uc_link = NULL;
  makecontext(begin, thread_main, 0);
}

static void run_block(unsigned threads, int order) {
  for (unsigned t = 0; t < threads; ++t) {
    gpu.state[t] = RUNS;
    gpu.begun[t] = false;
    prepare(&gpu.begin[t], gpu.stacks + (size_t)t * STACK_BYTES);
  }
  for (unsigned finished = 0; finished < threads;) {
    bool progress = false;
    for (unsigned i = 0; i < threads; ++i) {
      unsigned t = in_order(order, i, threads);
      if (gpu.state[t] != RUNS && gpu.state[t] != WAITS)
        continue;
      progress |= gpu.state[t] == RUNS;
      gpu.state[t] = RUNS;
      go_on(t);
      if (gpu.fault)
        return;
      progress |= gpu.state[t] != WAITS;
      finished += gpu.state[t] == FINISHED;
    }
    for (unsigned from = 0; from < threads; from += WARP)
      progress |= release(from, from + WARP < threads ? from + WARP : threads, AT_WARP_BARRIER,
                          "only some threads of a warp reached a barrier");
    progress |= release(0, threads, AT_BLOCK_BARRIER, "only some threads of a block reached a barrier");
    if (!progress)
      die(gpu.name, "its threads wait for what never comes");
  }
}

static kernel_function *find(const char *name) {
  char *list = strdup(getenv("GPU_ON_HOST_KERNELS") ? getenv("GPU_ON_HOST_KERNELS") : ""), *save = NULL;
  kernel_function *found = NULL;
  for (char *path = strtok_r(list, ":", &save); path && !found; path = strtok_r(NULL, ":", &save)) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* stays open: counted by the loader */
    if (!object)
      die(name, dlerror());
    struct ag_test_gpu **where = dlsym(object, "ag_test_gpu");
    if (!where)
      die(name, "was not compiled with target.h");
    *where = &place;
    void *symbol = dlsym(object, name);
    memcpy(&found, &symbol, sizeof found);
  }
  free(list);
  return found;
}

static void run(const char *name, const struct agglom_launch *launch, unsigned blocks, unsigned threads) {
  const char *wanted = getenv("GPU_ON_HOST_ORDER");
  int order = !wanted || !strcmp(wanted, "forward") ? ORDER_FORWARD
              : !strcmp(wanted, "reverse")          ? ORDER_REVERSE
                                                    : ORDER_ODD;
  gpu.function = find(name);
  if (!gpu.function)
    die(name, "is in none of GPU_ON_HOST_KERNELS");
  if (threads > MAX_THREADS)
    die(name, "more threads a block than a GPU takes");
  if (!gpu.stacks) {
    gpu.stacks = mmap(NULL, (size_t)MAX_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (gpu.stacks == MAP_FAILED)
      die(name, "no memory for stacks");
  }
  gpu.name = name;
  gpu.launch = *launch;
  place.threads = threads;
  place.barrier = barrier;
  place.pause = wait_for_others;
  place.print = print;
  place.trap = trap;
  gpu.fault = 0;
  for (place.block = 0; place.block < blocks && !gpu.fault; ++place.block)
    run_block(threads, order);
  fake_cuda_state()->fault = gpu.fault;
}

/* After the fake driver's own constructor, which comes first on the link line. */
__attribute__((constructor)) static void set_up(void) {
  fake_cuda_state()->kernel = run;
  fake_cuda_state()->flush = flush;
  fake_cuda_state()->memory_bytes = (size_t)64 << 20; /* all of it is touched */
}
