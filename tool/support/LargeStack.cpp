// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LargeStack.h"
#include <csignal>
#include <cstdlib>
#include <pthread.h>

namespace agglom {

namespace {
struct Call {
  llvm::function_ref<void()> Body;
  sigset_t Signals; ///< blocked in it
};
} // namespace

/// Runs a body with a separate stack for signal handlers: after a stack
/// overflow only there a handler can report it.
static void *call(void *Given) {
  auto *C = static_cast<Call *>(Given);
  pthread_sigmask(SIG_SETMASK, &C->Signals, nullptr);
  stack_t Own = {}, Before = {};
  Own.ss_size = 256 << 10;
  Own.ss_sp = std::malloc(Own.ss_size);
  bool Has = Own.ss_sp && !sigaltstack(&Own, &Before);
  C->Body();
  if (Has)
    sigaltstack(&Before, nullptr);
  std::free(Own.ss_sp);
  return nullptr;
}

void onLargeStack(llvm::function_ref<void()> Body) {
  // Signals are blocked in this thread and handled in that one: a handler that
  // stops started programs must not run beside it.
  Call C{Body, {}};
  sigset_t All;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &C.Signals);
  bool Runs = false;
  // A smaller stack where the address space is limited.
  for (size_t Size : {2048UL << 20, 512UL << 20, 64UL << 20}) {
    pthread_attr_t Attributes;
    pthread_t Thread;
    if (pthread_attr_init(&Attributes))
      break;
    Runs = !pthread_attr_setstacksize(&Attributes, Size) &&
           !pthread_create(&Thread, &Attributes, call, &C);
    pthread_attr_destroy(&Attributes);
    if (Runs) {
      pthread_join(Thread, nullptr);
      break;
    }
  }
  pthread_sigmask(SIG_SETMASK, &C.Signals, nullptr);
  if (!Runs)
    Body();
}

} // namespace agglom
