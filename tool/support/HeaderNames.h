// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that compilers take for headers: they precompile such files, and do not
// link them.

#ifndef AGGLOM_SUPPORT_HEADERNAMES_H
#define AGGLOM_SUPPORT_HEADERNAMES_H

#include "Affix.h"

namespace agglom {

inline bool isCHeader(std::string_view File) { return endsWith(File, ".h"); }

inline bool isHeader(std::string_view File) {
  for (std::string_view Ending : {".H", ".hh", ".hp", ".hpp", ".hxx", ".h++"})
    if (endsWith(File, Ending))
      return true;
  return isCHeader(File);
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_HEADERNAMES_H
