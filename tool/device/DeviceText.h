// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Library functions that the device has as C text of ours. In the kernel text
// NAME stands for ag_NAME, so that no compiler's own NAME is in the way.

#ifndef AGGLOM_EMIT_DEVICETEXT_H
#define AGGLOM_EMIT_DEVICETEXT_H

#include "llvm/ADT/StringRef.h"

namespace agglom {

struct DeviceText {
  const char *Name;
  const char *Needs; ///< other functions of the library, separated by spaces
  const char *Text;  ///< defines ag_NAME
};

/// Null when \p Name is none of them.
const DeviceText *deviceText(llvm::StringRef Name);

} // namespace agglom

#endif // AGGLOM_EMIT_DEVICETEXT_H
