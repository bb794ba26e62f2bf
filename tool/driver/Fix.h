// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --fix and --suggest: changes of the user's files.

#ifndef AGGLOM_DRIVER_FIX_H
#define AGGLOM_DRIVER_FIX_H

#include "CommandLine.h"
#include "Steps.h"

namespace agglom {

/// Carries out --fix or --suggest for these units.
/// \returns the exit status.
int changeSources(const CommandLine &CL, std::vector<Unit> Units);

} // namespace agglom

#endif // AGGLOM_DRIVER_FIX_H
