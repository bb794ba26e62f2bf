// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver by itself: each case is a process of its own, with settings of
// its own, an expected status, and a text that standard error must hold (or,
// after a '!', must not).

#include "DriverTest.h"
#include <sys/wait.h>
#include <thread>

namespace {

/// The device works, and leaves nothing behind.
void countsToOne(const Gpu &G) {
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  OK(cuMemsetD8Async(P, 0, 4, S));
  OK(launch(G.Increment, S, P, 0));
  IS(valueAt(P), 1);
  OK(cuStreamDestroy_v2(S));
  OK(cuMemFree_v2(P));
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
  countsToOne(Again);
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
  OK(launch(G.Increment, S, P, 1000000));
  OK(cuModuleUnload(G.Module));
  IS(valueAt(P), 1);
}

void freeWhileCopied() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  int *Late = pinned(4);
  OK(launch(G.Increment, S, P, 1000000));
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

/// Those that only ask are not counted.
void workFails() {
  Gpu G;
  ag_cu_stream S = stream();
  ag_cu_ptr P = allocate(4);
  OK(std::strlen(gpu_in_software_set("FAULT=work:2:2")));
  for (int I = 0; I < 3; ++I)
    OK(cuStreamQuery(S));
  OK(cuMemFree_v2(P));
  OK(cuStreamQuery(S));
  IS(cuMemAlloc_v2(&P, 4), 2);
  OK(cuStreamDestroy_v2(S));
  G.close();
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

/// A process may fork, and use the driver on both sides, before it begins.
void forkBeforeInit() {
  int Version;
  OK(cuDriverGetVersion(&Version));
  pid_t Child = fork();
  Gpu G;
  countsToOne(G);
  G.close();
  int Status = 0;
  if (Child)
    waitpid(Child, &Status, 0);
  OK(Status);
}

// --- What testing.h has -----------------------------------------------------

/// All has happened when a call returns, and no thread has done it.
void eager() {
  Gpu G;
  ag_cu_stream S = stream(), T = stream();
  ag_cu_event E = event();
  ag_cu_ptr P = allocate(4);
  int *Late = pinned(4);
  OK(cuMemsetD8Async(P, 0, 4, S));
  OK(launch(G.Increment, S, P, 100000));
  OK(cuStreamQuery(S));
  OK(cuMemcpyDtoHAsync_v2(Late, P, 4, S));
  IS(*Late, 1);
  OK(cuEventRecord(E, S));
  OK(cuEventQuery(E));
  OK(cuStreamWaitEvent(T, E, 0));
  std::vector<std::thread> All;
  for (int I = 0; I < 4; ++I)
    All.emplace_back([&] {
      OK(cuCtxPushCurrent_v2(G.Context));
      ag_cu_stream Own = stream();
      for (int K = 0; K < 50; ++K) {
        OK(launch(G.Increment, Own, P, 100));
        OK(cuStreamQuery(Own));
      }
    });
  for (std::thread &Each : All)
    Each.join();
  OK(launch(G.Astray, S, P, 0));
  IS(cuStreamQuery(S), AG_CU_ILLEGAL_ADDRESS); // which tells it
  IS(gpu_in_software_seen().calls_after_death, 0);
  IS(cuStreamQuery(S), AG_CU_ILLEGAL_ADDRESS);
  IS(gpu_in_software_seen().calls_after_death, 1);
}

/// Whatever is under way or left, nothing of it is there any more.
void resets() {
  for (const char *Settings : {"LATE=0", "EAGER=1", "", "FAULT=any:30:hang"}) {
    OK(std::strlen(gpu_in_software_reset(Settings)));
    Gpu G;
    ag_cu_stream S = stream();
    ag_cu_ptr P = allocate(4);
    int *Late = pinned(4);
    event();
    OK(launch(G.Increment, S, P, 1000));
    OK(cuMemcpyDtoHAsync_v2(Late, P, 4, S));
    IS(cuMemcpyHtoDAsync_v2(P, &Late, 5, S), AG_CU_INVALID_VALUE);
    gpu_in_software_counts C = gpu_in_software_seen();
    IS(gpu_in_software_calls("cuModuleGetFunction"), 3);
    IS(C.blocks * C.threads, 1);
    IS(C.retained + C.pushed + C.streams + C.events + C.modules, 5);
    IS(C.memory + C.host_memory + C.misuses, 3);
  }
  OK(std::strlen(gpu_in_software_reset("")));
  gpu_in_software_counts C = gpu_in_software_seen();
  OK(C.calls + C.misuses + C.went_wrong + C.left_behind + C.retained);
  OK(C.pushed + C.memory + C.host_memory + C.streams + C.events + C.modules);
  OK(std::strcmp(gpu_in_software_set("DEVICE=1"),
                 "there is no variable GPU_IN_SOFTWARE_DEVICE"));
}

void noSuchSetting() { IS(cuInit(0), AG_CU_INVALID_VALUE); }
void noDevice() {
  int Count = 1;
  OK(cuInit(0));
  OK(cuDeviceGetCount(&Count));
  IS(Count, 0);
}

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
    {CASE(workFails), "", 0, "!gpu in"},
    {CASE(hangs), "FAULT=cuLaunchKernel:1:hang", 0, "!gpu in"},
    {CASE(limits), "", 86, "a kernel has printed already"},
    {CASE(codeOfManyKinds), "AT_ONCE=8 MULTIPROCESSORS=4", 0, "!gpu in"},
    {CASE(twoDevices), "DEVICES=2", 0, "gpu in software: "},
    {CASE(manyThreads), "", 0, "!gpu in"},
    {CASE(exitWhileRunning), "", 0, "!gpu in"},
    {CASE(childOfFork), "", 0, "!gpu in"},
    {CASE(forkBeforeInit), "", 0, "!gpu in"},
    {CASE(eager), "EAGER=1 LATE=1000000", 0, "gpu in software: "},
    {CASE(resets), "STRICT=0", 0, "misuse: cuMemcpyHtoDAsync_v2"},
    {CASE(noSuchSetting), "THREAD=order", 0, "no variable GPU_IN_SOFTWARE_THR"},
    {CASE(noSuchSetting), "THREADS=odd", 0, "must be order, reverse, random"},
    {CASE(noSuchSetting), "MEMORY=1X", 0, "must be bytes of a device"},
    {CASE(noSuchSetting), "FAULT=any:1", 0,
     "must be CALL|any|work:N[-M]:RESULT"},
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
  if (N < 3)
    std::printf("1..%zu\n", sizeof Cases / sizeof *Cases);
  for (const Case &C : Cases)
    if (N < 3 || !std::strcmp(C.Name, Arguments[2])) {
      ++Ran;
      bool Good = passes(C, Seed);
      Failed += !Good;
      std::printf("%s %d - %s\n", Good ? "ok" : "not ok", Ran, C.Name);
      std::fflush(stdout);
    }
  return Failed != 0;
}
