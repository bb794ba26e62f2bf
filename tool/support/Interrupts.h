// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signals with which a user ends a command; for the launcher and the
// compiler proper.

#ifndef AGGLOM_SUPPORT_INTERRUPTS_H
#define AGGLOM_SUPPORT_INTERRUPTS_H

#include <csignal>

namespace agglom {

constexpr int Interrupts[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// What a program that we started is sent for \p Interrupt: Clang takes SIGQUIT
/// for a crash, and asks for a report.
inline int interruptForStep(int Interrupt) {
  return Interrupt == SIGQUIT ? SIGTERM : Interrupt;
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_INTERRUPTS_H
