// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fix-its for clauses: text edits at the user's own pragma.

#ifndef AGGLOM_CHECK_FIXITS_H
#define AGGLOM_CHECK_FIXITS_H

#include "ParseAction.h"

namespace agglom {

/// A clause put behind the last one of \p T's pragma.
/// To the directive at \p Loc, a task, a loop or a `for`.
clang::FixItHint addClause(const ParsedUnit &U, clang::SourceLocation Loc,
                           const std::string &Clause);
clang::FixItHint addClause(const ParsedUnit &U, const Task &T,
                           const std::string &Clause);

/// The section \p S put into a clause \p Name: 'in' becomes 'inout' where it
/// is alone in its clause, else the item moves into a clause of its own.
llvm::SmallVector<clang::FixItHint, 2> moveSection(const ParsedUnit &U,
                                                   const Task &T,
                                                   const Section &S,
                                                   llvm::StringRef Name);

/// The item \p S written as \p Text.
clang::FixItHint replaceSection(const ParsedUnit &U, const Task &T,
                                const Section &S, llvm::StringRef Text);

/// The item \p S taken out, with its clause when it is alone there.
clang::FixItHint removeSection(const ParsedUnit &U, const Task &T,
                               const Section &S);

} // namespace agglom

#endif // AGGLOM_CHECK_FIXITS_H
