// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events and copies: late, out of order, and in order where they must
// be.

#include "DriverTest.h"

// --- Streams ----------------------------------------------------------------

// Of the races here ThreadSanitizer is not to speak.
#define RACES __attribute__((no_sanitize("thread")))

/// How often, of 100 times, a buffer that is written to right after the copy
/// from it is seen as it is then.
RACES static int earlyReuse(int *Buffer) {
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  int Seen = 0;
  for (int I = 0; I < 100; ++I) {
    *Buffer = 1;
    OK(cuMemcpyHtoDAsync_v2(P, Buffer, 4, S));
    *Buffer = 2;
    OK(cuStreamSynchronize(S));
    Seen += valueAt(P) == 2;
  }
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  return Seen;
}

void copiesInAreLate() {
  Gpu G;
  int *Late = pinned(4);
  IS(earlyReuse(Late) > 10, true);
  static int Own[1024];
  IS(earlyReuse(Own), 0);
  OK(cuMemHostRegister_v2(Own, sizeof Own, 0));
  IS(earlyReuse(Own + 5) > 10, true);
  OK(cuMemHostUnregister(Own));
  OK(cuMemFreeHost(Late));
  G.close();
}

RACES void copiesOutAreLate() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(1000);
  int *Late = pinned(4), Missing = 0;
  for (int I = 1; I <= 100; ++I) {
    int Now = 0;
    OK(cuMemcpyHtoDAsync_v2(P + 8, &I, 4, S));
    OK(cuMemcpyDtoHAsync_v2(Late, P + 8, 4, S));
    Missing += *static_cast<volatile int *>(Late) != I;
    OK(cuStreamSynchronize(S));
    IS(*Late, I);
    OK(cuMemcpyDtoHAsync_v2(&Now, P + 8, 4, S));
    IS(Now, I);
  }
  IS(Missing > 10, true);
  // Nobody calls, and yet it comes.
  volatile int *Flag = Late;
  *Flag = 0;
  OK(cuMemsetD8Async(P, 1, 4, S));
  OK(cuMemcpyDtoHAsync_v2(Late, P, 4, S));
  while (!*Flag)
    ;
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  OK(cuMemFreeHost(Late));
  G.close();
}

void inOrderWithinAStream() {
  Gpu G;
  ag_cu_stream S = stream();
  const size_t N = 1000;
  ag_cu_ptr P = allocate(N * 4), Q = allocate(N * 4);
  int *Out = pinned(N * 4);
  for (int I = 0; I < 20; ++I) {
    OK(cuMemsetD8Async(P, 0, N * 4, S));
    OK(launch(G.Increment, S, P, 10, 10, 100));
    OK(cuMemcpyDtoDAsync_v2(Q, P, N * 4, S));
    OK(launch(G.Increment, S, Q, 10, 10, 100));
    OK(cuMemcpyDtoHAsync_v2(Out, Q, N * 4, S));
    int Result;
    while ((Result = cuStreamQuery(S)) == AG_CU_NOT_READY)
      ;
    OK(Result);
    for (size_t K = 0; K < N; ++K)
      IS(Out[K], 2);
  }
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  OK(cuMemFree_v2(Q));
  OK(cuMemFreeHost(Out));
  G.close();
}

void eventsOrderStreams() {
  Gpu G;
  ag_cu_stream S = stream(), T = stream();
  ag_cu_event E = event(AG_CU_EVENT_DISABLE_TIMING);
  ag_cu_ptr P = allocate(4);
  int *Out = pinned(4), Wrong = 0;
  OK(cuStreamWaitEvent(S, E, 0)); // never recorded
  OK(cuEventQuery(E));
  OK(cuMemsetD8Async(P, 0, 4, S));
  for (int I = 0, Wanted = 0; I < 100; ++I)
    for (int Waits = 0; Waits < 2; ++Waits) {
      OK(launch(G.Increment, S, P, 1000));
      ++Wanted;
      OK(cuEventRecord(E, S));
      if (Waits)
        OK(cuStreamWaitEvent(T, E, 0));
      OK(cuMemcpyDtoHAsync_v2(Out, P, 4, T));
      OK(cuStreamSynchronize(T));
      if (Waits)
        IS(*Out, Wanted);
      Wrong += *Out != Wanted;
      OK(cuEventSynchronize(E));
    }
  IS(Wrong > 10, true);
  // Gone before they were reached.
  OK(cuMemsetD8Async(P, 0, 4, S));
  OK(cuEventRecord(E, S));
  OK(cuStreamWaitEvent(T, E, 0));
  OK(launch(G.Increment, T, P, 100));
  OK(cuEventDestroy_v2(E));
  OK(cuStreamDestroy_v2(S));
  OK(cuStreamDestroy_v2(T));
  OK(cuCtxSynchronize());
  IS(valueAt(P), 1);
  OK(cuMemFree_v2(P));
  OK(cuMemFreeHost(Out));
  G.close();
}

