// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of devices and of the host, and copies.

#include "Driver.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace gpu_in_software;
using namespace gpu_in_software::api;

ag_cu_result cuMemGetInfo_v2(size_t *Available, size_t *Total) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Available) || !C.stores(Total))
    return C.Result;
  std::lock_guard<Turn> L(C.Here->Using);
  *Total = driver().Wanted.Device.MemoryBytes;
  *Available = *Total - std::min(*Total, C.Here->Gpu->used());
  return C.Result;
}

ag_cu_result cuMemAlloc_v2(ag_cu_ptr *Ptr, size_t Bytes) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Ptr))
    return C.Result;
  if (!Bytes)
    return C.misuse(AG_CU_INVALID_VALUE, "an allocation of no bytes");
  Device &D = *C.Here;
  std::lock_guard<Turn> L(D.Using);
  Address At = D.Gpu->allocate(Bytes);
  if (!At)
    return C.Result = AG_CU_OUT_OF_MEMORY;
  D.Memory[At] = Bytes;
  // No byte of it counts as freed any more.
  auto I = D.Freed.upper_bound(At);
  if (I != D.Freed.begin() && std::prev(I)->first + std::prev(I)->second > At)
    --I;
  while (I != D.Freed.end() && I->first < At + Bytes)
    I = D.Freed.erase(I);
  *Ptr = At;
  return C.Result;
}

ag_cu_result cuMemFree_v2(ag_cu_ptr Ptr) {
  Call C(__func__, Needs::Context);
  if (C.failed())
    return C.Result;
  // Not by an address of another device: contexts do not share memory.
  Device &D = *C.Here;
  auto I = D.Memory.find(Ptr);
  if (I == D.Memory.end()) {
    if (C.onDevice(D, Ptr, 0, "memory to free"))
      C.misuse(AG_CU_INVALID_VALUE,
               format("0x%llx is not where an allocation begins", Ptr));
    return C.Result;
  }
  D.Freed[Ptr] = I->second;
  D.Memory.erase(I);
  // It is not before the device has done all that might use it.
  D.drain(C.Held);
  if (D.Dead)
    return C.Result = D.Dead;
  std::lock_guard<Turn> L(D.Using);
  D.Gpu->release(Ptr);
  return C.Result;
}

// --- Memory of the host -----------------------------------------------------

ag_cu_result cuMemHostAlloc(void **Ptr, size_t Bytes, unsigned Flags) {
  Call C(__func__, Needs::Context);
  if (C.failed() || !C.stores(Ptr))
    return C.Result;
  if (!Bytes || Flags > 7)
    return C.misuse(AG_CU_INVALID_VALUE, "no bytes, or an unknown flag");
  // Whoever uses it when it is freed is to see that.
  void *Memory = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Memory == MAP_FAILED)
    return C.Result = AG_CU_OUT_OF_MEMORY;
  // All of it would take as long as the rest of most tests.
  std::memset(Memory, 0xAA, std::min<size_t>(Bytes, 1 << 18));
  driver().Host[reinterpret_cast<uintptr_t>(Memory)] = {C.Here, Bytes, false};
  *Ptr = Memory;
  return C.Result;
}

/// Memory of the host is to be forgotten; what still uses it is waited for, as
/// the driver does, but nobody promises that it does.
/// \returns how many bytes it was.
static size_t forget(Call &C, void *Ptr, bool Registered) {
  auto &Host = driver().Host;
  auto At = reinterpret_cast<uintptr_t>(Ptr);
  auto I = Host.find(At);
  if (I == Host.end() || I->second.Registered != Registered) {
    C.misuse(Registered ? ag_cu_result(HostMemoryNotRegistered) : 1,
             format("%p has not been %s", Ptr,
                    Registered ? "registered" : "allocated so"));
    return 0;
  }
  size_t Bytes = I->second.Bytes;
  Host.erase(I);
  for (Device &D : driver().Devices) {
    bool Used = false;
    for (const std::shared_ptr<Stream> &S : D.Streams)
      for (const OperationRef &O : S->Queue)
        Used |= O->reaches(At, Bytes);
    if (!Used)
      continue;
    C.misuse(AG_CU_SUCCESS, format("a copy still uses %p", Ptr));
    D.drain(C.Held);
  }
  return Bytes;
}

ag_cu_result cuMemFreeHost(void *Ptr) {
  Call C(__func__, Needs::Context);
  size_t Bytes = C.failed() ? 0 : forget(C, Ptr, false);
  if (Bytes)
    munmap(Ptr, Bytes);
  return C.Result;
}

ag_cu_result cuMemHostRegister_v2(void *Ptr, size_t Bytes, unsigned Flags) {
  Call C(__func__, Needs::Context);
  if (C.failed())
    return C.Result;
  if (!Ptr || !Bytes || Flags > 15)
    return C.misuse(AG_CU_INVALID_VALUE, "no memory, or an unknown flag");
  auto At = reinterpret_cast<uintptr_t>(Ptr);
  for (const auto &H : driver().Host)
    if (H.first < At + Bytes && At < H.first + H.second.Bytes)
      return C.Result = HostMemoryAlreadyRegistered;
  driver().Host[At] = {C.Here, Bytes, true};
  return C.Result;
}

