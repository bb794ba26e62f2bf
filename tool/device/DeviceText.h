// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Library functions for device code, defined by C texts of agglom's. In the
// kernel text NAME is a macro for ag_NAME, so that it does not meet a
// compiler's own NAME.

#ifndef AGGLOM_EMIT_DEVICETEXT_H
#define AGGLOM_EMIT_DEVICETEXT_H

#include "llvm/ADT/StringRef.h"

namespace agglom {

struct DeviceText {
  const char *Name;
  const char *Needs; ///< other functions of the library, separated by spaces
  const char *Text;  ///< defines ag_NAME
};

/// The text of function \p Name, or null.
const DeviceText *deviceText(llvm::StringRef Name);

} // namespace agglom

#endif // AGGLOM_EMIT_DEVICETEXT_H
