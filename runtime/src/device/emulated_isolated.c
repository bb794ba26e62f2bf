/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/emulated_isolated.h"
#include "device/backend.h"
#include "device/emulated_process.h"
#include "sys/log.h"
#include "sys/task_kind.h"
#include "sys/topology.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Where it is not possible --------------------------------------------------------------------------- */

static int is_valgrind(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size, (void)arg;
  return object->dlpi_name && strstr(object->dlpi_name, "vgpreload") != NULL;
}

const char *ag_isolated_why_not(void) {
  static const char *const sanitizers[] = {"__asan_init", "__tsan_init", "__msan_init", "__hwasan_init"};
  for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; ++i)
    if (dlsym(RTLD_DEFAULT, sanitizers[i]))
      return "the program is instrumented by a sanitizer, whose notes a kernel must reach";
  if (dl_iterate_phdr(is_valgrind, NULL))
    return "the program runs under Valgrind";
#if !defined __x86_64__ && !defined __aarch64__
  return "it is made for x86-64 and AArch64";
#else
  return NULL;
#endif
}

/* --- Executors ------------------------------------------------------------------------------------------ */

/* The memory from which this thread's malloc() takes, if it is its own: the C library reserves as much for
 * each thread, aligned to its size, and begins it with the address of the arena, which follows. */
static bool find_arena(struct ag_isolated_executor *x) {
  const size_t bytes = (size_t)64 << 20, most = 256;
  uintptr_t at = (uintptr_t)x->out, start = at / bytes * bytes, arena;
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[512];
  bool found = false;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    char *dash;
    uintptr_t lo = (uintptr_t)strtoull(line, &dash, 16);
    found = lo <= start && *dash == '-' && (uintptr_t)strtoull(dash + 1, NULL, 16) > at &&
            !strstr(line, "[heap]");
  }
  if (maps)
    fclose(maps);
  if (!found || !x->out)
    return false;
  x->arena = (char *)x->out - (at - start);
  x->arena_bytes = bytes;
  memcpy(&arena, x->arena, sizeof arena);
  return arena > start && arena - start < most;
}

static bool find_stack(struct ag_isolated_executor *x) {
  pthread_attr_t attributes;
  void *stack;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return false;
  bool found = !pthread_attr_getstack(&attributes, &stack, &x->stack_bytes);
  x->stack = stack;
  pthread_attr_destroy(&attributes);
  return found;
}

