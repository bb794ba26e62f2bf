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

/// What a program that we started is sent for \p Interrupt: Clang takes some
/// for a crash, and asks for a report; of others its files stay.
inline int interruptForStep(int Interrupt) {
  return Interrupt == SIGHUP || Interrupt == SIGINT ? Interrupt : SIGTERM;
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_INTERRUPTS_H
