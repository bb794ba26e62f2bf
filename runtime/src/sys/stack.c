/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/stack.h"

#include "sys/thread.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes: what is left when it is little, at most, and as a part of the whole; of a stack that is made here
 * (it takes memory as it is used), or, where there is no room for that, of a small one. */
enum { LITTLE = 1 << 20, LITTLE_PART = 4, LARGE = 256 << 20, SMALL = 8 << 20 };

/* The calling thread's stack; size 0: not known yet. */
static _Thread_local struct {
  uintptr_t low;
  size_t size;
} mine;

static void look(void) {
  pthread_attr_t attr;
  void *low = NULL;
  size_t size = 0;
  if (!pthread_getattr_np(pthread_self(), &attr)) {
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
  }
  mine.low = (uintptr_t)low;
  mine.size = size ? size : 1;
}

bool ag_stack_is_short(void) {
  if (!mine.size)
    look();
  size_t left = (uintptr_t)__builtin_frame_address(0) - mine.low; /* huge below the stack */
  return left < LITTLE && left < mine.size / LITTLE_PART;
}

struct call {
  void (*body)(void *);
  void *arg;
};

static void *run(void *call) {
  const struct call *c = call;
  c->body(c->arg);
  return NULL;
}

bool ag_stack_elsewhere(void (*body)(void *), void *arg) {
  struct call call = {body, arg};
  pthread_t thread;
  if (ag_thread_start_on(&thread, run, &call, LARGE) && ag_thread_start_on(&thread, run, &call, SMALL))
    return false;
  pthread_join(thread, NULL);
  return true;
}
