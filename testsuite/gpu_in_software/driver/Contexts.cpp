// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors, devices, contexts and their limits.

#include "Driver.h"
#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>

using namespace gpu_in_software;
using namespace gpu_in_software::api;

namespace {
struct Error {
  ag_cu_result Number;
  std::string Name, Text;
  Error(ag_cu_result Number, const std::string &Of) : Number(Number) {
    Name = "CUDA_" + std::string(Number ? "ERROR_" : "") + Of;
    for (char C : Of)
      Text += C == '_' ? ' ' : static_cast<char>(std::tolower(C));
  }
};
} // namespace

static const Error *find(ag_cu_result Number) {
  static const std::vector<Error> All = {
      {0, "SUCCESS"},
      {1, "INVALID_VALUE"},
      {2, "OUT_OF_MEMORY"},
      {3, "NOT_INITIALIZED"},
      {4, "DEINITIALIZED"},
      {46, "DEVICE_UNAVAILABLE"},
      {100, "NO_DEVICE"},
      {101, "INVALID_DEVICE"},
      {201, "INVALID_CONTEXT"},
      {209, "NO_BINARY_FOR_GPU"},
      {214, "ECC_UNCORRECTABLE"},
      {218, "INVALID_PTX"},
      {400, "INVALID_HANDLE"},
      {500, "NOT_FOUND"},
      {600, "NOT_READY"},
      {700, "ILLEGAL_ADDRESS"},
      {701, "LAUNCH_OUT_OF_RESOURCES"},
      {702, "LAUNCH_TIMEOUT"},
      {709, "CONTEXT_IS_DESTROYED"},
      {710, "ASSERT"},
      {712, "HOST_MEMORY_ALREADY_REGISTERED"},
      {713, "HOST_MEMORY_NOT_REGISTERED"},
      {714, "HARDWARE_STACK_ERROR"},
      {715, "ILLEGAL_INSTRUCTION"},
      {716, "MISALIGNED_ADDRESS"},
      {717, "INVALID_ADDRESS_SPACE"},
      {718, "INVALID_PC"},
      {719, "LAUNCH_FAILED"},
      {803, "SYSTEM_DRIVER_MISMATCH"},
      {999, "UNKNOWN"},
  };
  for (const Error &E : All)
    if (E.Number == Number)
      return &E;
  return nullptr;
}

ag_cu_result cuGetErrorName(ag_cu_result Number, const char **Text) {
  const Error *E = find(Number);
  *Text = E ? E->Name.c_str() : nullptr;
  return E ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE;
}

ag_cu_result cuGetErrorString(ag_cu_result Number, const char **Text) {
  const Error *E = find(Number);
  *Text = E ? E->Text.c_str() : nullptr;
  return E ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE;
}

ag_cu_result cuInit(unsigned Flags) {
  Driver &D = driver();
  std::string Wrong;
  {
    // Before the call is counted: the settings tell whether it is to fail.
    std::lock_guard<std::mutex> L(D.Lock);
    if (!D.Configured)
      Wrong = D.Wanted.read();
    D.Configured = Wrong.empty();
  }
  Call C(__func__, Needs::Nothing);
  if (!Wrong.empty()) {
    say(Wrong);
    return AG_CU_INVALID_VALUE;
  }
  if (!C.failed() && Flags)
    C.misuse(AG_CU_INVALID_VALUE, "flags must be 0");
  D.Initialised |= !C.failed();
  return C.Result;
}

ag_cu_result cuDriverGetVersion(int *Version) {
  Call C(__func__, Needs::Nothing);
  if (!C.failed() && C.stores(Version))
    *Version = driver().Wanted.Version;
  return C.Result;
}

ag_cu_result cuDeviceGetCount(int *Count) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.stores(Count))
    *Count = static_cast<int>(driver().Wanted.Devices);
  return C.Result;
}

ag_cu_result cuDeviceGet(ag_cu_device *Device, int Index) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.stores(Device) && C.exists(Index))
    *Device = Index;
  return C.Result;
}

ag_cu_result cuDeviceGetName(char *Name, int Bytes, ag_cu_device Device) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.stores(Name) && C.exists(Device))
    std::snprintf(Name, static_cast<size_t>(Bytes), "GPU in software");
  return C.Result;
}

ag_cu_result cuDeviceGetAttribute(int *Value, int Attribute,
                                  ag_cu_device Device) {
  Call C(__func__, Needs::Init);
  if (C.failed() || !C.stores(Value) || !C.exists(Device))
    return C.Result;
  const Options &O = driver().Wanted.Device;
  const std::pair<int, int> All[] = {
      {AG_CU_MAX_THREADS_PER_BLOCK, 1024},
      {AG_CU_MAX_GRID_DIM_X, INT_MAX},
      {AG_CU_MULTIPROCESSOR_COUNT, static_cast<int>(O.Multiprocessors)},
      {AG_CU_COMPUTE_MODE, driver().Wanted.ComputeMode},
      {AG_CU_PCI_DOMAIN_ID, 0},
      {AG_CU_PCI_BUS_ID, 0x3b},
      {AG_CU_PCI_DEVICE_ID, Device},
      {AG_CU_COMPUTE_CAPABILITY_MAJOR, O.Major},
      {AG_CU_COMPUTE_CAPABILITY_MINOR, O.Minor}};
  for (const auto &Each : All)
    if (Each.first == Attribute) {
      *Value = Each.second;
      return C.Result;
    }
  return C.misuse(AG_CU_INVALID_VALUE, format("no attribute %d", Attribute));
}

