// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Syntax trees are as deep as the program: a sum of 20,000 terms is a tree of
// 20,000 levels, and what walks it needs a frame for each.

#ifndef AGGLOM_SUPPORT_LARGESTACK_H
#define AGGLOM_SUPPORT_LARGESTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace agglom {

/// Calls \p Body on a thread with a large stack, of which only the pages that
/// are used take memory, and waits for it; where there can be none, on this
/// one.
void onLargeStack(llvm::function_ref<void()> Body);

} // namespace agglom

#endif // AGGLOM_SUPPORT_LARGESTACK_H
