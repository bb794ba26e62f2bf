// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds a bracket that is missing in a pragma: every place where one could be
// inserted is tried, and a fix-it is proposed when exactly one makes a
// directive.

#ifndef AGGLOM_FRONTEND_BRACKETS_H
#define AGGLOM_FRONTEND_BRACKETS_H

#include "PragmaHandler.h"
#include "clang/Basic/Diagnostic.h"

namespace clang {
class Preprocessor;
} // namespace clang

namespace agglom {

/// Null when there is no cure, or more than one.
clang::FixItHint missingBracket(clang::Preprocessor &PP, const Directive &D);

} // namespace agglom

#endif // AGGLOM_FRONTEND_BRACKETS_H
