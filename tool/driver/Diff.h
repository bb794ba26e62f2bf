// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The difference of two texts as 'patch' and editors read it.

#ifndef AGGLOM_DRIVER_DIFF_H
#define AGGLOM_DRIVER_DIFF_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace agglom {

/// A unified diff with three lines of context; "" when the texts are equal.
std::string unifiedDiff(llvm::StringRef Name, llvm::StringRef Old,
                        llvm::StringRef New);

} // namespace agglom

#endif // AGGLOM_DRIVER_DIFF_H
