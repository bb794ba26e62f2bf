// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver by itself: each case is a process of its own, with settings of
// its own, an expected status, and a text that standard error must hold (or,
// after a '!', must not).

#include "../driver/Driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using ag_cu_result = int;

static const char *const Text = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .align 1 .b8 line[9] = {108, 105, 110, 101, 32, 37, 100, 10, 0};

.visible .entry increment(.param .u64 to, .param .u64 delay)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [delay];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u64 %rd3, 0;
again:
  add.s64 %rd3, %rd3, 1;
  setp.lt.u64 %p1, %rd3, %rd2;
  @%p1 bra again;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd4, %r4, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r5, [%rd5];
  add.s32 %r5, %r5, 1;
  st.global.u32 [%rd5], %r5;
  ret;
}

.visible .entry astray(.param .u64 to, .param .u64 delay)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  mov.u32 %r1, 1;
  st.global.u32 [%rd1+1048576], %r1;
  ret;
}

.visible .entry say(.param .u64 to, .param .u64 lines)
{
  .local .align 8 .b8 depot[8];
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<7>;
  mov.u64 %rd1, depot;
  cvta.local.u64 %rd2, %rd1;
  mov.u64 %rd3, line;
  cvta.global.u64 %rd4, %rd3;
  ld.param.u64 %rd5, [lines];
  mov.u64 %rd6, 0;
again:
  cvt.u32.u64 %r1, %rd6;
  st.local.u32 [%rd1], %r1;
  {
    .param .b64 a;
    st.param.b64 [a], %rd4;
    .param .b64 b;
    st.param.b64 [b], %rd2;
    .param .b32 r;
    call.uni (r), vprintf, (a, b);
    ld.param.b32 %r2, [r];
  }
  add.s64 %rd6, %rd6, 1;
  setp.lt.u64 %p1, %rd6, %rd5;
  @%p1 bra again;
  ret;
}
)";

static void fail(int Line, const char *What, long long Is, long long Wanted) {
  std::fprintf(stderr, "Driver.cpp:%d: %s is %lld, not %lld\n", Line, What, Is,
               Wanted);
  _exit(1);
}
#define IS(WHAT, WANTED)                                                       \
  do {                                                                         \
    long long Is_ = static_cast<long long>(WHAT);                              \
    if (Is_ != static_cast<long long>(WANTED))                                 \
      fail(__LINE__, #WHAT, Is_, static_cast<long long>(WANTED));              \
  } while (0)
#define OK(CALL) IS(CALL, 0)

namespace {

/// A device with the module above.
struct Gpu {
  int Number;
  ag_cu_context Context;
  ag_cu_module Module;
  ag_cu_function Increment, Astray, Say;

  explicit Gpu(int Number = 0) : Number(Number) {
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&Context, Number));
    OK(cuCtxPushCurrent_v2(Context));
    OK(cuModuleLoadDataEx(&Module, Text, 0, nullptr, nullptr));
    OK(cuModuleGetFunction(&Increment, Module, "increment"));
    OK(cuModuleGetFunction(&Astray, Module, "astray"));
    OK(cuModuleGetFunction(&Say, Module, "say"));
  }
  void close() {
    OK(cuModuleUnload(Module));
    OK(cuCtxPopCurrent_v2(nullptr));
    OK(cuDevicePrimaryCtxRelease_v2(Number));
  }
};

int launch(ag_cu_function F, ag_cu_stream S, uint64_t P, uint64_t Q,
           unsigned Blocks = 1, unsigned Threads = 1) {
  void *Params[] = {&P, &Q};
  return cuLaunchKernel(F, Blocks, 1, 1, Threads, 1, 1, 0, S, Params, nullptr);
}

ag_cu_ptr allocate(size_t Bytes) {
  ag_cu_ptr P = 0;
  OK(cuMemAlloc_v2(&P, Bytes));
  return P;
}

ag_cu_stream stream() {
  ag_cu_stream S;
  OK(cuStreamCreate(&S, AG_CU_STREAM_NON_BLOCKING));
  return S;
}

