// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message, and the file that is kept, when agglomcc itself fails.

#ifndef AGGLOM_DRIVER_FAILURE_H
#define AGGLOM_DRIVER_FAILURE_H

#include "CommandLine.h"
#include "Unit.h"

namespace agglom {

/// Reports \p F as a fault of agglomcc, and keeps the input for a bug report:
/// the preprocessed \p Text of the unit and the command, in a temporary file
/// that is not removed. \p Name is the input's.
void reportFault(const CommandLine &CL, llvm::StringRef Name, const Fault &F,
                 llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_DRIVER_FAILURE_H
