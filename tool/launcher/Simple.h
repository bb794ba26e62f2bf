// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines that can be understood without Clang's option table: C files
// are compiled, perhaps linked, and no option changes which files are read or
// how. All other command lines are for the compiler proper.

#ifndef AGGLOM_LAUNCHER_SIMPLE_H
#define AGGLOM_LAUNCHER_SIMPLE_H

#include "Scan.h"
#include <string>
#include <vector>

namespace agglom {

struct SimpleCommand {
  std::vector<std::string> Sources;  ///< the C files; "-" is standard input
  std::vector<std::string> Folders;  ///< of -I and the like
  std::vector<std::string> Included; ///< by -include and -imacros
  bool Links = false;
  bool TakesRuntime = false;  ///< links with the usual libraries
  bool IsShared = false;      ///< -shared
  bool HasLanguage = false;   ///< -x is in force behind the last argument
  bool OnlyHost = false;      ///< -M and the like: no code is made of the units
  bool IsPreprocessed = true; ///< all sources are preprocessed
  Finding InMacros;           ///< findings in -D and -U
  bool WritesUserHeaders = false; ///< -MMD
  bool HidesHeaders = false;      ///< Clang cannot list the headers
};

/// \returns false for a command that is not simple.
bool isSimple(const std::vector<std::string> &Args, SimpleCommand &Simple);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_SIMPLE_H
