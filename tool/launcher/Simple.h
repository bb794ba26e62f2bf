// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines so plain that they can be understood without Clang's option
// table: one C file is compiled, perhaps linked, and no option changes what is
// read or how. Every other one is for the compiler proper.

#ifndef AGGLOM_LAUNCHER_SIMPLE_H
#define AGGLOM_LAUNCHER_SIMPLE_H

#include "Scan.h"
#include <string>
#include <vector>

namespace agglom {

struct SimpleCommand {
  std::string Source;               ///< the C file
  std::vector<std::string> Folders; ///< of -I and the like
  bool Links = false;
  Finding InMacros;               ///< in -D and -U
  bool WritesUserHeaders = false; ///< -MMD
};

/// \returns false for a command that is not as plain as that.
bool isSimple(const std::vector<std::string> &Args, SimpleCommand &Simple);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_SIMPLE_H
