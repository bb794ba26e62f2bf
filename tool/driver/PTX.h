// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX as it goes into objects.

#ifndef AGGLOM_DRIVER_PTX_H
#define AGGLOM_DRIVER_PTX_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace agglom {

/// The PTX text of a device compiler in a form that every driver and ptxas
/// reads, and that is the same whenever and wherever the source is compiled:
///
///  - PTX is ASCII, and knows no quote in a file's name, where debug info
///    brings them in;
///  - for a .file without time and size ptxas takes those that the file has by
///    then (0 counts as none);
///  - variables stand in an order of their own: Clang's depends on the
///    addresses of its objects where one initialiser names several.
std::string portablePTX(llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_DRIVER_PTX_H
