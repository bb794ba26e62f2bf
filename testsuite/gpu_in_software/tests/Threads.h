// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_TESTS_THREADS_H
#define GPU_IN_SOFTWARE_TESTS_THREADS_H

#include "Test.h"

namespace test {

/// Each order of threads, several seeds of a random one, blocks in each order,
/// and memory that is weak or not.
template <class Fn> void everyOrder(Fn F) {
  for (Order T : {Order::InOrder, Order::Reverse, Order::WarpByWarp,
                  Order::Random, Order::Random, Order::Random})
    for (Order B : {Order::InOrder, Order::Reverse, Order::Random})
      for (bool Weak : {false, true}) {
        Options O;
        static uint64_t Seeds = 0;
        O.Seed = ++Seeds;
        O.Threads = T;
        O.Blocks = B;
        O.Weak = Weak;
        O.MemoryBytes = 1 << 24;
        F(O);
      }
}

// Of Blocks.cpp.
void chains();
void weakMemory();
void coherence();
void resting();
void notWaiting();

// Of Bounded.cpp.
void boundedMemory();

} // namespace test

#endif // GPU_IN_SOFTWARE_TESTS_THREADS_H
