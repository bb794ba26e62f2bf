// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is the first word of a pragma a misspelt "agglom"? Used by the launcher, too,
// which has no LLVM.

#ifndef AGGLOM_SUPPORT_MISSPELT_H
#define AGGLOM_SUPPORT_MISSPELT_H

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace agglom {

/// Whether \p Word differs from "agglom" in at most two letters, added, missing
/// or changed, in upper or lower case.
inline bool isMisspeltAgglom(std::string_view Word) {
  constexpr std::string_view Right = "agglom";
  if (Word == Right || Word.size() + 2 < Right.size() ||
      Word.size() > Right.size() + 2)
    return false;
  // Row by row: the changes from the beginning of Word to each of Right's.
  size_t Changes[Right.size() + 1];
  for (size_t J = 0; J <= Right.size(); ++J)
    Changes[J] = J;
  for (size_t I = 0; I != Word.size(); ++I) {
    size_t Diagonal = Changes[0];
    Changes[0] = I + 1;
    for (size_t J = 0; J != Right.size(); ++J) {
      char C = Word[I] >= 'A' && Word[I] <= 'Z' ? Word[I] - 'A' + 'a' : Word[I];
      size_t Other = Diagonal + (C != Right[J]);
      Diagonal = Changes[J + 1];
      Changes[J + 1] = std::min({Other, Changes[J] + 1, Diagonal + 1});
    }
  }
  return Changes[Right.size()] <= 2;
}

} // namespace agglom

#endif // AGGLOM_SUPPORT_MISSPELT_H