ag_cu_event event(unsigned Flags = 0) {
  ag_cu_event E;
  OK(cuEventCreate(&E, Flags));
  return E;
}

int *pinned(size_t Bytes) {
  void *P;
  OK(cuMemHostAlloc(&P, Bytes, AG_CU_MEMHOSTALLOC_PORTABLE));
  return static_cast<int *>(P);
}

int valueAt(ag_cu_ptr P) { // by pageable memory, so that it is there
  OK(cuCtxSynchronize());
  ag_cu_stream S = stream();
  int Value = 0;
  OK(cuMemcpyDtoHAsync_v2(&Value, P, 4, S));
  OK(cuStreamDestroy_v2(S));
  return Value;
}

// --- Streams ----------------------------------------------------------------

// Of the races here ThreadSanitizer is not to speak.
#define RACES __attribute__((no_sanitize("thread")))

/// How often, of 100 times, a buffer that is written to right after the copy
/// from it is seen as it is then.
RACES int earlyReuse(int *Buffer) {
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

// --- Errors -----------------------------------------------------------------

void stickyError() {
  Gpu G;
  ag_cu_stream S = stream(), Q = stream();
  ag_cu_event E = event();
  ag_cu_ptr P = allocate(4);
  size_t Bytes;
  OK(launch(G.Astray, S, P, 0));
  cuEventRecord(E, S); // which may see it
  IS(cuEventSynchronize(E), AG_CU_ILLEGAL_ADDRESS);
  IS(cuEventQuery(E), AG_CU_ILLEGAL_ADDRESS);
  IS(cuStreamQuery(Q), AG_CU_ILLEGAL_ADDRESS);
  IS(launch(G.Increment, Q, P, 0), AG_CU_ILLEGAL_ADDRESS);
  IS(cuMemGetInfo_v2(&Bytes, &Bytes), AG_CU_ILLEGAL_ADDRESS);
  IS(cuMemFree_v2(P), AG_CU_ILLEGAL_ADDRESS);
  IS(cuCtxSynchronize(), AG_CU_ILLEGAL_ADDRESS);
  OK(cuCtxPopCurrent_v2(nullptr));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  Gpu Again;
  P = allocate(4);
  S = stream();
  OK(cuMemsetD8Async(P, 0, 4, S));
  OK(launch(Again.Increment, S, P, 0));
  IS(valueAt(P), 1);
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
  Again.close();
}

/// Each is answered as the manual says, and counted.
void misuse() {
  size_t Bytes;
  int Value;
  ag_cu_context Context;
  IS(cuDeviceGetCount(&Value), AG_CU_NOT_INITIALIZED);
  OK(cuInit(0));
  IS(cuMemGetInfo_v2(&Bytes, &Bytes), AG_CU_INVALID_CONTEXT);
  IS(cuCtxPopCurrent_v2(&Context), AG_CU_INVALID_CONTEXT);
  IS(cuDeviceGet(&Value, 2), 101);
  IS(cuDevicePrimaryCtxRelease_v2(0), AG_CU_INVALID_CONTEXT);
  IS(cuCtxPushCurrent_v2(nullptr), AG_CU_INVALID_CONTEXT);
  Gpu Other(1), G;
  ag_cu_stream S = stream(), Gone = stream();
  ag_cu_event E = event();
  ag_cu_ptr P = allocate(100), Free = allocate(4);
  int *Late = pinned(400), Own[100];
  OK(cuStreamDestroy_v2(Gone));
  OK(cuMemFree_v2(Free));
  IS(cuStreamDestroy_v2(Gone), 400);
  IS(cuStreamQuery(Gone), 400);
  IS(cuEventRecord(E, Gone), 400);
  IS(cuEventRecord(reinterpret_cast<ag_cu_event>(S), S), 400);
  IS(cuMemFree_v2(Free), AG_CU_INVALID_VALUE);
  IS(cuMemFree_v2(P + 4), AG_CU_INVALID_VALUE);
  IS(cuMemFree_v2(reinterpret_cast<uintptr_t>(Own)), AG_CU_INVALID_VALUE);
  IS(cuMemFreeHost(Own), AG_CU_INVALID_VALUE);
  IS(cuMemHostUnregister(Late), 713);
  IS(cuMemcpyHtoDAsync_v2(Free, Own, 4, S), AG_CU_INVALID_VALUE);
  IS(cuMemcpyHtoDAsync_v2(P, Own, 101, S), AG_CU_INVALID_VALUE);
  IS(cuMemcpyHtoDAsync_v2(reinterpret_cast<uintptr_t>(Late), Own, 4, S),
     AG_CU_INVALID_VALUE);
  IS(cuMemcpyDtoHAsync_v2(reinterpret_cast<void *>(P), P + 4, 4, S),
     AG_CU_INVALID_VALUE);
  IS(cuMemsetD8Async(P + 99, 0, 2, S), AG_CU_INVALID_VALUE);
  IS(launch(Other.Increment, S, P, 0), 400);
  IS(launch(G.Increment, S, P, 0, 0), AG_CU_INVALID_VALUE);
  IS(launch(G.Increment, S, P, 0, 1, 1025), AG_CU_INVALID_VALUE);
  IS(cuCtxSetLimit(77, 1), AG_CU_INVALID_VALUE);
  OK(cuMemHostRegister_v2(Own, sizeof Own / 2, 0));
  IS(cuMemcpyHtoDAsync_v2(P, Own + 40, 80, S), AG_CU_INVALID_VALUE);
  OK(cuMemHostUnregister(Own));
  OK(cuModuleUnload(G.Module));
  IS(launch(G.Increment, S, P, 0), 400);
  IS(cuModuleUnload(G.Module), 400);
}

void otherRefusals() {
  Gpu G;
  static int Own[1024];
  ag_cu_ptr P;
  OK(cuMemHostRegister_v2(Own, sizeof Own, 0));
  IS(cuMemHostRegister_v2(Own + 1000, sizeof Own, 0), 712);
  OK(cuMemHostUnregister(Own));
  IS(cuMemAlloc_v2(&P, size_t(2) << 30), AG_CU_OUT_OF_MEMORY);
  G.close();
}

void unloadWhileRunning() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  OK(cuMemsetD8Async(P, 0, 4, S));
  OK(launch(G.Increment, S, P, 100000));
  OK(cuModuleUnload(G.Module));
  IS(valueAt(P), 1);
}

