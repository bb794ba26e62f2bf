/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of the fake driver share: its state and lock, and the frame of each entry point. fake_cuda.c
 * has the state, the errors to be, and the entry points that need no context; fake_cuda_memory.c, _stream.c
 * and _code.c the others. */
#ifndef FAKE_CUDA_INSIDE_H
#define FAKE_CUDA_INSIDE_H

#include "fake_cuda.h"

#include "device/cuda_driver.h"

#include <pthread.h>
#include <stddef.h>

/* The prototypes, from the table that the runtime loads them by: a difference is a compile error. */
#define PROTOTYPE(NAME, SYMBOL, PARAMETERS)                                                                  \
  __attribute__((visibility("default"))) ag_cu_result SYMBOL PARAMETERS;
AG_CUDA_CALLS(PROTOTYPE)
#undef PROTOTYPE

#pragma GCC visibility push(hidden)

/* All but contexts and functions begin with one of these and are in one list, so that what the runtime leaves
 * on a dead device is not lost. */
struct object {
  struct object *next;
};

extern pthread_mutex_t fake_lock; /* of all that follows */
extern struct fake_cuda fake;

/* Zeroed; never NULL. Given back once by fake_drop_object(), or by the next reset. */
void *fake_make_object(size_t bytes);
void fake_drop_object(struct object *gone);

/* Counts the call; the error it is to have, or 0. */
ag_cu_result fake_count_call(const char *symbol);
/* The same for a call that needs a living current context. */
ag_cu_result fake_in_context(const char *symbol);

/* Each file's part of fake_cuda_reset(). */
void fake_memory_reset(void);
void fake_code_reset(void);

#pragma GCC visibility pop

/* Each entry point: BEGIN takes the lock and leaves when the call is to fail; END gives it back. */
#define BEGIN(GATE)                                                                                          \
  if (fake.each)                                                                                             \
    fake.each(__func__);                                                                                     \
  pthread_mutex_lock(&fake_lock);                                                                            \
  ag_cu_result result = GATE(__func__);                                                                      \
  if (result) {                                                                                              \
    pthread_mutex_unlock(&fake_lock);                                                                        \
    return result;                                                                                           \
  }
#define END(RESULT)                                                                                          \
  result = (RESULT);                                                                                         \
  pthread_mutex_unlock(&fake_lock);                                                                          \
  return result

#endif /* FAKE_CUDA_INSIDE_H */
