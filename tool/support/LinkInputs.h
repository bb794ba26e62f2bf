// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does something that a command links need the runtime library? Told by the
// symbols of what is linked, so that every other link stays the host
// compiler's own. For the launcher and the compiler proper.

#ifndef AGGLOM_SUPPORT_LINKINPUTS_H
#define AGGLOM_SUPPORT_LINKINPUTS_H

#include <string>
#include <vector>

namespace agglom {

struct LinkNeeds {
  /// Something refers to a function of the runtime that no input defines.
  bool Runtime = false;
  /// A file that does, is for another machine than our runtime library, and
  /// has no runtime library beside it.
  std::string OtherMachine;
};

/// \p Args is what a compiler was called with, response files expanded. Files
/// that cannot be read need nothing: the linker will tell.
LinkNeeds linkNeeds(const std::vector<std::string> &Args);

/// Warns when there is an OtherMachine: the link will not find the runtime.
void warnOtherMachine(const LinkNeeds &Needs);

} // namespace agglom

#endif // AGGLOM_SUPPORT_LINKINPUTS_H
