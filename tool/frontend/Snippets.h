// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers beside the lines of source under a message.

#ifndef AGGLOM_FRONTEND_SNIPPETS_H
#define AGGLOM_FRONTEND_SNIPPETS_H

#include "clang/Basic/Diagnostic.h"

namespace agglom {

/// Puts a consumer before that of \p Diags which hides from it, while a message
/// is printed, what a snippet cannot show: Clang numbers the first line of a
/// snippet by the topmost range or fix-it, although it leaves those out that
/// are more than \p MaxLines lines away.
void numberSnippets(clang::DiagnosticsEngine &Diags, unsigned MaxLines);

} // namespace agglom

#endif // AGGLOM_FRONTEND_SNIPPETS_H
