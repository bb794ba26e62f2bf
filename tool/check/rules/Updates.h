// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that update one number in memory: what '#pragma agglom atomic' may
// stand before, and the only use of memory under 'accumulate'.

#ifndef AGGLOM_CHECK_UPDATES_H
#define AGGLOM_CHECK_UPDATES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <optional>
#include <string>

namespace agglom {

struct Update {
  /// The expression, or the 'if', whose place the atomic update takes.
  const clang::Stmt *Whole = nullptr;
  const clang::FunctionDecl *In = nullptr;
  const clang::Expr *Target = nullptr;
  const clang::Expr *Value = nullptr; ///< null: 1
  clang::QualType Type;               ///< of the target, canonical
  clang::QualType ValueType;          ///< before C's conversions, canonical
  std::string Op; ///< "+" "-" "*" "/" "%" "&" "|" "^" "<<" ">>" "min" "max"
  /// The new value, made of ag_old and ag_value as the user's statement makes
  /// it of target and value: C's conversions are in it.
  std::string Next;
  bool Repeats = false; ///< the value has side effects and stands there twice
};

/// \p S as an update; nothing when it is none. Says nothing about types.
std::optional<Update> asUpdate(const clang::Stmt *S, clang::ASTContext &C);

/// Integers of 8 to 64 bits but bool, float and double. (No enumerations.)
bool isUpdatable(clang::QualType T, const clang::ASTContext &C);

/// The type in which an operator combines values of these two types.
clang::QualType commonType(clang::QualType A, clang::QualType B,
                           const clang::ASTContext &C);

/// The variable of this function that \p E denotes, or a part of it; null when
/// it may be other memory.
const clang::VarDecl *ownObject(const clang::Expr *E);

} // namespace agglom

#endif // AGGLOM_CHECK_UPDATES_H
