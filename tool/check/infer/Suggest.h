// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pragmas proposed for functions that have none.

#ifndef AGGLOM_CHECK_SUGGEST_H
#define AGGLOM_CHECK_SUGGEST_H

#include "ParseAction.h"

namespace agglom {

struct Suggestion {
  std::string Function;
  unsigned Line = 0;
  std::string WhyNot; ///< not empty: nothing is proposed, for this reason
  std::vector<std::string> Callers;     ///< functions of the unit
  std::vector<std::string> Assumptions; ///< what was taken for granted
  struct Edit {
    std::string File;
    size_t Offset;
    std::string Text;
  };
  std::vector<Edit> Edits; ///< insertions: the task's pragma, then the loops'
  size_t TaskEdits = 0;    ///< how many are the task's
};

/// One for each function of the main file that is no task.
std::vector<Suggestion> suggestPragmas(ParsedUnit &U);

} // namespace agglom

#endif // AGGLOM_CHECK_SUGGEST_H
