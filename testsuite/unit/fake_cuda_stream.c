/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fake driver's streams and events: everything has happened when it was asked for, and is known to have
 * when the test says so. */
#include "fake_cuda_inside.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct CUstream_st {
  struct object object;
};
struct CUevent_st {
  struct object object;
  uint64_t ns;
  bool recorded, timing;
};

ag_cu_result cuStreamCreate(ag_cu_stream *stream, unsigned flags) {
  BEGIN(fake_in_context)
  *stream = fake_make_object(sizeof **stream);
  ++fake.live_streams;
  END(flags == AG_CU_STREAM_NON_BLOCKING ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuStreamDestroy_v2(ag_cu_stream stream) {
  BEGIN(fake_in_context)
  fake_drop_object(&stream->object);
  --fake.live_streams;
  END(AG_CU_SUCCESS);
}

/* The calls after which the output of kernels is there, by the driver's documentation. */
static void flush_output(void) {
  ++fake.flushes;
  if (fake.flush)
    fake.flush();
}

/* What the two queries say. */
static bool not_ready(void) {
  return fake.not_ready > 0 ? fake.not_ready-- > 0 : fake.hang_from && fake.calls >= fake.hang_from;
}

ag_cu_result cuStreamQuery(ag_cu_stream stream) {
  BEGIN(fake_in_context)
  if (not_ready()) {
    END(AG_CU_NOT_READY);
  }
  END(stream ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

/* Everything has happened when it was asked for. */
ag_cu_result cuStreamWaitEvent(ag_cu_stream stream, ag_cu_event event, unsigned flags) {
  BEGIN(fake_in_context)
  END(stream && event && !flags ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventCreate(ag_cu_event *event, unsigned flags) {
  BEGIN(fake_in_context)
  *event = fake_make_object(sizeof **event);
  (*event)->timing = !(flags & AG_CU_EVENT_DISABLE_TIMING);
  ++fake.live_events;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuEventDestroy_v2(ag_cu_event event) {
  BEGIN(fake_in_context)
  fake_drop_object(&event->object);
  --fake.live_events;
  END(AG_CU_SUCCESS);
}

ag_cu_result cuEventRecord(ag_cu_event event, ag_cu_stream stream) {
  BEGIN(fake_in_context)
  event->recorded = true;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  event->ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  END(stream ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventQuery(ag_cu_event event) {
  BEGIN(fake_in_context)
  if (not_ready()) {
    END(AG_CU_NOT_READY);
  }
  END(event->recorded ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventSynchronize(ag_cu_event event) {
  BEGIN(fake_in_context)
  flush_output();
  END(event->recorded ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE);
}

ag_cu_result cuEventElapsedTime(float *milliseconds, ag_cu_event begin, ag_cu_event end) {
  BEGIN(fake_in_context)
  if (!begin->recorded || !end->recorded || !begin->timing || !end->timing) {
    END(AG_CU_INVALID_VALUE);
  }
  *milliseconds = (float)((double)(end->ns - begin->ns) / 1e6);
  END(AG_CU_SUCCESS);
}
