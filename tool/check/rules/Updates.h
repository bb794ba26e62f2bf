// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that update one number in memory: '#pragma agglom atomic' may
// stand before them, and memory under 'accumulate' has no other use.

#ifndef AGGLOM_CHECK_UPDATES_H
#define AGGLOM_CHECK_UPDATES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <optional>
#include <string>

namespace agglom {

struct Update {
  /// The expression or 'if' that the atomic update replaces.
  const clang::Stmt *Whole = nullptr;
  const clang::FunctionDecl *In = nullptr;
  const clang::Expr *Target = nullptr;
  const clang::Expr *Value = nullptr; ///< null: 1
  clang::QualType Type;               ///< of the target, canonical
  clang::QualType ValueType; ///< of Value without conversions, canonical
  std::string Op; ///< "+" "-" "*" "/" "%" "&" "|" "^" "<<" ">>" "min" "max"
  /// The new value as an expression over ag_old and ag_value, which stand for
  /// the user's target and value. It includes C's conversions.
  std::string Next;
  bool Repeats = false;     ///< Value has side effects and is written twice
  bool Accumulates = false; ///< the target lies in memory under 'accumulate'
};

/// \p S as an update; nullopt when it is none. The types are not checked.
std::optional<Update> asUpdate(const clang::Stmt *S, clang::ASTContext &C);

/// Integers of 8 to 64 bits but bool, float and double. (No enumerations.)
bool isUpdatable(clang::QualType T, const clang::ASTContext &C);

/// The type in which an operator combines values of these two types.
clang::QualType commonType(clang::QualType A, clang::QualType B,
                           const clang::ASTContext &C);

/// The local variable that \p E denotes, or denotes a part of; null when \p E
/// may be other memory.
const clang::VarDecl *ownObject(const clang::Expr *E);

} // namespace agglom

#endif // AGGLOM_CHECK_UPDATES_H
