// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax trees are as deep as the program's expressions: a sum of 20,000 terms
// is a tree of 20,000 levels, and a recursive walk needs a stack frame for
// each.

#ifndef AGGLOM_SUPPORT_LARGESTACK_H
#define AGGLOM_SUPPORT_LARGESTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace agglom {

/// Calls \p Body on a thread with a large stack, and waits for it. Only the
/// used pages of the stack take memory. Where there can be no such thread,
/// calls \p Body on this thread.
void onLargeStack(llvm::function_ref<void()> Body);

} // namespace agglom

#endif // AGGLOM_SUPPORT_LARGESTACK_H
