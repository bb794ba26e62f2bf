// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folders in which gcc finds headers. gcc cannot list the headers it has
// read for a caller, as Clang does, so the launcher scans all headers that gcc
// may read (Scan.h).

#ifndef AGGLOM_LAUNCHER_GCC_H
#define AGGLOM_LAUNCHER_GCC_H

#include "Simple.h"
#include <string>
#include <vector>

namespace agglom {

/// Appends the folders in which \p Compiler, a name or path, looks for headers
/// by default, and perhaps other folders. \returns false where they are not
/// known: it is not gcc, or a gcc with other folders, or \p Args or the
/// environment change them.
bool addGccFolders(const std::string &Compiler,
                   const std::vector<std::string> &Args,
                   const SimpleCommand &Simple,
                   std::vector<std::string> &Folders);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_GCC_H
