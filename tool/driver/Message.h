// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the driver itself; messages about places in source files come
// from the front end.

#ifndef AGGLOM_DRIVER_MESSAGE_H
#define AGGLOM_DRIVER_MESSAGE_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace agglom {

inline void error(const llvm::Twine &Text) {
  llvm::WithColor::error(llvm::errs(), "agglomcc") << Text << '\n';
}

inline void warning(const llvm::Twine &Text) {
  llvm::WithColor::warning(llvm::errs(), "agglomcc") << Text << '\n';
}

} // namespace agglom

#endif // AGGLOM_DRIVER_MESSAGE_H
