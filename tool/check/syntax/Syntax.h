// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small queries on Clang's syntax tree.

#ifndef AGGLOM_CHECK_SYNTAX_H
#define AGGLOM_CHECK_SYNTAX_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <optional>
#include <set>

namespace agglom {

/// The variable that \p E names, or null when it is anything else.
const clang::VarDecl *variableOf(const clang::Expr *E);

/// The value of \p E where it is a constant of at most \p Bits bits, its sign
/// included.
std::optional<int64_t> constantOf(const clang::Expr *E,
                                  const clang::ASTContext &C,
                                  unsigned Bits = 64);

/// changedBy() adds the variables that \p S assigns, takenBy() those whose
/// address it takes.
void changedBy(const clang::Stmt *S, std::set<const clang::VarDecl *> &Found);
void takenBy(const clang::Stmt *S, std::set<const clang::VarDecl *> &Found);

/// The name of \p F in the C library: "memcpy" for __builtin_memcpy and
/// __builtin___memcpy_chk. For other functions their own name.
llvm::StringRef libraryName(const clang::FunctionDecl *F);

/// Whether \p V is declared with AGGLOM_SHARED.
bool isBlockShared(const clang::VarDecl *V);

/// Whether a directive stands before \p F, whose body is in another unit.
bool isDeclaredElsewhere(const clang::FunctionDecl *F);

} // namespace agglom

#endif // AGGLOM_CHECK_SYNTAX_H