ag_cu_result cuMemHostUnregister(void *Ptr) {
  Call C(__func__, Needs::Context);
  if (!C.failed())
    forget(C, Ptr, true);
  return C.Result;
}

// --- Copies -----------------------------------------------------------------

/// Rows between the host and a device, or within one.
static ag_cu_result copy(Call &C, Side To, Side From, size_t Width, size_t Rows,
                         ag_cu_stream Handle) {
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(Handle, S))
    return C.Result;
  if (!Width || !Rows)
    return C.Result;
  if (Rows > 1 && (To.Pitch < Width || From.Pitch < Width))
    return C.misuse(AG_CU_INVALID_VALUE, "rows that are wider than the pitch");
  Device &D = *S->Of;
  auto O = std::make_unique<Copy>(To, From, Width, Rows);
  const Pinned *In = nullptr;
  for (const Side *Each : {&To, &From}) {
    const char *What = Each == &To ? "destination" : "source";
    if (Each->OnDevice ? !C.onDevice(D, Each->At, O->span(*Each), What)
                       : !C.onHost(Each->At, O->span(*Each), In))
      return C.Result;
  }
  auto &Seen = driver().Seen;
  if (!From.OnDevice)
    ++(!In              ? Seen.pageable_copies
       : In->Registered ? Seen.direct_copies
                        : Seen.staged_copies);
  // Pageable memory: what goes in is staged now, what comes out is waited for.
  bool Waits = !In && From.OnDevice && !To.OnDevice;
  if (!In && !From.OnDevice)
    O->stage();
  OperationRef Op = D.enqueue(*S, std::move(O));
  return Waits ? C.await(D, Op) : C.Result;
}

static Side hostSide(const void *At) {
  return {false, reinterpret_cast<uintptr_t>(At), 0};
}

ag_cu_result cuMemcpyHtoDAsync_v2(ag_cu_ptr Dst, const void *Src, size_t Bytes,
                                  ag_cu_stream Stream) {
  Call C(__func__, Needs::Context);
  return copy(C, {true, Dst, 0}, hostSide(Src), Bytes, 1, Stream);
}

ag_cu_result cuMemcpyDtoHAsync_v2(void *Dst, ag_cu_ptr Src, size_t Bytes,
                                  ag_cu_stream Stream) {
  Call C(__func__, Needs::Context);
  return copy(C, hostSide(Dst), {true, Src, 0}, Bytes, 1, Stream);
}

ag_cu_result cuMemcpyDtoDAsync_v2(ag_cu_ptr Dst, ag_cu_ptr Src, size_t Bytes,
                                  ag_cu_stream Stream) {
  Call C(__func__, Needs::Context);
  return copy(C, {true, Dst, 0}, {true, Src, 0}, Bytes, 1, Stream);
}

static Side rowsSide(const ag_cu_side &S, size_t Width) {
  bool OnDevice = S.type == AG_CU_MEMORYTYPE_DEVICE;
  size_t Pitch = S.pitch ? S.pitch : Width;
  uint64_t At = OnDevice ? S.device : reinterpret_cast<uintptr_t>(S.host);
  return {OnDevice, At + S.y * Pitch + S.x_bytes, Pitch};
}

ag_cu_result cuMemcpy2DAsync_v2(const ag_cu_rows *Rows, ag_cu_stream Stream) {
  Call C(__func__, Needs::Context);
  if (C.failed())
    return C.Result;
  for (const ag_cu_side *S : {&Rows->src, &Rows->dst})
    if ((S->type != AG_CU_MEMORYTYPE_DEVICE &&
         S->type != AG_CU_MEMORYTYPE_HOST) ||
        (S->pitch && S->pitch < S->x_bytes + Rows->width_bytes))
      return C.misuse(AG_CU_INVALID_VALUE, "no such memory, or pitch");
  Side To = rowsSide(Rows->dst, Rows->width_bytes);
  Side From = rowsSide(Rows->src, Rows->width_bytes);
  if (!To.OnDevice && !From.OnDevice)
    return C.misuse(AG_CU_INVALID_VALUE, "a copy within the host's memory");
  return copy(C, To, From, Rows->width_bytes, Rows->height, Stream);
}

ag_cu_result cuMemsetD8Async(ag_cu_ptr Dst, unsigned char Byte, size_t Bytes,
                             ag_cu_stream Handle) {
  Call C(__func__, Needs::Context);
  std::shared_ptr<Stream> S;
  if (C.failed() || !C.find(Handle, S) || !Bytes ||
      !C.onDevice(*S->Of, Dst, Bytes, "destination"))
    return C.Result;
  S->Of->enqueue(*S, std::make_unique<Fill>(Dst, Byte, Bytes));
  return C.Result;
}