void ag_isolated_begin(struct ag_isolated_executor *x, struct emulated *e) {
  memset(x, 0, sizeof *x);
  x->out = fopencookie(NULL, "w", (cookie_io_functions_t){.write = ag_process_print});
  if (x->out && find_stack(x)) {
    void *scratch = mmap(NULL, sizeof *x->scratch, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    x->scratch = scratch == MAP_FAILED ? NULL : scratch;
  }
  if (!x->scratch) {
    ag_warn_once(
        &e->said_isolated,
        "%s: isolate=on in AGGLOM_EMULATE has no effect: there is no memory for it; kernels can reach "
        "the program's memory",
        e->base.info.name);
    return;
  }
  snprintf(x->scratch->program, sizeof x->scratch->program, "%s", program_invocation_short_name);
  setvbuf(x->out, x->scratch->printed, _IOFBF, sizeof x->scratch->printed);
  /* Without an arena of its own the thread shares the program's, and a kernel has what prints alone. */
  x->own_arena = find_arena(x);
}

static void end_process(struct ag_isolated_executor *x) {
  if (!x->pid)
    return;
  kill(x->pid, SIGKILL);
  while (waitpid(x->pid, NULL, __WALL) < 0 && errno == EINTR)
    ;
  close(x->jobs);
  close(x->replies);
  x->pid = 0;
}

void ag_isolated_end(struct ag_isolated_executor *x) {
  end_process(x);
  if (x->out)
    fclose(x->out);
  if (x->scratch)
    munmap(x->scratch, sizeof *x->scratch);
}

/* --- Runs ------------------------------------------------------------------------------------------------
 */

bool ag_isolated_open(struct emulated *e) {
  void *runs = mmap(NULL, AG_RUNS * sizeof *e->isolated_runs, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  e->isolated_runs = runs == MAP_FAILED ? NULL : runs;
  return e->isolated_runs;
}

void ag_isolated_close(struct emulated *e) {
  if (e->isolated_runs)
    munmap(e->isolated_runs, AG_RUNS * sizeof *e->isolated_runs);
}

struct ag_isolated_run *ag_isolated_run_new(struct emulated *e) {
  struct ag_isolated_run *run = NULL;
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; !run && i < AG_RUNS; ++i)
    if (!e->isolated_runs[i].in_use)
      run = &e->isolated_runs[i];
  if (run) {
    memset(run, 0, sizeof *run);
    run->in_use = true;
  }
  pthread_mutex_unlock(&e->lock);
  return run;
}

/* Notes the descriptors that generated code reads when a unit calls a task, which is a plain call there.
 * False: the list is full. */
static bool note_tasks(struct ag_hiding *h, const struct agglom_module *module) {
  bool fits = ag_hiding_note(h, module, sizeof *module);
  for (unsigned i = 0; i < module->n_tasks; ++i)
    fits &= ag_hiding_note(h, module->tasks[i], sizeof *module->tasks[i]);
  return fits;
}

/* Notes the tasks of the modules whose kernels the device has been asked for, and of the modules that these
 * use. False: the list is full. */
static bool note_modules(struct emulated *e, struct ag_hiding *h) {
  bool fits = true;
  for (const struct ag_kernel *k = e->kernels; k; k = k->next) {
    const struct agglom_module *m = k->task->module;
    bool seen = !m;
    for (const struct ag_kernel *before = e->kernels; !seen && before != k; before = before->next)
      seen = before->task->module == m;
    if (seen)
      continue;
    fits &= note_tasks(h, m);
    for (unsigned i = 0; i < m->n_imports; ++i)
      fits &= note_tasks(h, m->imports[i]->module);
  }
  return fits;
}

/* Fills the list of this process's memory that the new one keeps. False: the list is full. The lock of the
 * device's memory is held. */
static bool fill_scratch(struct emulated *e, const struct ag_isolated_executor *x) {
  struct ag_isolated_scratch *scratch = x->scratch;
  struct ag_hiding *h = &scratch->hiding;
  size_t page = ag_page_size();
  bool fits = e->memory.n_blocks <= AG_MOST_BLOCKS;
  fits &= ag_hiding_keep(h, x->stack, x->stack_bytes) &&
          (x->own_arena ? ag_hiding_keep(h, x->arena, x->arena_bytes)
                        : ag_hiding_note(h, x->out, malloc_usable_size(x->out))) &&
          ag_hiding_keep(h, scratch, (sizeof *scratch + page - 1) / page * page) &&
          ag_hiding_keep(h, e->isolated_runs, (AG_RUNS * sizeof *e->isolated_runs + page - 1) / page * page);
  ag_process_keep(h);
  scratch->n_tiled = 0;
  for (size_t i = 0; fits && i < e->memory.n_blocks; ++i) {
    const struct ag_emulated_block *b = &e->memory.blocks[i];
    fits = ag_hiding_keep(h, b->map, b->map_bytes);
    if (b->tiles)
      scratch->tiled[scratch->n_tiled++] =
          (struct ag_tiled){b->map + page, b->map_bytes - 2 * page, b->tiles};
  }
  for (size_t i = 0; fits && i < scratch->n_tiled; ++i) {
    const struct ag_tiled *m = &scratch->tiled[i];
    fits = ag_hiding_keep(h, m->tiles, (m->bytes / AG_EMULATED_TILE / page + 1) * page);
  }
  return fits;
}

static bool read_all(int file, void *to, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    ssize_t n = read(file, (char *)to + at, bytes - at);
    if (!n || (n < 0 && errno != EINTR))
      return false;
    at += n > 0 ? (size_t)n : 0;
  }
  return true;
}

/* Prints here what the process prints, until its launch is done. False: the process has ended. */
static bool pass_on(int replies) {
  struct ag_frame f;
  do {
    if (!read_all(replies, &f.bytes, sizeof f.bytes) || f.bytes > sizeof f.text ||
        !read_all(replies, f.text, f.bytes))
      return false;
    if (f.bytes)
      fwrite(f.text, 1, f.bytes, stdout);
  } while (f.bytes);
  return true;
}

static void tell(struct ag_isolated_run *run, int error, int signal) {
  if (!ag_process_may_tell(run))
    return;
  run->error = error;
  run->signal = signal;
  atomic_store(&run->told, AG_TOLD);
}

/* Notes how the process ended. A signal that would have ended the program, had the kernel run in it, ends
 * it. */
static void see_end(struct ag_isolated_run *run, struct ag_isolated_executor *x) {
  int status = 0;
  pid_t got;
  while ((got = waitpid(x->pid, &status, __WALL)) < 0 && errno == EINTR)
    ;
  int signal = got == x->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  close(x->jobs);
  close(x->replies);
  x->pid = 0;
  if (signal == SIGABRT)
    abort();
  if (signal == SIGFPE || signal == SIGILL || signal == SIGTRAP || signal == SIGSYS)
    raise(signal);
  tell(run, signal ? 0 : ECHILD, signal);
}

/* A process whose end no SIGCHLD tells of, which the program's wait() does not see, and without what
 * pthread_atfork() asks for. */
static pid_t clone_process(void) { return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0); }