void freeWhileCopied() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  int *Late = pinned(4);
  OK(launch(G.Increment, S, P, 100000));
  OK(cuMemcpyDtoHAsync_v2(Late, P, 4, S));
  OK(cuMemFreeHost(Late));
}

void leavesThings() {
  Gpu G;
  stream();
  event();
  allocate(4);
  OK(cuCtxPopCurrent_v2(nullptr));
  OK(cuDevicePrimaryCtxRelease_v2(0));
}

void thirdAllocationFails() {
  Gpu G;
  ag_cu_ptr P = allocate(4), Q = allocate(4), R;
  IS(cuMemAlloc_v2(&R, 4), AG_CU_OUT_OF_MEMORY);
  OK(cuMemFree_v2(P));
  OK(cuMemFree_v2(Q));
  G.close();
}

void launchKillsLate() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  OK(launch(G.Increment, S, P, 0));
  IS(cuStreamQuery(S), AG_CU_ASSERT);
  IS(cuStreamQuery(S), AG_CU_ASSERT);
}

void anyCallFails() {
  OK(cuInit(0)); // the first
  int Count;
  IS(cuDeviceGetCount(&Count), 999);
  OK(cuDeviceGetCount(&Count));
}

void hangs() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  OK(cuStreamQuery(S));
  OK(launch(G.Increment, S, P, 0));
  for (int I = 0; I < 1000; ++I)
    IS(cuStreamQuery(S), AG_CU_NOT_READY);
}

// --- The rest ---------------------------------------------------------------

