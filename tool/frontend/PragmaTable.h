// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pragmas/directives.def as data. Knows words, not tokens.

#ifndef AGGLOM_FRONTEND_PRAGMATABLE_H
#define AGGLOM_FRONTEND_PRAGMATABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace agglom {

enum class DirectiveId { Task, Loop, Wait, For, Data, Update, Atomic, Declare };
enum class Place { Function, Loop, Statement, Block, Update };
enum class ArgumentForm {
  None,
  Sections,
  Expr,
  Name,
  Choice,
  Vars,
  OpVars,
  OpSections,
  KindFunction,
  Schedule
};
enum class ClauseId {
#define AGGLOM_CLAUSE(Directive, Id, Spelling, Argument, Help) Id,
#define AGGLOM_CLAUSE_AGAIN(Directive, Id, Spelling, Argument, Help)
#include "directives.def"
};

struct ClauseInfo {
  DirectiveId Directive;
  ClauseId Id;
  llvm::StringRef Spelling;
  ArgumentForm Argument;
  llvm::StringRef Help;
};

struct DirectiveInfo {
  DirectiveId Id;
  llvm::StringRef Spelling;
  Place Where;
  llvm::StringRef Help;
};

llvm::ArrayRef<DirectiveInfo> directives();
llvm::ArrayRef<ClauseInfo> clauses();

/// Null when there is none of that spelling.
const DirectiveInfo *findDirective(llvm::StringRef Spelling);
const ClauseInfo *findClause(DirectiveId D, llvm::StringRef Spelling);

/// The first clause of that spelling, of whichever directive.
const ClauseInfo *findClauseAnywhere(llvm::StringRef Spelling);

llvm::StringRef spellingOf(ClauseId Id);
llvm::StringRef spellingOf(DirectiveId Id);

/// The supported spelling nearest to \p Word by edit distance, or "" when none
/// is near enough to be meant.
llvm::StringRef suggestDirective(llvm::StringRef Word);
llvm::StringRef suggestClause(DirectiveId D, llvm::StringRef Word);

} // namespace agglom

#endif // AGGLOM_FRONTEND_PRAGMATABLE_H
