// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_MEMORY_WEAK_H
#define GPU_IN_SOFTWARE_MEMORY_WEAK_H

#include "../exec/Random.h"
#include "Memory.h"
#include <array>
#include <unordered_map>

namespace gpu_in_software::machine {

/// Global memory as one block sees it under Options::Weak: plain stores wait
/// here and reach memory one by one, in any order; plain loads may find what
/// was in memory some time ago. A fence of a thread sends off what it has
/// stored itself and what others had stored before a barrier, and forgets what
/// is old.
class WeakView {
public:
  uint64_t load(Memory &M, Random &Chance, Address At, unsigned Bytes);
  void store(Memory &M, Random &Chance, Address At, unsigned Bytes,
             uint64_t Value, unsigned Thread);
  /// For accesses that act on memory itself: what is here about these bytes
  /// goes there first.
  void settle(Memory &M, Address At);
  void fence(Memory &M, unsigned Thread);
  /// Threads have met: what one of them stored, a fence of any sends off.
  void meet() { ++Epoch; }
  /// Sends off one store.
  void drift(Memory &M, Random &Chance);
  void drain(Memory &M);
  bool empty() const { return Cells.empty(); }
  void clear() { *this = WeakView(); }

private:
  enum : unsigned { LineBytes = 32, MostCells = 128, MostLines = 256 };
  struct Cell { // 8 bytes
    Address At;
    unsigned char Bytes[8];
    uint8_t Mask; // of those that are stored
    bool Mixed;   // by several threads
    unsigned Thread;
    uint64_t Epoch;
  };
  void send(Memory &M, size_t Index);
  std::vector<Cell> Cells;
  std::unordered_map<Address, size_t> Where; // of cells
  std::unordered_map<Address, std::array<unsigned char, LineBytes>> Lines;
  uint64_t Epoch = 0;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_MEMORY_WEAK_H
