// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said and kept when agglomcc itself fails.

#ifndef AGGLOM_DRIVER_FAILURE_H
#define AGGLOM_DRIVER_FAILURE_H

#include "CommandLine.h"
#include "Unit.h"

namespace agglom {

/// Says that \p F is a fault of agglomcc, and keeps what a report of it needs:
/// the preprocessed \p Text of the unit with the command in a temporary file
/// that stays. \p Name is the input's.
void reportFault(const CommandLine &CL, llvm::StringRef Name, const Fault &F,
                 llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_DRIVER_FAILURE_H
