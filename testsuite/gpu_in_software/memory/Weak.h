// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_MEMORY_WEAK_H
#define GPU_IN_SOFTWARE_MEMORY_WEAK_H

#include "../exec/Random.h"
#include "Memory.h"
#include <array>
#include <unordered_map>

namespace gpu_in_software::machine {

enum : unsigned { LineBytes = 32 };
using Line = std::array<unsigned char, LineBytes>;

/// What lines of memory held in the course of a launch, before plain stores
/// reached them.
class Past {
public:
  uint64_t now() const { return Now; }
  bool holds(Address Line) const { return Lines.count(Line) != 0; }
  /// The line is about to change.
  void keep(Address At, const unsigned char *Bytes);
  /// What it held at some time after that one; null: what it holds now.
  const Line *since(Address At, uint64_t Time, Random &Chance) const;

private:
  enum : size_t { MostLines = 1 << 16, MostVersions = 4 };
  struct Version {
    uint64_t Until;
    Line Bytes;
  };
  std::unordered_map<Address, std::vector<Version>> Lines;
  uint64_t Now = 0;
};

/// Global memory as one block sees it under Options::Weak: plain stores wait
/// here and reach memory one by one, in any order; plain loads may find what
/// was in memory at any time since the block's last fence. A fence of a thread
/// sends off what it has stored itself and what others had stored before a
/// barrier, and forgets what is old.
class WeakView {
public:
  explicit WeakView(Past *Before = nullptr) : Before(Before) {}
  uint64_t load(Memory &M, Random &Chance, Address At, unsigned Bytes);
  void store(Memory &M, Random &Chance, Address At, unsigned Bytes,
             uint64_t Value, unsigned Thread);
  /// For accesses that act on memory itself: what is here about these bytes
  /// goes there first.
  void settle(Memory &M, Address At);
  void fence(Memory &M, unsigned Thread);
  /// A fence for the block alone: what the thread has stored, a fence of any
  /// thread sends off.
  void blockFence(unsigned Thread);
  /// Threads have met: what one of them stored, a fence of any sends off.
  void meet() { ++Epoch; }
  /// Sends off one store.
  void drift(Memory &M, Random &Chance);
  void drain(Memory &M);
  /// What is read from here on is what memory holds, or will hold.
  void forget();
  bool empty() const { return Cells.empty(); }

private:
  enum : unsigned { MostCells = 128, MostLines = 256, MostKnown = 4096 };
  struct Cell { // 8 bytes
    Address At;
    unsigned char Bytes[8];
    uint8_t Mask; // of those that are stored
    bool Mixed;   // by several threads, or before a barrier and behind it
    unsigned Thread;
    uint64_t Epoch;
  };
  void send(Memory &M, size_t Index);
  std::vector<Cell> Cells;
  std::unordered_map<Address, size_t> Where; // of cells
  std::unordered_map<Address, Line> Lines;
  /// Since when a line must not be seen as it was, where that is later than
  /// the last fence: this block has changed it, or acted on memory itself.
  std::unordered_map<Address, uint64_t> Known;
  Past *Before;
  uint64_t Epoch = 0, Fenced = 0;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_MEMORY_WEAK_H