/* The executor's process, for the device's memory as it is. 0 or an errno. */
static int make_process(struct emulated *e, struct ag_isolated_executor *x, struct ag_isolated_run *run) {
  /* Held while replies are open for writing: another process must not hold them open. */
  static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
  int jobs[2], replies[2] = {-1, -1}, err = 0;
  pid_t parent = getpid(), pid = -1;
  sigset_t all, before;
  if (pipe2(jobs, O_CLOEXEC))
    return errno;
  pthread_mutex_lock(&making);
  if (pipe2(replies, O_CLOEXEC)) {
    err = errno;
  } else {
    pthread_mutex_lock(&e->lock);
    uint64_t kernels = e->kernel_changes;
    ag_hiding_begin(&x->scratch->hiding);
    bool fits = note_modules(e, &x->scratch->hiding);
    pthread_mutex_unlock(&e->lock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&e->memory.lock);
    x->changes = e->memory.changes + kernels;
    if (!fits || !fill_scratch(e, x))
      err = ENOSPC;
    else if ((pid = clone_process()) == 0)
      ag_process_be(x, parent, jobs[0], replies[1], run);
    else if (pid < 0)
      err = errno;
    pthread_mutex_unlock(&e->memory.lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(replies[1]);
  }
  pthread_mutex_unlock(&making);
  close(jobs[0]);
  if (err) {
    close(jobs[1]);
    if (replies[0] >= 0)
      close(replies[0]);
    return err;
  }
  x->pid = pid;
  x->jobs = jobs[1];
  x->replies = replies[0];
  return 0;
}

static int count_objects(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size;
  *(unsigned long long *)arg = object->dlpi_adds + object->dlpi_subs;
  return 1;
}

/* Whether the process has the memory and the code of now. */
static bool is_current(struct emulated *e, struct ag_isolated_executor *x) {
  unsigned long long objects = 0;
  dl_iterate_phdr(count_objects, &objects);
  pthread_mutex_lock(&e->lock);
  uint64_t changes = e->kernel_changes;
  pthread_mutex_unlock(&e->lock);
  pthread_mutex_lock(&e->memory.lock);
  changes += e->memory.changes;
  pthread_mutex_unlock(&e->memory.lock);
  bool current = x->pid && x->changes == changes && x->objects == objects;
  x->objects = objects;
  return current;
}

void ag_isolated_take(struct emulated *e, struct ag_isolated_executor *x, const struct run *r) {
  struct ag_isolated_run *run = r->isolated;
  struct ag_job job = {.body = r->task->emulated,
                       .launch = r->launch,
                       .unit_ns = e->model.unit_ns,
                       .stop = r->stop,
                       .run = run};
  unsigned c;
  if (!x->scratch) {
    while ((c = atomic_fetch_add(&run->next, 1)) < job.stop)
      ag_emulated_run_chain(job.body, &job.launch, job.unit_ns, c);
    return;
  }
  if (atomic_load(&run->next) >= job.stop || atomic_load(&run->told) != AG_NOTHING)
    return;
  if (!is_current(e, x)) {
    end_process(x);
    int err = make_process(e, x, run);
    if (err) {
      tell(run, err, 0);
      return;
    }
  }
  if (write(x->jobs, &job, sizeof job) != (ssize_t)sizeof job || !pass_on(x->replies))
    see_end(run, x);
}

static void describe(const struct ag_isolated_run *run, const char *name, char *why, size_t room,
                     const struct agglom_task *task) {
  static const char *const uses[] = {[AG_USES] = "uses", [AG_READS] = "reads", [AG_WRITES] = "writes"};
  int n = snprintf(why, room, "%s '%.80s' (%.120s:%u) ", ag_task_kind(task), task->name,
                   task->file ? task->file : "?", task->line);
  size_t at = n < 0 ? 0 : (size_t)n;
  if (run->error)
    snprintf(why + at, room - at, "cannot be given a process of its own (isolate=on): %s",
             strerror(run->error));
  else if (run->signal)
    snprintf(why + at, room - at, "was ended by signal %d", run->signal);
  else if (run->no_address)
    snprintf(why + at, room - at, "%s through a pointer that is none", uses[run->use]);
  else if (name)
    snprintf(why + at, room - at, "%s host memory at %#llx (%s), which no clause names", uses[run->use],
             (unsigned long long)run->address, name);
  else
    snprintf(why + at, room - at, "%s at %#llx, where nothing is", uses[run->use],
             (unsigned long long)run->address);
}

static atomic_bool kernels_failed;

bool ag_emulated_kernels_failed(void) { return atomic_load(&kernels_failed); }

/* NULL: nothing is there, or it cannot be told. */
static const char *name_of(uintptr_t address) {
  void *h = mmap(NULL, sizeof(struct ag_hiding), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (h == MAP_FAILED)
    return NULL;
  const char *name = ag_hiding_name(h, address);
  munmap(h, sizeof(struct ag_hiding));
  return name;
}

void ag_isolated_run_end(struct emulated *e, const struct run *r) {
  struct ag_isolated_run *run = r->isolated;
  if (atomic_load(&run->told) == AG_TOLD) {
    bool address = !run->error && !run->signal;
    const char *name = address && !run->no_address ? name_of(run->address) : NULL;
    char why[512];
    describe(run, name, why, sizeof why, r->task);
    if (address)
      atomic_store(&kernels_failed, true);
    ag_device_quarantine(&e->base, why,
                         name ? "name what the pointer points to in a data clause of the task"
                         : address
                             ? "look for a pointer or an index that is wrong, or data that no clause names"
                             : "see to memory and processes for it, or leave out isolate=on");
  }
  pthread_mutex_lock(&e->lock);
  run->in_use = false;
  pthread_mutex_unlock(&e->lock);
}
