// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_EXEC_RANDOM_H
#define GPU_IN_SOFTWARE_EXEC_RANDOM_H

#include <cstdint>

namespace gpu_in_software::machine {

/// Numbers drawn from a seed (xorshift64*), the same on every machine.
class Random {
public:
  explicit Random(uint64_t Seed)
      : State((Seed + 1) * 0x9E3779B97F4A7C15ull | 1) {}
  uint64_t next() {
    State ^= State >> 12;
    State ^= State << 25;
    State ^= State >> 27;
    return State * 0x2545F4914F6CDD1Dull >> 16;
  }
  uint64_t below(uint64_t N) { return next() % N; }

private:
  uint64_t State;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_RANDOM_H
