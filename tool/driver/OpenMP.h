// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host compiler's OpenMP: its header is looked for when a unit is read by
// Clang, and what is not installed is named by Debian's package.

#ifndef AGGLOM_DRIVER_OPENMP_H
#define AGGLOM_DRIVER_OPENMP_H

#include "Toolchain.h"
#include "llvm/ADT/StringRef.h"

namespace agglom {

/// Whether the options ask for OpenMP.
bool asksForOpenMP(const std::vector<std::string> &Options);

/// What our <agglom/gcc/omp.h> includes as long as it has not been told where
/// gcc has its own; there is no such file.
constexpr const char *UnknownOpenMPHeader = "omp.h of the host compiler";

/// What tells it; nothing where gcc has none.
std::vector<std::string> openMPHeaderArgs(const Toolchain &Tools);

/// \p Text, which asks for OpenMP, could not be read by Clang, or its program
/// not be linked when it is "": says so if that may be for want of a package.
void explainOpenMP(const Toolchain &Tools, llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_DRIVER_OPENMP_H
