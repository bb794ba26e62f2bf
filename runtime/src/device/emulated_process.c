/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/emulated_process.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* What a kernel's process must know, on a page that is not hidden from it. */
static _Alignas(4096) union {
  struct {
    bool here; /* this is such a process */
    int reply; /* see struct ag_frame */
    struct ag_isolated_run *run;
    struct ag_isolated_scratch *scratch;
  } s;
  char page[4096];
} child;

void ag_process_keep(struct ag_hiding *h) { ag_hiding_keep(h, &child, sizeof child); }

static bool send_frame(const struct ag_frame *f) {
  size_t bytes = offsetof(struct ag_frame, text) + f->bytes; /* at most PIPE_BUF: all or nothing */
  ssize_t n;
  while ((n = write(child.s.reply, f, bytes)) < 0 && errno == EINTR)
    ;
  return n == (ssize_t)bytes;
}

ssize_t ag_process_print(void *cookie, const char *text, size_t bytes) {
  (void)cookie;
  struct ag_frame f;
  for (size_t at = 0; at < bytes; at += f.bytes) {
    f.bytes = (unsigned)(bytes - at < sizeof f.text ? bytes - at : sizeof f.text);
    memcpy(f.text, text + at, f.bytes);
    if (!send_frame(&f))
      return 0;
  }
  return (ssize_t)bytes;
}

bool ag_process_may_tell(struct ag_isolated_run *run) {
  int expected = AG_NOTHING;
  return atomic_compare_exchange_strong(&run->told, &expected, AG_TELLING);
}

static void end_child(void) { _exit(EXIT_FAILURE); }

bool ag_isolated_here(void) { return child.s.here; }

void ag_isolated_check(void) {
  if (child.s.here && atomic_load_explicit(&child.s.run->told, memory_order_relaxed) != AG_NOTHING)
    end_child();
}

static uintptr_t code_address(const ucontext_t *context, enum ag_use *use) {
#if defined __x86_64__
  const greg_t WRITE = 2;
  *use = context->uc_mcontext.gregs[REG_ERR] & WRITE ? AG_WRITES : AG_READS;
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
  *use = AG_USES;
  return (uintptr_t)context->uc_mcontext.pc;
#else
  (void)context;
  *use = AG_USES;
  return 0;
#endif
}

/* Device memory that nobody has used before. */
static bool open_tile(uintptr_t address) {
  struct ag_isolated_scratch *scratch = child.s.scratch;
  for (size_t i = 0; i < scratch->n_tiled; ++i) {
    struct ag_tiled *m = &scratch->tiled[i];
    size_t at = address - (uintptr_t)m->body;
    if (at >= m->bytes)
      continue;
    size_t t = at / AG_EMULATED_TILE, left = m->bytes - t * AG_EMULATED_TILE;
    char *tile = m->body + t * AG_EMULATED_TILE;
    size_t bytes = left < AG_EMULATED_TILE ? left : AG_EMULATED_TILE;
    if (mprotect(tile, bytes, PROT_READ | PROT_WRITE))
      return false;
    ag_emulated_open_tile(&m->tiles[t], tile, bytes);
    return true;
  }
  return false;
}

/* The dynamic linker binds a function at its first call. */
static bool open_for_linker(uintptr_t address, uintptr_t code) {
  const struct ag_hiding *h = &child.s.scratch->hiding;
  return code >= h->linker.lo && code < h->linker.hi &&
         !mprotect((void *)(address / h->page * h->page), h->page, PROT_READ | PROT_WRITE);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)signal;
  enum ag_use use;
  uintptr_t address = (uintptr_t)info->si_addr, code = code_address(context, &use);
  bool no_address = info->si_code <= 0 || info->si_code == SI_KERNEL;
  if (!no_address && (open_tile(address) || ag_hiding_open_note(&child.s.scratch->hiding, address) ||
                      open_for_linker(address, code)))
    return;
  struct ag_isolated_run *run = child.s.run;
  if (ag_process_may_tell(run)) {
    run->use = use;
    run->address = address;
    run->no_address = no_address;
    atomic_store(&run->told, AG_TOLD);
  }
  end_child();
}

