// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does an input of a link need the runtime library? The symbols of the inputs
// decide, so that every other link stays the host compiler's own. For the
// launcher and the compiler proper.

#ifndef AGGLOM_SUPPORT_LINKINPUTS_H
#define AGGLOM_SUPPORT_LINKINPUTS_H

#include <string>
#include <vector>

namespace agglom {

struct LinkNeeds {
  /// An input refers to a function of the runtime that no input defines.
  bool Runtime = false;
  /// Such an input that is for another machine than this runtime library, and
  /// has no runtime library beside it.
  std::string OtherMachine;
};

/// \p Args are a compiler's arguments, with response files expanded. Files that
/// cannot be read need nothing: the linker will report them.
LinkNeeds linkNeeds(const std::vector<std::string> &Args);

/// Warns when there is an OtherMachine: the link will not find the runtime.
void warnOtherMachine(const LinkNeeds &Needs);

} // namespace agglom

#endif // AGGLOM_SUPPORT_LINKINPUTS_H
