/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the threads of an emulated device do: executors take the chains of kernels, and each stream's thread
 * performs its operations in order, in the time that the cost model says. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/backend.h"
#include "device/emulated.h"
#include "device/emulated_isolated.h"
#include "sys/clock.h"
#include "sys/thread.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- Executors --------------------------------------------------------------------------------------- */

static _Thread_local bool executes_kernels;

bool ag_emulated_here(void) { return ag_isolated_here() || executes_kernels; }
void ag_emulated_set_here(bool here) { executes_kernels = here; }

void ag_emulated_run_chain(void (*body)(const struct agglom_launch *launch, unsigned c),
                           const struct agglom_launch *launch, uint64_t unit_ns, unsigned c) {
  if (!unit_ns) {
    body(launch, c);
    return;
  }
  uint64_t begin = ag_clock_ns(), units = launch->end[c] - launch->start[c];
  body(launch, c);
  ag_clock_wait_until(begin + units * unit_ns / launch->parts[c]);
}

static void take_chains(struct emulated *e, struct ag_isolated_executor *x, struct run *run) {
  unsigned c;
  if (run->isolated)
    ag_isolated_take(e, x, run);
  else
    while ((c = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed)) < run->stop)
      ag_emulated_run_chain(run->task->emulated, &run->launch, e->model.unit_ns, c);
}

void *ag_emulated_executor(void *arg) {
  struct emulated *e = arg;
  struct ag_isolated_executor x;
  executes_kernels = true;
  if (e->model.isolate)
    ag_isolated_begin(&x, e);
  pthread_mutex_lock(&e->lock);
  for (;;) {
    struct run *run = e->runs;
    if (!run) {
      if (e->closing)
        break;
      pthread_cond_wait(&e->work, &e->lock);
      continue;
    }
    ++run->users;
    pthread_mutex_unlock(&e->lock);
    take_chains(e, &x, run);
    pthread_mutex_lock(&e->lock);
    if (e->runs == run) { /* all its chains are taken: the next run may overlap with the last of them */
      e->runs = run->after;
      if (!e->runs)
        e->last_run = &e->runs;
    }
    if (--run->users == 0) {
      run->over = true;
      pthread_cond_broadcast(&e->run_over);
    }
  }
  pthread_mutex_unlock(&e->lock);
  if (e->model.isolate)
    ag_isolated_end(&x);
  return NULL;
}

static void run_kernel(struct emulated *e, const struct op *op) {
  struct run run = {.task = op->task, .launch = op->launch, .stop = op->launch.n_chains};
  if (op->fate)
    run.stop /= 2;
  if (!run.stop)
    return;
  if (e->model.isolate && !(run.isolated = ag_isolated_run_new(e))) {
    ag_device_quarantine(&e->base, "too many launches at a time (isolate=on)", "leave out isolate=on");
    return;
  }
  pthread_mutex_lock(&e->lock);
  *e->last_run = &run;
  e->last_run = &run.after;
  pthread_cond_broadcast(&e->work);
  while (!run.over)
    pthread_cond_wait(&e->run_over, &e->lock);
  pthread_mutex_unlock(&e->lock);
  if (run.isolated)
    ag_isolated_run_end(e, &run);
}

/* Unit k may begin when all it waits for is complete. Those lie in chains of a lower index, which other
 * executors have taken already, so the wait ends. */
void agglom_emulated_begin(const struct agglom_launch *launch, unsigned k) {
  if (!launch->pred_start)
    return;
  for (unsigned p = launch->pred_start[k]; p < launch->pred_start[k + 1]; ++p)
    while (__atomic_load_n(&launch->done[launch->pred[p]], __ATOMIC_ACQUIRE) != launch->epoch) {
      ag_isolated_check();
      sched_yield();
    }
}

void agglom_emulated_end(const struct agglom_launch *launch, unsigned k) {
  if (launch->done)
    __atomic_store_n(&launch->done[k], launch->epoch, __ATOMIC_RELEASE);
}

/* --- Streams ------------------------------------------------------------------------------------------ */

static void extend(struct ag_clock_span *span, uint64_t begin, uint64_t end) {
  if (!span->end)
    span->begin = begin;
  span->end = end;
}

static size_t to_do(const struct op *op) { return op->fate == FATE_LOSE ? op->bytes / 2 : op->bytes; }

