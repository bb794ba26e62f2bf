// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How texts begin and end, for parts without LLVM.

#ifndef AGGLOM_SUPPORT_AFFIX_H
#define AGGLOM_SUPPORT_AFFIX_H

#include <string_view>

namespace agglom {

inline bool startsWith(std::string_view Text, std::string_view Start) {
  return Text.substr(0, Start.size()) == Start;
}

inline bool endsWith(std::string_view Text, std::string_view End) {
  return Text.size() >= End.size() &&
         Text.substr(Text.size() - End.size()) == End;
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_AFFIX_H