/* Signals of the program are not for this process, but for those that the kernel itself makes. */
static void set_signals(struct ag_isolated_scratch *scratch) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER, .sa_sigaction = on_fault};
  struct sigaction plain = {.sa_handler = SIG_DFL};
  stack_t stack = {.ss_sp = scratch->handler_stack, .ss_size = sizeof scratch->handler_stack};
  sigset_t mask;
  sigaltstack(&stack, NULL);
  sigfillset(&mask);
  for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
    sigaction(own[i], own[i] == SIGSEGV || own[i] == SIGBUS ? &action : &plain, NULL);
    sigdelset(&mask, own[i]);
  }
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void hide_unready_tiles(const struct ag_isolated_scratch *scratch) {
  for (size_t i = 0; i < scratch->n_tiled; ++i) {
    const struct ag_tiled *m = &scratch->tiled[i];
    size_t n = (m->bytes + AG_EMULATED_TILE - 1) / AG_EMULATED_TILE;
    for (size_t t = 0, end; t < n; t = end + 1) {
      /* A tile that another process is about to poison must be written as little as a new one. */
      for (end = t; end < n && __atomic_load_n(&m->tiles[end], __ATOMIC_ACQUIRE) != AG_TILE_READY;)
        ++end;
      size_t stop = end * AG_EMULATED_TILE < m->bytes ? end * AG_EMULATED_TILE : m->bytes;
      if (end > t)
        mprotect(m->body + t * AG_EMULATED_TILE, stop - t * AG_EMULATED_TILE, PROT_NONE);
    }
  }
}

static void run_job(const struct ag_job *job, FILE *out) {
  struct ag_isolated_run *run = job->run;
  unsigned c;
  child.s.run = run;
  while (atomic_load(&run->told) == AG_NOTHING && (c = atomic_fetch_add(&run->next, 1)) < job->stop)
    ag_emulated_run_chain(job->body, &job->launch, job->unit_ns, c);
  fflush(out);
  if (!send_frame(&(struct ag_frame){.bytes = 0}))
    end_child();
}

/* Closes all files but standard error and its own two pipes: a thread that waits for the end of some pipe
 * must not wait for this process. */
static void close_files(int jobs, int replies) {
  const unsigned first = (unsigned)(jobs < replies ? jobs : replies),
                 last = (unsigned)(jobs < replies ? replies : jobs);
  const unsigned ranges[][2] = {{0, 1}, {3, first - 1}, {first + 1, last - 1}, {last + 1, ~0U}};
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i)
    if (ranges[i][0] <= ranges[i][1])
      syscall(SYS_close_range, ranges[i][0], ranges[i][1], 0);
}

_Noreturn void ag_process_be(const struct ag_isolated_executor *x, pid_t parent, int jobs, int replies,
                             struct ag_isolated_run *run) {
  struct ag_isolated_scratch *scratch = x->scratch;
  struct ag_job job;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    end_child();
  close_files(jobs, replies);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  child.s.reply = replies;
  child.s.run = run;
  child.s.scratch = scratch;
  child.s.here = true;
  stdout = x->out;
  program_invocation_short_name = scratch->program;
  /* The program's locale lies in memory that is hidden. */
  uselocale(newlocale(LC_ALL_MASK, "C", NULL));
  set_signals(scratch);
  hide_unready_tiles(scratch);
  int err = ag_hiding_hide(&scratch->hiding);
  if (err && ag_process_may_tell(run)) {
    run->error = -err;
    atomic_store(&run->told, AG_TOLD);
  }
  for (;;) {
    ssize_t n = read(jobs, &job, sizeof job);
    if (n == (ssize_t)sizeof job)
      run_job(&job, x->out);
    else if (n >= 0 || errno != EINTR)
      end_child();
  }
}
