// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signals with which a user, a timer or a limit (ulimit -t, -f) ends a
// command; for the launcher and the compiler proper.

#ifndef AGGLOM_SUPPORT_INTERRUPTS_H
#define AGGLOM_SUPPORT_INTERRUPTS_H

#include <csignal>

namespace agglom {

constexpr int Interrupts[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM,
                              SIGALRM, SIGVTALRM, SIGXCPU, SIGXFSZ};

/// The signal that a started program is sent for \p Interrupt. Clang takes some
/// signals for a crash and asks for a report; on others it leaves its files.
inline int interruptForStep(int Interrupt) {
  return Interrupt == SIGHUP || Interrupt == SIGINT ? Interrupt : SIGTERM;
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_INTERRUPTS_H
