// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library functions that device code may call, and the text that defines
// them for Clang's NVPTX target. Knows names, not the AST.

#ifndef AGGLOM_EMIT_DEVICELIBRARY_H
#define AGGLOM_EMIT_DEVICELIBRARY_H

#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace agglom {

bool isDeviceLibraryFunction(llvm::StringRef Name);
/// Whether agglom has a text in C for \p Name, for every target.
bool isDeviceText(llvm::StringRef Name);
/// Whether \p Name is declared in <agglom/device.h>.
bool isTeamFunctionName(llvm::StringRef Name);
/// Whether \p Name is a reduction, which uses the kernel's scratch memory.
bool isTeamReduction(llvm::StringRef Name);

/// Definitions of \p Used for the kernel text.
/// \p NeedsMaths is set when libdevice or libclc must be linked.
std::string deviceLibraryText(std::set<std::string> Used, bool &NeedsMaths);

} // namespace agglom

#endif // AGGLOM_EMIT_DEVICELIBRARY_H