static void copy_rows(const struct op *op) {
  const struct ag_rows *rows = &op->rows;
  bool in = op->kind == OP_COPY_IN;
  char *to = op->dst;
  const char *from = op->src;
  for (size_t i = 0; i < (op->fate == FATE_LOSE ? rows->n / 2 : rows->n); ++i) {
    memcpy(to, from, rows->bytes);
    to += in ? rows->device_pitch : rows->host_pitch;
    from += in ? rows->host_pitch : rows->device_pitch;
  }
}

/* Copies the bytes of op; half of them where the device is to be lost (FATE_LOSE). */
static void copy_bytes(const struct op *op) {
  if (op->pieces)
    for (size_t i = 0; i < (op->fate == FATE_LOSE ? op->n_pieces / 2 : op->n_pieces); ++i)
      memcpy(op->pieces[i].to, op->pieces[i].from, op->pieces[i].bytes);
  else if (op->rows.n > 1)
    copy_rows(op);
  else
    memcpy(op->dst, op->src, to_do(op));
}

/* Reads host memory for a copy to the device. Once the stream is deserted the program may use its memory:
 * only pinned memory of the device is read then. */
static void read_host(struct emulated *e, const struct ag_stream *s, const struct op *op) {
  pthread_mutex_lock(&e->reading);
  if (!s->deserted || ag_emulated_memory_has(&e->host, op->src))
    copy_bytes(op);
  pthread_mutex_unlock(&e->reading);
}

static void copy(struct emulated *e, struct ag_stream *s, const struct op *op) {
  pthread_mutex_t *engine = &e->copying[op->kind == OP_COPY_OUT];
  pthread_mutex_lock(engine);
  bool costs = e->model.bytes_per_s || e->model.copy_ns;
  uint64_t begin = costs || e->base.timed ? ag_clock_ns() : 0;
  if (op->kind == OP_COPY_IN)
    read_host(e, s, op);
  else
    copy_bytes(op);
  if (costs) {
    double rate = (double)e->model.bytes_per_s, ns = rate > 0 ? (double)op->bytes * 1e9 / rate : 0;
    ag_clock_wait_until(begin + e->model.copy_ns + (uint64_t)ns);
  }
  pthread_mutex_unlock(engine);
  if (e->base.timed)
    extend(op->kind == OP_COPY_OUT ? &s->times_now.copy_out : &s->times_now.copy_in, begin, ag_clock_ns());
}

void ag_emulated_let_go(struct milestone *m) {
  if (m && !--m->users)
    free(m);
}

/* Also on a lost device, so that nobody waits for ever. */
static void reach(struct emulated *e, struct milestone *m) {
  pthread_mutex_lock(&e->lock);
  m->reached = true;
  ag_emulated_let_go(m);
  pthread_cond_broadcast(&e->reached);
  pthread_mutex_unlock(&e->lock);
}

static void await(struct emulated *e, struct milestone *m) {
  pthread_mutex_lock(&e->lock);
  while (!m->reached)
    pthread_cond_wait(&e->reached, &e->lock);
  ag_emulated_let_go(m);
  pthread_mutex_unlock(&e->lock);
}

/* Waits until the device is lost or being closed. Operations behind this one in the queue do not happen then,
 * but this one may. */