ag_cu_result cuDeviceTotalMem_v2(size_t *Bytes, ag_cu_device Device) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.stores(Bytes) && C.exists(Device))
    *Bytes = driver().Wanted.Device.MemoryBytes;
  return C.Result;
}

// --- Contexts ---------------------------------------------------------------

static ag_cu_context handleOf(Device *D) {
  return reinterpret_cast<ag_cu_context>(D);
}

ag_cu_result cuDevicePrimaryCtxRetain(ag_cu_context *Context,
                                      ag_cu_device Number) {
  Call C(__func__, Needs::Init);
  if (C.failed() || !C.stores(Context) || !C.exists(Number))
    return C.Result;
  Device &D = driver().Devices[Number];
  if (!D.Gpu)
    D.activate();
  ++D.Retained;
  *Context = handleOf(&D);
  return C.Result;
}

/// What is left in a context when it goes is the program's mistake, except on
/// a device that is lost.
static void destroy(Call &C, Device &D) {
  size_t Left = D.destroy(C.Held);
  driver().Seen.left_behind += static_cast<unsigned>(Left);
  if (Left)
    say(format("%zu things are left in the context of device %d", Left,
               D.Index));
}

ag_cu_result cuDevicePrimaryCtxRelease_v2(ag_cu_device Number) {
  Call C(__func__, Needs::Init);
  if (C.failed() || !C.exists(Number))
    return C.Result;
  Device &D = driver().Devices[Number];
  if (!D.Retained)
    return C.misuse(AG_CU_INVALID_CONTEXT, "the context is not retained");
  driver().Seen.calls_after_death += D.Told;
  if (!--D.Retained && D.Gpu)
    destroy(C, D);
  return C.Result;
}

ag_cu_result cuDevicePrimaryCtxReset_v2(ag_cu_device Number) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.exists(Number) && driver().Devices[Number].Gpu)
    destroy(C, driver().Devices[Number]);
  return C.Result;
}

ag_cu_result cuCtxPushCurrent_v2(ag_cu_context Context) {
  Call C(__func__, Needs::Init);
  if (C.failed())
    return C.Result;
  for (Device &D : driver().Devices)
    if (handleOf(&D) == Context && D.Gpu) {
      driver().Seen.calls_after_death += D.Told;
      contextStack().push_back(&D);
      // The API allows it, but who pushes and does not pop does so for ever.
      if (contextStack().size() > 64)
        C.misuse(AG_CU_SUCCESS, "a thread has pushed 64 contexts more than it "
                                "has popped");
      return C.Result;
    }
  return C.misuse(AG_CU_INVALID_CONTEXT, "no context, or a destroyed one");
}

ag_cu_result cuCtxPopCurrent_v2(ag_cu_context *Context) {
  Call C(__func__, Needs::Init);
  if (C.failed())
    return C.Result;
  if (!current())
    return C.misuse(AG_CU_INVALID_CONTEXT, "no context is current");
  driver().Seen.calls_after_death += current()->Told;
  if (Context)
    *Context = handleOf(current());
  contextStack().pop_back();
  return C.Result;
}

ag_cu_result cuCtxSynchronize() {
  Call C(__func__, Needs::Context);
  if (C.failed())
    return C.Result;
  C.Here->drain(C.Held);
  C.Here->flush();
  return C.Result = C.Here->Dead;
}

ag_cu_result cuCtxGetLimit(size_t *Value, int Limit) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Value))
    return C.Result;
  if (Limit != AG_CU_LIMIT_STACK_SIZE && Limit != LimitPrintfFifo)
    return C.misuse(AG_CU_INVALID_VALUE, format("no limit %d", Limit));
  *Value =
      Limit == LimitPrintfFifo ? C.Here->PrintfBytes : C.Here->Gpu->StackBytes;
  return C.Result;
}

ag_cu_result cuCtxSetLimit(int Limit, size_t Value) {
  Call C(__func__, Needs::Context);
  if (C.failed())
    return C.Result;
  Device &D = *C.Here;
  if (Limit == LimitPrintfFifo) {
    if (D.HasPrinted)
      return C.misuse(AG_CU_INVALID_VALUE, "a kernel has printed already");
    D.PrintfBytes = Value;
    return C.Result;
  }
  if (Limit != AG_CU_LIMIT_STACK_SIZE)
    return C.misuse(AG_CU_INVALID_VALUE, format("no limit %d", Limit));
  D.drain(C.Held);
  if (D.Dead)
    return C.Result = D.Dead;
  std::lock_guard<Turn> L(D.Using);
  // As the hardware: what is too much becomes what there is.
  D.Gpu->StackBytes = std::min<size_t>((Value + 15) & ~size_t(15), 512 << 10);
  return C.Result;
}
