// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory of a device. Its addresses are no addresses of the host:
// x86-64 and AArch64 map nothing between 2^47 and 2^63 for a program.
#ifndef GPU_IN_SOFTWARE_MEMORY_MEMORY_H
#define GPU_IN_SOFTWARE_MEMORY_MEMORY_H

#include "../machine.h"
#include <deque>
#include <map>

namespace gpu_in_software::machine {

/// What is not global memory has tags of its own in the top 16 bits of generic
/// addresses. Each machine's global memory has one of 1, 2, 3 ...
enum : uint64_t {
  SharedTag = uint64_t(0x7FF1) << 48,
  LocalTag = uint64_t(0x7FF2) << 48,
  ParamTag = uint64_t(0x7FF3) << 48,
  CodeTag = uint64_t(0x7FF4) << 48,
  TagMask = uint64_t(0xFFFF) << 48,
};

/// What fresh memory and registers hold: no small number, no address and no
/// ordinary floating-point value.
enum : unsigned char { Poison = 0xFB };

/// 0x1f
std::string hex(uint64_t V);

class Memory {
public:
  Memory(size_t Capacity, bool Track);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  Address allocate(size_t Bytes);
  bool release(Address At);
  size_t used() const { return Used; }
  bool inside(Address At, size_t Bytes) const;
  /// Where so many bytes lie, all of them in one allocation; null: they do
  /// not.
  unsigned char *bytes(Address At, size_t Bytes) const;
  /// "0x... is 4 bytes behind an allocation of 80 bytes at 0x...".
  std::string describe(Address At) const;
  /// Whether each byte was ever written; null: nobody asked for it.
  unsigned char *written(const unsigned char *Bytes) const {
    return Written ? Written + (Bytes - Backing) : nullptr;
  }

  /// An access of at most 16 bytes, aligned to its size: null where bytes()
  /// has to look closer.
  unsigned char *quick(Address At, unsigned Bytes) const {
    uint64_t Off = At - Base;
    if (Off < Range && (Off % Granule) + Bytes <= Valid[Off / Granule])
      return Backing + Off;
    return nullptr;
  }
  bool owns(Address At) const { return At - Base < Range; }

private:
  enum : size_t { Granule = 256, Chunk = size_t(1) << 16 };
  using Allocations = std::map<Address, size_t>;
  Allocations::const_iterator holder(Address At) const;
  size_t room(size_t Bytes) const;
  void prepare(Address Begin, size_t Size, Address At, size_t Bytes) const;

  const size_t Capacity;
  const Address Base;
  const size_t Range; // addresses are not used again soon
  unsigned char *Backing, *Written = nullptr;
  /// Of each 256 bytes, how many of them are allocated and poisoned. Large
  /// allocations become so a piece at a time, when they are used.
  uint16_t *Valid;
  Allocations Held;
  std::deque<std::pair<Address, size_t>> Freed; // of late, for messages
  Address Next;
  size_t Used = 0;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_MEMORY_MEMORY_H
