// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does with pointers, without regard to order: its assignments,
// its calls, the pointers through which it reads and writes. Only for local
// pointers it is known which of their values arrives at a use.

#ifndef AGGLOM_CHECK_POINTERFACTS_H
#define AGGLOM_CHECK_POINTERFACTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace agglom {

struct PointerFacts {
  struct Assignment {
    const clang::Expr *To, *From;
    const clang::Expr *Whole; ///< the expression: p = q, p += n or ++p
  };
  std::vector<Assignment> Assignments;
  std::vector<const clang::VarDecl *> Initialised;
  std::vector<const clang::CompoundLiteralExpr *> Literals;
  std::vector<const clang::Expr *> Returned;
  std::vector<const clang::CallExpr *> Calls;
  std::vector<const clang::AtomicExpr *> Atomics;
  /// Comparisons and differences of two pointers.
  std::vector<const clang::BinaryOperator *> Comparisons;
  /// Pointers through which memory is read or written. An address that is only
  /// computed, &s->next->v, is none.
  std::vector<const clang::Expr *> Accesses;
  /// How often the function changes a variable, without its initialisation.
  /// Taking its address counts as a change.
  llvm::DenseMap<const clang::VarDecl *, unsigned> Changes;
  /// Whether pointers are converted to integers or back, or share a union with
  /// them.
  bool HasAddressesAsIntegers = false;
  /// Whether pointers, or structures that hold pointers, are indexed: a[i] or p
  /// + i.
  bool IndexesPointers = false;

  /// \p Given: a loop whose first value and bound are evaluated elsewhere.
  explicit PointerFacts(const clang::ASTContext &Context,
                        const clang::ForStmt *Given = nullptr)
      : Context(Context), Given(Given) {}
  /// Adds what is evaluated in \p S.
  void add(const clang::Stmt *S);
  /// Follows the local pointers of \p F, whose body was added.
  void order(const clang::FunctionDecl *F);

  /// The values of a variable, each represented by its assignment or
  /// initialiser. Null stands for the initial value of a parameter.
  using Values = llvm::SetVector<const clang::Expr *>;
  /// The values that \p Use may have; null when the variable is not followed.
  const Values *valuesAt(const clang::DeclRefExpr *Use) const;
  bool follows(const clang::VarDecl *V) const { return Followed.count(V); }

private:
  const clang::ASTContext &Context;
  const clang::ForStmt *Given;
  std::vector<const clang::Stmt *> Work;
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Taken; ///< address taken
  llvm::DenseMap<const clang::VarDecl *, Values> Followed;
  llvm::DenseMap<const clang::DeclRefExpr *, Values> Arriving;

  void visit(const clang::Stmt *S);
  void visitExpr(const clang::Expr *E);
  void addressOf(const clang::Expr *E);
  void call(const clang::CallExpr *Call);
  void changed(const clang::Expr *E);
};

/// Whether objects of type \p T are pointers, or contain pointers.
bool holdsPointers(clang::QualType T);

/// Whether values of type \p T may hold an address, also as an integer.
bool mayHoldAddress(const clang::ASTContext &C, clang::QualType T);

/// Whether the result of \p Call may point into the memory of argument \p I.
/// Known functions of the C library return a pointer into their first argument
/// only.
bool mayReturn(const clang::CallExpr *Call, unsigned I);

/// The definition of what \p Call calls, or null.
const clang::FunctionDecl *definitionOf(const clang::CallExpr *Call);

} // namespace agglom

#endif // AGGLOM_CHECK_POINTERFACTS_H
