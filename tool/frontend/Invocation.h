// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a Unit to a Clang compiler instance that is ready to run an action.

#ifndef AGGLOM_FRONTEND_INVOCATION_H
#define AGGLOM_FRONTEND_INVOCATION_H

#include "Unit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include <functional>

namespace agglom {

enum class Talk { Silent, Aloud };

/// Runs \p Action over \p U. \p Adjust may change the invocation first.
/// \p Listener is told the diagnostics instead of the user.
/// \returns false when the command line or the unit had errors.
bool runAction(
    const Unit &U, Talk T, clang::FrontendAction &Action,
    const std::function<void(clang::CompilerInvocation &)> &Adjust = {},
    clang::DiagnosticConsumer *Listener = nullptr);

} // namespace agglom

#endif // AGGLOM_FRONTEND_INVOCATION_H
