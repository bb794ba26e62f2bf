// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_MEMORY_READONLY_H
#define GPU_IN_SOFTWARE_MEMORY_READONLY_H

#include "../machine.h"
#include <unordered_map>

namespace gpu_in_software::machine {

/// ld.global.nc promises that the kernel writes the bytes nowhere. Remembers
/// what one launch has read so and what it has written.
class ReadOnlyWatch {
public:
  /// At most 16 bytes, aligned to their number. False: it was written, too.
  bool read(Address At, unsigned Bytes) { return note(At, Bytes, 0); }
  bool write(Address At, unsigned Bytes) { return note(At, Bytes, 1); }

private:
  bool note(Address At, unsigned Bytes, unsigned Side) {
    uint64_t Bits = ((uint64_t(1) << Bytes) - 1) << At % 64;
    auto &Line = Lines[At / 64];
    Line[Side] |= Bits;
    return !(Line[1 - Side] & Bits);
  }
  struct Line {
    uint64_t Bits[2] = {};
    uint64_t &operator[](unsigned Side) { return Bits[Side]; }
  };
  std::unordered_map<uint64_t, Line> Lines;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_MEMORY_READONLY_H
