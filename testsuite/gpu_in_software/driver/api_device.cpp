// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors, devices, contexts and their limits.

#include "driver.h"
#include <climits>
#include <cstdio>
#include <cstring>

using namespace gpu_in_software;

namespace {
struct Known {
  ag_cu_result Result;
  const char *Name, *Text;
};
} // namespace

static const Known *known(ag_cu_result Result) {
  static const Known All[] = {
      {0, "CUDA_SUCCESS", "all is well"},
      {1, "CUDA_ERROR_INVALID_VALUE", "a parameter has no sensible value"},
      {2, "CUDA_ERROR_OUT_OF_MEMORY", "not enough memory is left"},
      {3, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised"},
      {4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"},
      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is not available"},
      {100, "CUDA_ERROR_NO_DEVICE", "there is no device"},
      {101, "CUDA_ERROR_INVALID_DEVICE", "there is no such device"},
      {201, "CUDA_ERROR_INVALID_CONTEXT", "no context, or a wrong one"},
      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no code for this device"},
      {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "memory has lost its contents"},
      {218, "CUDA_ERROR_INVALID_PTX", "the PTX does not compile"},
      {400, "CUDA_ERROR_INVALID_HANDLE", "what was named does not exist"},
      {500, "CUDA_ERROR_NOT_FOUND", "there is nothing of this name"},
      {600, "CUDA_ERROR_NOT_READY", "not complete yet"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel used a wrong address"},
      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too large a block"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel took too long"},
      {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is destroyed"},
      {710, "CUDA_ERROR_ASSERT", "an assertion of a kernel failed"},
      {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
       "the memory, or a part of it, is registered already"},
      {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
       "the memory is not registered"},
      {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the stack is broken"},
      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "no such instruction"},
      {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "an address is not aligned"},
      {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "the wrong address space"},
      {718, "CUDA_ERROR_INVALID_PC", "there is no code there"},
      {719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"},
      {999, "CUDA_ERROR_UNKNOWN", "nobody knows"},
  };
  for (const Known &K : All)
    if (K.Result == Result)
      return &K;
  return nullptr;
}

ag_cu_result cuGetErrorName(ag_cu_result Error, const char **Text) {
  const Known *K = known(Error);
  *Text = K ? K->Name : nullptr;
  return K ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE;
}

ag_cu_result cuGetErrorString(ag_cu_result Error, const char **Text) {
  const Known *K = known(Error);
  *Text = K ? K->Text : nullptr;
  return K ? AG_CU_SUCCESS : AG_CU_INVALID_VALUE;
}

ag_cu_result cuInit(unsigned Flags) {
  Driver &D = driver();
  std::string Wrong;
  {
    // Before the call is counted: the settings tell whether it is to fail.
    std::lock_guard<std::mutex> L(D.Lock);
    static bool Read = false;
    if (!Read)
      Wrong = D.Wanted.read();
    Read = Wrong.empty();
  }
  Call C(__func__, Needs::Nothing);
  if (!Wrong.empty()) {
    say(Wrong);
    return AG_CU_INVALID_VALUE;
  }
  if (!C.failed() && Flags)
    C.misuse(AG_CU_INVALID_VALUE, "flags must be 0");
  if (!C.failed() && !D.Wanted.Devices)
    C.Result = AG_CU_NO_DEVICE;
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
  switch (Attribute) {
  case AG_CU_MAX_THREADS_PER_BLOCK:
    *Value = 1024;
    break;
  case AG_CU_MAX_GRID_DIM_X:
    *Value = INT_MAX;
    break;
  case 10: // CU_DEVICE_ATTRIBUTE_WARP_SIZE
    *Value = 32;
    break;
  case AG_CU_MULTIPROCESSOR_COUNT:
    *Value = static_cast<int>(O.Multiprocessors);
    break;
  case AG_CU_COMPUTE_MODE:
  case AG_CU_PCI_DOMAIN_ID:
    *Value = 0;
    break;
  case AG_CU_PCI_BUS_ID:
    *Value = 0x50;
    break;
  case AG_CU_PCI_DEVICE_ID:
    *Value = Device;
    break;
  case AG_CU_COMPUTE_CAPABILITY_MAJOR:
    *Value = O.Major;
    break;
  case AG_CU_COMPUTE_CAPABILITY_MINOR:
    *Value = O.Minor;
    break;
  default:
    C.misuse(AG_CU_INVALID_VALUE, format("no attribute %d", Attribute));
  }
  return C.Result;
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
  driver().LeftBehind += static_cast<unsigned>(Left);
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
      contextStack().push_back(&D);
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
  if (Context)
    *Context = handleOf(current());
  contextStack().pop_back();
  return C.Result;
}

ag_cu_result cuCtxGetCurrent(ag_cu_context *Context) {
  Call C(__func__, Needs::Init);
  if (!C.failed() && C.stores(Context))
    *Context = current() ? handleOf(current()) : nullptr;
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
  *Value = Limit == LimitPrintfFifo ? C.Here->PrintfBytes
                                    : C.Here->Gpu->StackBytes;
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