void limits() {
  Gpu G;
  ag_cu_stream S = stream();
  size_t Bytes;
  OK(cuCtxGetLimit(&Bytes, AG_CU_LIMIT_STACK_SIZE));
  IS(Bytes, 1024);
  OK(cuCtxSetLimit(AG_CU_LIMIT_STACK_SIZE, 5000));
  OK(cuCtxGetLimit(&Bytes, AG_CU_LIMIT_STACK_SIZE));
  IS(Bytes, 5008);
  OK(cuCtxSetLimit(AG_CU_LIMIT_STACK_SIZE, 1 << 30));
  OK(cuCtxGetLimit(&Bytes, AG_CU_LIMIT_STACK_SIZE));
  IS(Bytes, 512 << 10);
  OK(cuCtxSetLimit(1, 16));
  // What is printed last is what is seen, and not before somebody waits.
  int To[2];
  char Out[256] = "";
  OK(pipe(To));
  dup2(To[1], 1);
  OK(launch(G.Say, S, 0, 100));
  while (cuStreamQuery(S) == AG_CU_NOT_READY)
    ;
  std::fputs("waited\n", stdout);
  OK(cuStreamSynchronize(S));
  std::fflush(stdout);
  IS(read(To[0], Out, sizeof Out - 1) > 0, true);
  OK(std::strcmp(Out, "waited\nline 98\nline 99\n"));
  IS(cuCtxSetLimit(1, 4096), AG_CU_INVALID_VALUE);
}

void codeOfManyKinds() {
  Gpu G;
  char Log[64] = "";
  int Options[] = {AG_CU_JIT_ERROR_LOG_BUFFER,
                   AG_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof Log)};
  ag_cu_module M;
  ag_cu_function F;
  ag_cu_link L;
  int Value;
  IS(cuModuleLoadDataEx(&M, "\177ELF", 0, nullptr, nullptr), 209);
  IS(cuModuleLoadDataEx(&M, "\x50\xed\x55\xba", 0, nullptr, nullptr), 209);
  IS(cuModuleLoadDataEx(&M, ".version 7.0\nnonsense;\n", 2, Options, Values),
     218);
  IS(Log[0] != '\0', true);
  IS(cuModuleGetFunction(&F, G.Module, "nothing"), 500);
  OK(cuFuncGetAttribute(&Value, AG_CU_FUNC_MAX_THREADS_PER_BLOCK, G.Increment));
  IS(Value, 1024);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&Value, G.Increment, 64, 0));
  IS(Value, 2);
  std::string First = Text, Second = ".version 7.0\n.target sm_70\n"
                                     ".address_size 64\n"
                                     ".visible .entry other() { ret; }\n";
  OK(cuLinkCreate_v2(2, Options, Values, &L));
  for (std::string *Each : {&First, &Second})
    OK(cuLinkAddData_v2(L, AG_CU_JIT_INPUT_PTX, &(*Each)[0], Each->size() + 1,
                        "a file", 0, nullptr, nullptr));
  void *Image;
  size_t Bytes;
  OK(cuLinkComplete(L, &Image, &Bytes));
  OK(cuModuleLoadDataEx(&M, Image, 0, nullptr, nullptr));
  OK(cuLinkDestroy(L));
  OK(cuModuleGetFunction(&F, M, "other"));
  OK(cuModuleGetFunction(&F, M, "increment"));
  OK(cuModuleUnload(M));
  G.close();
}

void twoDevices() {
  Gpu A(0), B(1);
  ag_cu_ptr Q = allocate(4);
  ag_cu_stream T = stream();
  ag_cu_event E;
  OK(cuCtxPushCurrent_v2(A.Context));
  ag_cu_ptr P = allocate(4);
  ag_cu_stream S = stream();
  E = event();
  int *Between = pinned(4);
  for (int I = 0; I < 50; ++I) { // by the host's memory, and an event
    OK(cuMemsetD8Async(P, 0, 4, S));
    OK(launch(A.Increment, S, P, 1000));
    OK(cuMemcpyDtoHAsync_v2(Between, P, 4, S));
    OK(cuEventRecord(E, S));
    OK(cuCtxPushCurrent_v2(B.Context));
    OK(cuStreamWaitEvent(T, E, 0));
    OK(cuMemcpyHtoDAsync_v2(Q, Between, 4, T));
    OK(launch(B.Increment, T, Q, 1000));
    OK(cuStreamSynchronize(T));
    IS(valueAt(Q), 2);
    OK(cuCtxPopCurrent_v2(nullptr));
  }
  // One may be lost without the other.
  OK(launch(A.Astray, S, P, 0));
  IS(cuStreamSynchronize(S), AG_CU_ILLEGAL_ADDRESS);
  OK(cuCtxPopCurrent_v2(nullptr));
  IS(valueAt(Q), 2);
}

