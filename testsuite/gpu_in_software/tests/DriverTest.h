// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver's tests share: a module, and calls that must succeed.
#ifndef GPU_IN_SOFTWARE_DRIVER_TEST_H
#define GPU_IN_SOFTWARE_DRIVER_TEST_H

#include "../driver/Driver.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

inline const char *const Text = R"(
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

inline void fail(int Line, const char *What, long long Is, long long Wanted) {
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

inline int launch(ag_cu_function F, ag_cu_stream S, uint64_t P, uint64_t Q,
                  unsigned Blocks = 1, unsigned Threads = 1) {
  void *Params[] = {&P, &Q};
  return cuLaunchKernel(F, Blocks, 1, 1, Threads, 1, 1, 0, S, Params, nullptr);
}

inline ag_cu_ptr allocate(size_t Bytes) {
  ag_cu_ptr P = 0;
  OK(cuMemAlloc_v2(&P, Bytes));
  return P;
}

inline ag_cu_stream stream() {
  ag_cu_stream S;
  OK(cuStreamCreate(&S, AG_CU_STREAM_NON_BLOCKING));
  return S;
}

inline ag_cu_event event(unsigned Flags = 0) {
  ag_cu_event E;
  OK(cuEventCreate(&E, Flags));
  return E;
}

inline int *pinned(size_t Bytes) {
  void *P;
  OK(cuMemHostAlloc(&P, Bytes, AG_CU_MEMHOSTALLOC_PORTABLE));
  return static_cast<int *>(P);
}

inline int valueAt(ag_cu_ptr P) { // by pageable memory, so that it is there
  OK(cuCtxSynchronize());
  ag_cu_stream S = stream();
  int Value = 0;
  OK(cuMemcpyDtoHAsync_v2(&Value, P, 4, S));
  OK(cuStreamDestroy_v2(S));
  return Value;
}

// Cases of DriverStreams.cpp.
void copiesInAreLate();
void copiesOutAreLate();
void inOrderWithinAStream();
void eventsOrderStreams();
void streamsOvertake();
void legacyStream();
void rows();
void times();

#endif // GPU_IN_SOFTWARE_DRIVER_TEST_H
