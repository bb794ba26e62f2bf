// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host compiler's OpenMP: the place of its header when Clang reads a unit
// for gcc, and the Debian package of missing files.

#ifndef AGGLOM_DRIVER_OPENMP_H
#define AGGLOM_DRIVER_OPENMP_H

#include "Toolchain.h"
#include "llvm/ADT/StringRef.h"

namespace agglom {

/// Whether the options ask for OpenMP.
bool asksForOpenMP(const std::vector<std::string> &Options);

/// The header that <agglom/gcc/omp.h> includes until it is told the place of
/// gcc's header; there is no such file.
constexpr const char *UnknownOpenMPHeader = "omp.h of the host compiler";

/// The options that tell it; none where gcc has no such header.
std::vector<std::string> openMPHeaderArgs(const Toolchain &Tools);

/// Called when Clang could not read \p Text, which uses OpenMP, or, when \p
/// Text is "", a program could not be linked. Reports a missing package that
/// may be the reason.
void explainOpenMP(const Toolchain &Tools, llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_DRIVER_OPENMP_H