void manyThreads() {
  Gpu G;
  auto Body = [&](int Seed) {
    OK(cuCtxPushCurrent_v2(G.Context));
    ag_cu_stream S = stream();
    ag_cu_event E = event();
    ag_cu_ptr P = allocate(4096);
    int *Buffer = pinned(4096);
    for (int I = 0; I < 50; ++I) {
      for (int K = 0; K < 1024; ++K)
        Buffer[K] = Seed + K;
      OK(cuMemcpyHtoDAsync_v2(P, Buffer, 4096, S));
      OK(launch(G.Increment, S, P, 10, 8, 128));
      OK(cuMemcpyDtoHAsync_v2(Buffer, P, 4096, S));
      OK(cuEventRecord(E, S));
      if (I % 2)
        OK(cuEventSynchronize(E));
      while (cuEventQuery(E) == AG_CU_NOT_READY)
        std::this_thread::yield();
      for (int K = 0; K < 1024; ++K)
        IS(Buffer[K], Seed + K + 1);
      if (I % 10 == 0) {
        OK(cuMemFree_v2(P));
        P = allocate(4096);
      }
    }
    OK(cuMemFreeHost(Buffer));
    OK(cuMemFree_v2(P));
    OK(cuEventDestroy_v2(E));
    OK(cuStreamDestroy_v2(S));
    OK(cuCtxPopCurrent_v2(nullptr));
  };
  std::vector<std::thread> All;
  for (int I = 0; I < 4; ++I)
    All.emplace_back(Body, I * 1000);
  for (std::thread &T : All)
    T.join();
  G.close();
}

void exitWhileRunning() {
  Gpu G;
  OK(launch(G.Increment, stream(), allocate(4), UINT64_MAX));
  std::exit(0);
}

void childOfFork() {
  Gpu G;
  ag_cu_stream S = stream();
  OK(launch(G.Increment, S, allocate(4), 100000));
  pid_t Child = fork();
  if (!Child) {
    IS(cuStreamQuery(S), AG_CU_NOT_INITIALIZED);
    std::exit(3);
  }
  int Status;
  waitpid(Child, &Status, 0);
  IS(WEXITSTATUS(Status), 3);
  OK(cuStreamSynchronize(S));
}

void noSuchSetting() { IS(cuInit(0), AG_CU_INVALID_VALUE); }
void noDevice() { IS(cuInit(0), AG_CU_NO_DEVICE); }