static void hang(struct emulated *e) {
  while (!ag_device_lost(&e->base) && !atomic_load(&e->ending))
    nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* Memory of an isolated device is poisoned when it is first used. */
static void touch(struct emulated *e, const struct op *op) {
  if (!e->memory.shared || !op->bytes)
    return;
  const void *device = op->n_pieces ? op->pieces[0].from : op->kind == OP_COPY_OUT ? op->src : op->dst;
  ag_emulated_memory_touch(&e->memory, device,
                           op->rows.n > 1 ? ag_rows_hull(&op->rows, op->rows.device_pitch) : op->bytes);
  if (op->kind == OP_MOVE)
    ag_emulated_memory_touch(&e->memory, op->src, op->bytes);
}

static void launch(struct emulated *e, struct ag_stream *s, const struct op *op, bool hangs) {
  if (e->model.launch_ns)
    ag_clock_wait_until(ag_clock_ns() + e->model.launch_ns);
  uint64_t begin = ag_clock_ns();
  run_kernel(e, op);
  if (hangs)
    hang(e);
  uint64_t end = ag_clock_ns();
  s->kernel_ns_now += end > begin ? end - begin : 1; /* 0 would mean unknown */
  extend(&s->times_now.kernel, begin, end);
}

static void perform(struct emulated *e, struct ag_stream *s, const struct op *op) {
  bool hangs = op->fate == FATE_HANG && !ag_device_lost(&e->base);
  if (hangs && op->kind != OP_LAUNCH)
    hang(e);
  if (op->kind == OP_MILESTONE)
    reach(e, op->milestone);
  else if (op->kind == OP_FOLLOW && op->milestone)
    await(e, op->milestone);
  if (ag_device_lost(&e->base) && !hangs)
    return; /* what was queued on a lost device never happens */
  touch(e, op);
  switch (op->kind) {
  case OP_COPY_IN:
  case OP_COPY_OUT:
    copy(e, s, op);
    break;
  case OP_MOVE:
    memcpy(op->dst, op->src, to_do(op));
    break;
  case OP_FILL:
    memset(op->dst, op->byte, to_do(op));
    break;
  case OP_LAUNCH:
    if (e->model.serial)
      pthread_mutex_lock(&e->launching);
    if (!ag_device_lost(&e->base) || hangs) /* it may have been lost meanwhile */
      launch(e, s, op, hangs);
    if (e->model.serial)
      pthread_mutex_unlock(&e->launching);
    break;
  case OP_MARK:
    atomic_store_explicit(&s->kernel_ns_last, s->kernel_ns_now, memory_order_relaxed);
    s->kernel_ns_now = 0;
    s->times_last = s->times_now;
    s->times_now = (struct ag_device_times){0};
    break;
  case OP_MILESTONE:
  case OP_FOLLOW:
    break;
  }
  if (op->fate == FATE_LOSE)
    ag_device_quarantine(&e->base, "AGGLOM_FAULT asked for it", "unset that variable");
}

static void *stream_thread(void *arg) {
  struct ag_stream *s = arg;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    struct op *op = s->first;
    if (!op) {
      if (s->closing)
        break;
      pthread_cond_wait(&s->posted, &s->lock);
      continue;
    }
    s->first = op->next;
    if (!s->first)
      s->last = &s->first;
    pthread_mutex_unlock(&s->lock);
    perform(s->device, s, op);
    if (op->kind == OP_MARK)
      atomic_fetch_add_explicit(&s->marks_done, 1, memory_order_release);
    atomic_fetch_add_explicit(&s->ops_done, 1, memory_order_release);
    free(op);
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

int ag_emulated_post(struct ag_stream *s, const struct op *what) {
  struct op *op = malloc(sizeof *op);
  if (!op)
    return -ENOMEM;
  *op = *what;
  op->next = NULL;
  if (op->kind == OP_MARK)
    atomic_fetch_add_explicit(&s->marks_posted, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&s->ops_posted, 1, memory_order_relaxed);
  pthread_mutex_lock(&s->lock);
  *s->last = op;
  s->last = &op->next;
  pthread_cond_signal(&s->posted);
  pthread_mutex_unlock(&s->lock);
  return 0;
}

int ag_emulated_stream_start(struct emulated *e, struct ag_stream **stream) {
  struct ag_stream *s = calloc(1, sizeof *s);
  if (!s)
    return -ENOMEM;
  s->device = e;
  s->last = &s->first;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->posted, NULL);
  int err = -ag_thread_start(&s->thread, stream_thread, s);
  if (err) {
    pthread_cond_destroy(&s->posted);
    pthread_mutex_destroy(&s->lock);
    free(s);
    return err == -EAGAIN ? -ENOMEM : err;
  }
  *stream = s;
  return 0;
}

void ag_emulated_stream_end(struct ag_stream *s) {
  pthread_mutex_lock(&s->lock);
  s->closing = true;
  pthread_cond_signal(&s->posted);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->thread, NULL);
  pthread_mutex_lock(&s->device->lock);
  ag_emulated_let_go(s->milestone);
  pthread_mutex_unlock(&s->device->lock);
  pthread_cond_destroy(&s->posted);
  pthread_mutex_destroy(&s->lock);
  free(s);
}
