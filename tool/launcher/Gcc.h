// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where gcc finds headers. It does not tell a caller what it has read, as
// Clang does, so the launcher looks at all that it may read (Scan.h).

#ifndef AGGLOM_LAUNCHER_GCC_H
#define AGGLOM_LAUNCHER_GCC_H

#include "Simple.h"
#include <string>
#include <vector>

namespace agglom {

/// Appends the folders that \p Compiler, its name or path, looks for headers in
/// on its own, and others perhaps. \returns false where these are not known:
/// it is no gcc, or one with its own ideas, or \p Args or the environment
/// change them.
bool addGccFolders(const std::string &Compiler,
                   const std::vector<std::string> &Args,
                   const SimpleCommand &Simple,
                   std::vector<std::string> &Folders);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_GCC_H
