// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a call, and what becomes of it all when the process ends.

#include "Driver.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

// The program may call until its very end, and a device's thread never stops:
// no object of this library is destroyed with the process.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("hidden"))) int
__cxa_atexit(void (*)(void *), void *, void *) {
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace gpu_in_software::api {

Driver &driver() {
  static Driver *Only = [] {
    auto *D = new Driver;
    for (int I = 0; I < 16; ++I)
      D->Devices[I].Index = I;
    pthread_atfork(nullptr, nullptr,
                   [] { driver().Forked = driver().Initialised; });
    return D;
  }();
  return *Only;
}

std::string format(const char *Format, ...) {
  char Text[1024];
  va_list Arguments;
  va_start(Arguments, Format);
  std::vsnprintf(Text, sizeof Text, Format, Arguments);
  va_end(Arguments);
  return Text;
}

void say(const std::string &Text) {
  std::string Line = "gpu in software: " + Text + "\n";
  std::fputs(Line.c_str(), stderr);
}

/// Of each thread that there has been.
static std::list<std::vector<Device *>> Stacks;

std::vector<Device *> &contextStack() {
  // Not destroyed with its thread, in whose other destructors there may be
  // calls.
  static thread_local std::vector<Device *> *Stack = nullptr;
  if (!Stack)
    Stack = &Stacks.emplace_back();
  return *Stack;
}

size_t pushedContexts() {
  size_t N = 0;
  for (const std::vector<Device *> &Stack : Stacks)
    N += Stack.size();
  return N;
}

void forgetContexts() {
  for (std::vector<Device *> &Stack : Stacks)
    Stack.clear();
}

Device *current() {
  return contextStack().empty() ? nullptr : contextStack().back();
}

/// What leaves a dead context, from the manual of the API: these results say
/// so.
static bool kills(ag_cu_result R) {
  return R == AG_CU_ECC_UNCORRECTABLE || R == AG_CU_NVLINK_UNCORRECTABLE ||
         R == AG_CU_CONTAINED || R == AG_CU_ILLEGAL_ADDRESS ||
         R == AG_CU_LAUNCH_TIMEOUT || R == AG_CU_ASSERT ||
         (R >= AG_CU_HARDWARE_STACK_ERROR && R <= AG_CU_LAUNCH_FAILED) ||
         R == AG_CU_EXTERNAL_DEVICE || R == AG_CU_UNKNOWN;
}

/// How often is asked whether something is complete depends on how long it
/// takes.
static bool asks(const std::string &Name) {
  return Name == "cuStreamQuery" || Name == "cuEventQuery";
}

Call::Call(const char *Name, Needs N) : Name(Name) {
  Driver &D = driver();
  if (auto *Visit = D.Each.load())
    Visit(Name);
  // The lock may have been held by another thread of the parent.
  if (D.Forked) {
    Result = AG_CU_NOT_INITIALIZED;
    return;
  }
  Held = std::unique_lock<std::mutex>(D.Lock);
  ++D.Ticks;
  D.Work += !asks(Name);
  ++D.Seen.calls;
  ++D.Calls[Name];
  D.wake();
  if (!D.Initialised && N != Needs::Nothing) {
    misuse(AG_CU_NOT_INITIALIZED, "cuInit has not been called");
    return;
  }
  if (N == Needs::Context) {
    Here = current();
    if (!Here || !Here->Gpu) {
      misuse(AG_CU_INVALID_CONTEXT, Here ? "the current context is destroyed"
                                         : "no context is current");
      return;
    }
    if (Here->Dead) {
      D.Seen.calls_after_death += Here->Told;
      Here->Told = true;
      Result = Here->Dead;
      return;
    }
    Result = D.Pending;
    D.Pending = 0;
    if (Result)
      D.Seen.failed = Name;
  }
  for (Mishap &M : D.Wanted.Mishaps)
    if (M.Call == Name || M.Call == "any" ||
        (M.Call == "work" && !asks(Name))) {
      ++M.Seen;
      if (M.Seen >= M.From && M.Seen <= M.To) {
        D.Hang |= M.Hang;
        ++D.Seen.went_wrong;
        D.Seen.failed = Name;
        if (!M.Hang)
          (M.Late ? D.Pending : Result) = M.Result;
      }
    }
  Device *Dies = Here ? Here : current();
  if (Dies && Dies->Gpu && !Dies->Dead && kills(Result)) {
    Dies->die(Result, std::string(Name) + " was to fail");
    Dies->Told = true;
  }
}

Call::~Call() {
  if (Here && driver().Wanted.Eager)
    Here->settle(Held);
}

ag_cu_result Call::misuse(ag_cu_result Answer, const std::string &What) {
  ++driver().Seen.misuses;
  say(std::string("misuse: ") + Name + ": " + What);
  return Result = Answer;
}

bool Call::stores(const void *To) {
  if (!To)
    misuse(AG_CU_INVALID_VALUE, "a null pointer to store the result to");
  return To;
}

bool Call::exists(ag_cu_device Number) {
  if (Number < 0 || unsigned(Number) >= driver().Wanted.Devices)
    misuse(InvalidDevice, format("there is no device %d", Number));
  return !failed();
}

bool Call::find(ag_cu_stream Handle, std::shared_ptr<Stream> &Out) {
  if (Handle)
    return find(driver().Streams, Handle, Out);
  Out = Here->Legacy;
  return true;
}

/// The entry of a map from beginnings that begins before or at an address.
template <class M> static auto before(M &In, uint64_t At) {
  auto I = In.upper_bound(At);
  return I == In.begin() ? In.end() : std::prev(I);
}

bool Call::onDevice(const Device &D, Address At, size_t Bytes,
                    const char *What) {
  auto I = before(D.Memory, At);
  if (I != D.Memory.end() && At - I->first < I->second) {
    if (Bytes <= I->second - (At - I->first))
      return true;
    misuse(AG_CU_INVALID_VALUE,
           format("%zu bytes of the %s at 0x%llx are more than the allocation "
                  "of %zu bytes at 0x%llx has from there",
                  Bytes, What, (unsigned long long)At, I->second,
                  (unsigned long long)I->first));
    return false;
  }
  const char *Else = "in no allocation of the device";
  I = before(D.Freed, At);
  if (I != D.Freed.end() && At - I->first < I->second)
    Else = "in memory that has been freed";
  else
    for (const Device &Other : driver().Devices) {
      I = before(Other.Memory, At);
      if (I != Other.Memory.end() && At - I->first < I->second)
        Else = "another device's";
    }
  misuse(AG_CU_INVALID_VALUE,
         format("the %s at 0x%llx is %s", What, (unsigned long long)At, Else));
  return false;
}

bool Call::onHost(uintptr_t At, size_t Bytes, const Pinned *&In) {
  for (const Device &D : driver().Devices) {
    auto I = before(D.Memory, At);
    if (!At || (I != D.Memory.end() && At - I->first < I->second)) {
      misuse(AG_CU_INVALID_VALUE,
             format("0x%zx is no address of the host", At));
      return false;
    }
  }
  // All of it, or nothing of it: pieces side by side are one.
  auto &Host = driver().Host;
  auto I = before(Host, At);
  if (I == Host.end() || At - I->first >= I->second.Bytes)
    I = Host.upper_bound(At);
  uintptr_t Covered = At;
  for (auto First = I; I != Host.end() && I->first < At + Bytes; ++I) {
    In = &First->second;
    if (I->first <= Covered)
      Covered = I->first + I->second.Bytes;
    else
      Covered = 0;
  }
  if (Covered >= At + Bytes || Covered == At)
    return true;
  misuse(AG_CU_INVALID_VALUE,
         format("only some of the %zu bytes of the host at 0x%zx are pinned",
                Bytes, At));
  return false;
}

ag_cu_result Call::await(Device &D, OperationRef O) { // which the queue drops
  Driver &All = driver();
  ++All.Pushing;
  All.wake();
  D.settle(Held);
  All.Done.wait(Held, [&] { return O->Done || D.Dead; });
  --All.Pushing;
  return Result = D.Dead;
}

// After everything else of the process: the runtime ends its work in atexit().
__attribute__((destructor)) static void atEnd() {
  Driver &D = driver();
  if (D.Forked)
    return;
  if (D.Wanted.Count)
    say(format("%llu calls, %llu of work, %u went wrong",
               (unsigned long long)D.Ticks, (unsigned long long)D.Work,
               D.Seen.went_wrong));
  if (!D.Wanted.Strict || !(D.Seen.misuses + D.Seen.left_behind))
    return;
  say(format("%u misuses, %u things left behind", D.Seen.misuses,
             D.Seen.left_behind));
  std::fflush(nullptr);
  _exit(86);
}

} // namespace gpu_in_software::api
