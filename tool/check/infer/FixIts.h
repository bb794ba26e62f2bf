// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fix-its for clauses: text edits at the user's own pragma.

#ifndef AGGLOM_CHECK_FIXITS_H
#define AGGLOM_CHECK_FIXITS_H

#include "ParseAction.h"

namespace agglom {

/// Adds \p Clause behind the last clause of the directive at \p Loc (a task, a
/// loop or a `for`), or of \p T's directive.
clang::FixItHint addClause(const ParsedUnit &U, clang::SourceLocation Loc,
                           const std::string &Clause);
clang::FixItHint addClause(const ParsedUnit &U, const Task &T,
                           const std::string &Clause);

/// Moves section \p S into a clause \p Name: the clause is renamed, 'in' to
/// 'inout', where \p S is alone in it; else \p S moves into a clause of its
/// own.
llvm::SmallVector<clang::FixItHint, 2> moveSection(const ParsedUnit &U,
                                                   const Task &T,
                                                   const Section &S,
                                                   llvm::StringRef Name);

/// Replaces section \p S by \p Text.
clang::FixItHint replaceSection(const ParsedUnit &U, const Task &T,
                                const Section &S, llvm::StringRef Text);

/// Removes section \p S, with its clause when it is alone there.
clang::FixItHint removeSection(const ParsedUnit &U, const Task &T,
                               const Section &S);

} // namespace agglom

#endif // AGGLOM_CHECK_FIXITS_H