/// Operations of one stream come between those of another, and kernels run at
/// the same time.
void streamsOvertake() {
  Gpu G;
  ag_cu_stream S = stream(), T = stream();
  ag_cu_event A[2] = {event(), event()}, B[2] = {event(), event()};
  ag_cu_ptr P = allocate(4), Q = allocate(4);
  int Overtaken = 0, Interleaved = 0;
  for (int I = 0; I < 100; ++I) {
    OK(cuEventRecord(A[0], S));
    OK(launch(G.Increment, S, P, 20000));
    OK(cuEventRecord(A[1], S));
    OK(cuEventRecord(B[0], T));
    OK(launch(G.Increment, T, Q, 20000));
    OK(cuEventRecord(B[1], T));
    OK(cuCtxSynchronize());
    float Whole, Begin, End;
    OK(cuEventElapsedTime(&Whole, A[0], A[1]));
    OK(cuEventElapsedTime(&Begin, A[0], B[0]));
    OK(cuEventElapsedTime(&End, A[1], B[1]));
    IS(Whole >= 0, true);
    Overtaken += End < 0;
    Interleaved += Begin > 0 && Begin < Whole && End > 0;
  }
  IS(Overtaken > 10, true);
  IS(Interleaved > 10, true);
  for (ag_cu_event E : {A[0], A[1], B[0], B[1]})
    OK(cuEventDestroy_v2(E));
  OK(cuStreamDestroy_v2(S));
  OK(cuStreamDestroy_v2(T));
  OK(cuMemFree_v2(P));
  OK(cuMemFree_v2(Q));
  G.close();
}

void legacyStream() {
  Gpu G;
  ag_cu_stream S;
  OK(cuStreamCreate(&S, 0));
  ag_cu_ptr P = allocate(4);
  for (int I = 0; I < 100; ++I) {
    OK(cuMemsetD8Async(P, 0, 4, S));
    OK(launch(G.Increment, nullptr, P, 100));
    OK(launch(G.Increment, S, P, 100));
    OK(cuStreamSynchronize(S));
    IS(valueAt(P), 2);
  }
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  G.close();
}

void rows() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(400);
  unsigned char In[10][10], Out[10][10];
  for (int I = 0; I < 100; ++I)
    In[I / 10][I % 10] = static_cast<unsigned char>(I);
  std::memset(Out, 77, sizeof Out);
  ag_cu_side There = {0, 0, AG_CU_MEMORYTYPE_DEVICE, nullptr, P, nullptr, 40};
  ag_cu_side Here = {2, 1, AG_CU_MEMORYTYPE_HOST, In, 0, nullptr, 10};
  ag_cu_rows Copy = {Here, There, 5, 9};
  OK(cuMemsetD8Async(P, 9, 400, S));
  OK(cuMemcpy2DAsync_v2(&Copy, S));
  Here.host = Out;
  Here.x_bytes = 1;
  Copy = {There, Here, 6, 9};
  OK(cuMemcpy2DAsync_v2(&Copy, S));
  for (int Y = 0; Y < 10; ++Y)
    for (int X = 0; X < 10; ++X)
      IS(Out[Y][X], !Y || !X || X > 6 ? 77 : X == 6 ? 9 : In[Y][X + 1]);
  Copy.height = 11;
  IS(cuMemcpy2DAsync_v2(&Copy, S), AG_CU_INVALID_VALUE);
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  G.close();
}

void times() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_event A = event(), B = event(), N = event(AG_CU_EVENT_DISABLE_TIMING);
  ag_cu_ptr P = allocate(4);
  float Ms;
  IS(cuEventElapsedTime(&Ms, A, B), 400);
  OK(cuEventRecord(A, S));
  OK(launch(G.Increment, S, P, 1000000));
  OK(cuEventRecord(B, S));
  OK(cuEventRecord(N, S));
  IS(cuEventElapsedTime(&Ms, A, B), AG_CU_NOT_READY);
  OK(cuEventSynchronize(N));
  OK(cuEventElapsedTime(&Ms, A, B));
  IS(cuEventElapsedTime(&Ms, A, N), 400);
}
