// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LargeStack.h"
#include <csignal>
#include <cstdlib>
#include <pthread.h>

namespace agglom {

/// Runs a body with a stack of its own for handlers of signals: one that runs
/// out of stack can tell only there.
static void *call(void *Body) {
  stack_t Own = {}, Before = {};
  Own.ss_size = 256 << 10;
  Own.ss_sp = std::malloc(Own.ss_size);
  bool Has = Own.ss_sp && !sigaltstack(&Own, &Before);
  (*static_cast<llvm::function_ref<void()> *>(Body))();
  if (Has)
    sigaltstack(&Before, nullptr);
  std::free(Own.ss_sp);
  return nullptr;
}

void onLargeStack(llvm::function_ref<void()> Body) {
  // Less where the address space is limited.
  for (size_t Size : {2048UL << 20, 512UL << 20, 64UL << 20}) {
    pthread_attr_t Attributes;
    pthread_t Thread;
    if (pthread_attr_init(&Attributes))
      break;
    bool Runs = !pthread_attr_setstacksize(&Attributes, Size) &&
                !pthread_create(&Thread, &Attributes, call, &Body);
    pthread_attr_destroy(&Attributes);
    if (!Runs)
      continue;
    pthread_join(Thread, nullptr);
    return;
  }
  Body();
}

} // namespace agglom
