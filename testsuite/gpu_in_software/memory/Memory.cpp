// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Memory.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace gpu_in_software::machine {

/// Memory that costs nothing until it is touched, and is 0 then.
static void *reserve(size_t Bytes) {
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    throw std::bad_alloc();
  return P;
}

static Address nextBase() {
  static std::atomic<uint64_t> Machines{0};
  return (Machines++ % 0x7000 + 1) << 48 | 0x10000000;
}

Memory::Memory(size_t Capacity, bool Track)
    : Capacity(Capacity), Base(nextBase()),
      Range((Capacity + Chunk) / Chunk * Chunk * 4),
      Backing(static_cast<unsigned char *>(reserve(Range))),
      Valid(static_cast<uint16_t *>(reserve(Range / Granule * 2))),
      Next(Base + Chunk) {
  if (Track)
    Written = static_cast<unsigned char *>(reserve(Range));
}

Memory::~Memory() {
  munmap(Backing, Range);
  munmap(Valid, Range / Granule * 2);
  if (Written)
    munmap(Written, Range);
}

/// What an allocation takes: at least one granule behind it stays free, so
/// that whoever runs over its end is caught.
size_t Memory::room(size_t Bytes) const {
  return (Bytes + Granule - 1) / Granule * Granule + Granule;
}

Address Memory::allocate(size_t Bytes) {
  if (!Bytes || Bytes > Capacity - Used)
    return 0;
  size_t Need = room(Bytes);
  // The first gap behind what was allocated last; at the end, from the start.
  for (unsigned Pass = 0; Pass < 2; ++Pass, Next = Base + Chunk) {
    for (auto It = Held.lower_bound(Next);; ++It) {
      Address End = It == Held.end() ? Base + Range : It->first;
      if (End - Next >= Need) {
        Address At = Next;
        Held[At] = Bytes;
        Used += Bytes;
        Next += Need;
        return At;
      }
      if (It == Held.end())
        break;
      Next = It->first + room(It->second);
    }
  }
  return 0;
}

bool Memory::release(Address At) {
  auto It = Held.find(At);
  if (It == Held.end())
    return false;
  size_t Bytes = It->second, Off = At - Base;
  Used -= Bytes;
  memset(Valid + Off / Granule, 0, room(Bytes) / Granule * 2);
  // What is whole pages goes back to the host, and is 0 again.
  size_t First = std::min((Off + Chunk - 1) / Chunk * Chunk, Off + Bytes);
  size_t Last = std::max((Off + Bytes) / Chunk * Chunk, First);
  madvise(Backing + First, Last - First, MADV_DONTNEED);
  if (Written) {
    memset(Written + Off, 0, First - Off);
    madvise(Written + First, Last - First, MADV_DONTNEED);
    memset(Written + Last, 0, Off + Bytes - Last);
  }
  Held.erase(It);
  Freed.emplace_back(At, Bytes);
  if (Freed.size() > 64)
    Freed.pop_front();
  return true;
}

Memory::Allocations::const_iterator Memory::holder(Address At) const {
  auto It = Held.upper_bound(At);
  if (It == Held.begin())
    return Held.end();
  --It;
  return At - It->first < It->second ? It : Held.end();
}

bool Memory::inside(Address At, size_t Bytes) const {
  auto It = holder(At);
  return It != Held.end() && Bytes <= It->second - (At - It->first);
}

/// Poisons those pieces of an allocation that hold these bytes and that were
/// not used before.
void Memory::prepare(Address Begin, size_t Size, Address At,
                     size_t Bytes) const {
  size_t Start = Begin - Base, End = Start + Size;
  size_t Piece = std::max((At - Base) / Chunk * Chunk, Start);
  while (Piece < At - Base + Bytes) {
    size_t Stop = std::min((Piece / Chunk + 1) * Chunk, End);
    if (!Valid[Piece / Granule]) {
      memset(Backing + Piece, Poison, Stop - Piece);
      for (size_t G = Piece; G < Stop; G += Granule)
        Valid[G / Granule] =
            static_cast<uint16_t>(std::min<size_t>(Granule, Stop - G));
    }
    Piece = Stop;
  }
}

unsigned char *Memory::bytes(Address At, size_t Bytes) const {
  auto It = holder(At);
  if (It == Held.end() || Bytes > It->second - (At - It->first))
    return nullptr;
  prepare(It->first, It->second, At, Bytes);
  return Backing + (At - Base);
}

std::string hex(uint64_t V) {
  char Text[24];
  snprintf(Text, sizeof Text, "0x%llx", static_cast<unsigned long long>(V));
  return Text;
}

std::string Memory::describe(Address At) const {
  auto Of = [](Address A, size_t N) {
    return "an allocation of " + std::to_string(N) + " bytes at " + hex(A);
  };
  std::string Text = hex(At) + " is ";
  if (At < 4096)
    return Text + "a null pointer";
  if (At < uint64_t(1) << 47)
    return Text + "an address of the host";
  if (!owns(At))
    return Text + "no address of this device";
  for (auto It = Freed.rbegin(); It != Freed.rend(); ++It)
    if (At - It->first < It->second && holder(At) == Held.end())
      return Text + "in freed memory, " + Of(It->first, It->second);
  auto After = Held.upper_bound(At);
  size_t Behind = SIZE_MAX, Before = SIZE_MAX;
  auto Low = After;
  if (After != Held.begin()) {
    --Low;
    if (At - Low->first < Low->second)
      return Text + "near the end of " + Of(Low->first, Low->second);
    Behind = At - Low->first - Low->second;
  }
  if (After != Held.end())
    Before = After->first - At;
  if (Behind == SIZE_MAX && Before == SIZE_MAX)
    return Text + "in no allocation, for there are none";
  if (Behind <= Before)
    return Text + std::to_string(Behind) + " bytes behind " +
           Of(Low->first, Low->second);
  return Text + std::to_string(Before) + " bytes before " +
         Of(After->first, After->second);
}

} // namespace gpu_in_software::machine