struct Case {
  const char *Name;
  void (*Run)();
  const char *Settings; // separated by spaces
  int Status;
  const char *Said;
};
#define CASE(NAME) #NAME, NAME
const Case Cases[] = {
    {CASE(copiesInAreLate), "LATE=100", 0, "!gpu in"},
    {CASE(copiesOutAreLate), "LATE=100", 0, "!gpu in"},
    {CASE(inOrderWithinAStream), "", 0, "!gpu in"},
    {CASE(eventsOrderStreams), "", 0, "!gpu in"},
    {CASE(streamsOvertake), "", 0, "!gpu in"},
    {CASE(legacyStream), "", 0, "!gpu in"},
    {CASE(rows), "", 86, "1 misuses, 0 things left behind"},
    {CASE(times), "", 86, "2 misuses, 0"},
    {CASE(stickyError), "", 0, "gpu in software: "},
    {CASE(misuse), "DEVICES=2 MEMORY=1M", 86, "27 misuses"},
    {CASE(otherRefusals), "", 0, "!gpu in"},
    {CASE(unloadWhileRunning), "", 86, "a kernel of the module still runs"},
    {CASE(freeWhileCopied), "", 86, "a copy still uses"},
    {CASE(leavesThings), "", 86, "4 things are left in the context"},
    {CASE(leavesThings), "STRICT=0", 0, "4 things are left in the context"},
    {CASE(thirdAllocationFails), "FAULT=cuMemAlloc_v2:3:2", 0, "!gpu in"},
    {CASE(launchKillsLate), "FAULT=cuLaunchKernel:1:710:late", 0,
     "cuStreamQuery was to fail"},
    {CASE(anyCallFails), "FAULT=any:2:999", 0, "!gpu in"},
    {CASE(hangs), "FAULT=cuLaunchKernel:1:hang", 0, "!gpu in"},
    {CASE(limits), "", 86, "a kernel has printed already"},
    {CASE(codeOfManyKinds), "AT_ONCE=8 MULTIPROCESSORS=4", 0, "!gpu in"},
    {CASE(twoDevices), "DEVICES=2", 0, "gpu in software: "},
    {CASE(manyThreads), "", 0, "!gpu in"},
    {CASE(exitWhileRunning), "", 0, "!gpu in"},
    {CASE(childOfFork), "", 0, "!gpu in"},
    {CASE(noSuchSetting), "THREAD=order", 0, "no variable GPU_IN_SOFTWARE_THR"},
    {CASE(noSuchSetting), "THREADS=odd", 0, "must be order, reverse, random"},
    {CASE(noSuchSetting), "MEMORY=1X", 0, "must be bytes of a device"},
    {CASE(noSuchSetting), "FAULT=any:1", 0, "must be CALL:N[-M]:RESULT"},
    {CASE(noDevice), "DEVICES=0", 0, "!gpu in"},
};

void setUp(const Case &C, const char *Seed) {
  setenv("GPU_IN_SOFTWARE_SEED", Seed, 1);
  setenv("GPU_IN_SOFTWARE_STRICT", "1", 1);
  std::string All = C.Settings;
  for (size_t At = 0, End; At < All.size(); At = End + 1) {
    End = std::min(All.find(' ', At), All.size());
    size_t Equals = All.find('=', At);
    setenv(("GPU_IN_SOFTWARE_" + All.substr(At, Equals - At)).c_str(),
           All.substr(Equals + 1, End - Equals - 1).c_str(), 1);
  }
}

bool passes(const Case &C, const char *Seed) {
  int Errors[2], Status;
  OK(pipe(Errors));
  std::fflush(nullptr);
  pid_t Child = fork();
  if (!Child) {
    dup2(Errors[1], 2);
    close(Errors[0]);
    close(Errors[1]);
    setUp(C, Seed);
    alarm(100);
    C.Run();
    std::exit(0);
  }
  close(Errors[1]);
  std::string Said;
  char Buffer[4096];
  for (ssize_t N; (N = read(Errors[0], Buffer, sizeof Buffer)) > 0;)
    Said.append(Buffer, static_cast<size_t>(N));
  close(Errors[0]);
  waitpid(Child, &Status, 0);
  bool Not = C.Said[0] == '!';
  bool Has = Said.find(C.Said + Not) != std::string::npos;
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == C.Status && Has != Not &&
      Said.find("WARNING: ThreadSanitizer") == std::string::npos)
    return true;
  std::printf("failed: %s (%s), seed %s, status 0x%x\n%s", C.Name, C.Settings,
              Seed, static_cast<unsigned>(Status), Said.c_str());
  return false;
}

} // namespace

int main(int N, char **Arguments) { // [SEED [CASE]]
  const char *Seed = N > 1 ? Arguments[1] : "1";
  int Failed = 0, Ran = 0;
  for (const Case &C : Cases)
    if (N < 3 || !std::strcmp(C.Name, Arguments[2])) {
      ++Ran;
      Failed += !passes(C, Seed);
    }
  std::printf("%d cases, %d failed\n", Ran, Failed);
  return Failed != 0;
}
